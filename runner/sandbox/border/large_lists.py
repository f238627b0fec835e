"""Large lists that the other side has already: not sent again while nothing has changed.

Whoever sends remembers the last few with what was in them. Whoever receives keeps them, and what
was in them as well, since they may change there. Only lists of atoms are kept, which never change.
"""

from __future__ import annotations

import ctypes
from operator import is_

LARGE = 500  # items
LARGEST = 250_000  # of which a copy is kept
SLOTS = 8

_POINTER = ctypes.sizeof(ctypes.c_void_p)
# In a list, the address of its items comes after what every object of variable size begins with.
_ITEMS = tuple.__basicsize__
_compare = ctypes.CDLL(None).memcmp
_compare.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


def are_same_items(one: list[object], other: list[object]) -> bool:
    """Tell whether two lists hold the same objects: 1 and True are equal, and differ."""
    if len(one) != len(other):
        return False
    if len(one) < LARGE:
        return all(map(is_, one, other))
    return not _compare(_address(one), _address(other), len(one) * _POINTER)


def _address(things: list[object]) -> int | None:
    return ctypes.c_void_p.from_address(id(things) + _ITEMS).value


class SentLists:
    """What the other side keeps, by slot."""

    def __init__(self) -> None:
        self._slots: dict[int, int] = {}  # by identity
        # Each list with what was in it; both are kept, so that no identity is used twice.
        self._lists: list[tuple[list[object], list[object]] | None] = [None] * SLOTS
        self._next = 0

    def find(self, things: list[object]) -> int | None:
        """Return the slot that holds just this, if there is one."""
        slot = self._slots.get(id(things))
        if slot is None:
            return None
        kept = self._lists[slot]
        return slot if kept is not None and are_same_items(*kept) else None

    def add(self, things: list[object]) -> int:
        """Return the slot in which the other side is to keep this list of atoms."""
        slot = self._slots.get(id(things))
        if slot is None:
            slot, self._next = self._next, (self._next + 1) % SLOTS
            if (old := self._lists[slot]) is not None:
                del self._slots[id(old[0])]
            self._slots[id(things)] = slot
        self._lists[slot] = things, things.copy()
        return slot

    def clear(self) -> None:
        """Forget all, as it isn't known what has arrived."""
        self._slots.clear()
        self._lists = [None] * SLOTS


class ReceivedLists:
    """What the other side has sent to be kept, by slot."""

    def __init__(self) -> None:
        self._lists: dict[int, tuple[list[object], list[object]]] = {}

    def keep(self, slot: object, things: list[object]) -> list[object]:
        """Keep a list; raises ValueError where there is no such slot."""
        if type(slot) is not int or not 0 <= slot < SLOTS:
            raise ValueError("no such slot")
        self._lists[slot] = things, things.copy()
        return things

    def content_of(self, things: object) -> list[object] | None:
        """Return what was in a list that is kept, None where it isn't; not to be changed."""
        for kept, content in self._lists.values():
            if kept is things and are_same_items(kept, content):
                return content
        return None

    def find(self, slot: int) -> list[object]:
        """Return what was received; another list where that one was changed. Raises KeyError."""
        things, content = self._lists[slot]
        return things if are_same_items(things, content) else self.keep(slot, content.copy())
