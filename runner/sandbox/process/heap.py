"""The heap of a process that others are forked from: laid out so that they copy few of its pages.

A forked process copies each page that it writes to, which is most of what a small run costs.
Python writes to every object that it looks at, as it counts references, and puts new objects
wherever there is room among the old ones. Immortal objects aren't counted, and where no room is
left among old objects, new ones lie side by side.
"""

from __future__ import annotations

import ctypes
import gc
import os
import re
import sys
from collections.abc import Iterator

# Half of a reference count, which has this value in objects that are never freed (PEP 683); before
# 3.12 there were none.
_IMMORTAL = 0xFFFF_FFFF
_HAS_IMMORTALS = sys.version_info >= (3, 12)

# In what `sys._debugmallocstats` prints: class, size, pools, blocks in use, blocks free.
_OF_CLASS = re.compile(rb"^ *\d+ +(\d+) +\d+ +\d+ +(\d+)$", re.MULTILINE)
_SMALLEST, _OF_COMPLEX = 16, 32

_kept: list[object] = []


def settle() -> None:
    """Call once before forking, when all that lasts has been made; memory is given back no more."""
    gc.collect()
    if _HAS_IMMORTALS:
        for thing in _all_objects():
            ctypes.c_uint32.from_address(id(thing)).value = _IMMORTAL
    gc.freeze()
    _fill_up()


def _all_objects() -> list[object]:
    """Return every object that can be found, also those that hold no others."""
    found: list[object] = gc.get_objects()
    known = {id(thing) for thing in found}
    for thing in found:
        for held in gc.get_referents(thing):
            if id(held) not in known:
                known.add(id(held))
                found.append(held)
    return found


def _fill_up() -> None:
    """Leave no room in memory that has been used."""
    sizes = [size for size, count in _free_blocks() for _ in range(count)]
    _kept.extend([None] * len(sizes))
    for place, size in enumerate(sizes):
        _kept[place] = _object_of(size)


def _object_of(size: int) -> object:
    if size == _SMALLEST:
        return object()
    return complex(size) if size == _OF_COMPLEX else bytes(size - sys.getsizeof(b""))


def _free_blocks() -> Iterator[tuple[int, int]]:
    """Return sizes of blocks in bytes, and how many of each are free among used ones."""
    told, stderr = os.memfd_create("statistics"), os.dup(2)
    os.dup2(told, 2)
    try:
        sys._debugmallocstats()  # noqa: SLF001
    finally:
        os.dup2(stderr, 2)
    statistics = os.pread(told, 1 << 20, 0)
    for each in (told, stderr):
        os.close(each)
    for size, free in _OF_CLASS.findall(statistics):
        yield int(size), int(free)
