"""Changes of containers that both processes have: what is sent again, and what isn't."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from operator import is_
from typing import Any

from runner.sandbox.border.plain import BUFFERS, MAPPINGS, Uncrossable, container_type
from runner.sandbox.border.protocol import ENTERING, LEAVING
from runner.sandbox.border.threads import MOST_KNOWN

# --- large lists: not sent again while nothing has changed ----------------------------------------

LARGE = 500  # items
LARGEST = 250_000  # of which a copy is kept
SLOTS = 8

_POINTER = ctypes.sizeof(ctypes.c_void_p)
# In a list, the address of its items comes after what every object of variable size begins with.
_ITEMS = tuple.__basicsize__
_compare = ctypes.CDLL(None).memcmp
_compare.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


def is_large(value: object) -> bool:
    """Tell whether this is a list that is worth keeping, and not too much to keep."""
    return type(value) is list and LARGE <= len(value) <= LARGEST


def are_same_items(one: list[Any], other: list[Any]) -> bool:
    """Tell whether two lists hold the same objects: 1 and True are equal, and differ."""
    if len(one) != len(other):
        return False
    if len(one) < LARGE:
        return all(map(is_, one, other))
    return not _compare(_address(one), _address(other), len(one) * _POINTER)


def _address(things: list[Any]) -> int | None:
    return ctypes.c_void_p.from_address(id(things) + _ITEMS).value


class _Lists:
    """Large lists of atoms, which never change, by slot; and what was in them."""

    def __init__(self) -> None:
        self._slots: dict[int, tuple[list[Any], list[Any]]] = {}

    def _find(self, things: object) -> tuple[int, list[Any]] | None:
        """Return the slot and the content of a list that has not changed."""
        for slot, (kept, content) in self._slots.items():
            if kept is things:
                return (slot, content) if are_same_items(kept, content) else None
        return None


class SentLists(_Lists):
    """The last that the other side was sent, and keeps."""

    _next = 0

    def find(self, things: object) -> int | None:
        """Return the slot in which the other side has just this, if there is one."""
        found = self._find(things)
        return None if found is None else found[0]

    def add(self, things: list[Any]) -> int:
        """Return the slot in which the other side is to keep a list."""
        slot = next((s for s, (kept, _) in self._slots.items() if kept is things), None)
        if slot is None:
            slot, self._next = self._next, (self._next + 1) % SLOTS
        self._slots[slot] = things, things.copy()
        return slot

    def clear(self) -> None:
        """Forget all, as it isn't known what has arrived."""
        self._slots.clear()


class ReceivedLists(_Lists):
    """What the other side has sent to be kept, and may have been changed here."""

    def keep(self, slot: object, things: list[Any]) -> list[Any]:
        """Keep a list; raises ValueError where there is no such slot."""
        if type(slot) is not int or not 0 <= slot < SLOTS:
            raise ValueError("no such slot")
        self._slots[slot] = things, things.copy()
        return things

    def content_of(self, things: object) -> list[Any] | None:
        """Return what was in a list that is kept and hasn't changed; not to be changed either."""
        found = self._find(things)
        return None if found is None else found[1]

    def find(self, slot: int) -> list[Any]:
        """Return what was received; another list where that one was changed. Raises KeyError."""
        things, content = self._slots[slot]
        return things if are_same_items(things, content) else self.keep(slot, content.copy())


# --- what a call has changed ----------------------------------------------------------------------


# Larger ones are too much to be compared with each call back.
_MOST_OBJECTS, _MOST_ITEMS = 100, 1_000


class Snapshot:
    """Containers that came with a request, as they were."""

    def __init__(self, objects: Sequence[Any], received: ReceivedLists | None = None) -> None:
        self.objects = objects
        self._before = [
            (place, each, kind, (received and received.content_of(each)) or _content(each, kind))
            for place, each in enumerate(objects)
            if (kind := container_type(each)) is not None
        ]

    def changed(self) -> list[tuple[int, Any]]:
        """Return those that have changed since this was last asked, with their places."""
        found = []
        for number, (place, each, kind, before) in enumerate(self._before):
            now = each if type(each) is list else _content(each, kind)
            if not (now == before if kind in BUFFERS else are_same_items(now, before)):
                self._before[number] = (place, each, kind, _content(each, kind))
                found.append((place, each))
        return found


def merge(snapshots: Sequence[Snapshot]) -> tuple[list[Any], list[tuple[int, Any]]]:
    """Return the objects of all, and those that have changed, with their places."""
    known: list[Any] = []
    changed: list[tuple[int, Any]] = []
    for each in snapshots:
        changed += [(len(known) + place, container) for place, container in each.changed()]
        known += each.objects
    return known, changed


def are_small(objects: Sequence[Any]) -> bool:
    """Tell whether these may be compared with each call back."""
    if len(objects) > _MOST_OBJECTS:
        return False
    return sum(len(each) for each in objects if container_type(each)) <= _MOST_ITEMS


def extend(snapshots: list[Snapshot], objects: Sequence[Any]) -> None:
    """Take note of what an answer brought in the course of a request."""
    if sum(len(each.objects) for each in snapshots) + len(objects) <= MOST_KNOWN:
        snapshots.append(Snapshot(objects))


def sync(snapshots: Sequence[Snapshot]) -> tuple[list[Any], list[tuple[int, Any]]] | None:
    """Return what `merge` does, or None where that would take too long."""
    if not are_small([each for snapshot in snapshots for each in snapshot.objects]):
        return None
    return merge(snapshots)


def _content(value: Any, kind: Any) -> Any:
    if type(value) is list:
        return value.copy()
    if kind in BUFFERS:
        return bytes(value)
    content = [*kind.__iter__(value)]
    if kind in MAPPINGS:
        content += kind.values(value)
    # Attributes of an object whose class extends a container.
    state = getattr(value, "__dict__", None)
    return [*content, *state, *state.values()] if type(state) is dict else content


# --- what a test changes before it leaves a context manager -----------------------------------


class Renewal:
    """In the judge: knows what has changed here since a context manager was entered."""

    def __init__(self, packer: Any, *, is_judge: bool) -> None:
        self._packer = packer
        self._is_judge = is_judge
        self._entered: dict[int, Snapshot] = {}

    def take(self, number: int, name: str) -> Any:
        """Return what the other side is to be told before it is asked for this, if anything."""
        if name not in LEAVING or (snapshot := self._entered.pop(number, None)) is None:
            return None
        if not (changed := snapshot.changed()):
            return None
        try:
            return self._packer.pack([], snapshot.objects, changed)
        except Uncrossable:
            return None

    def note(self, number: int, name: str, watched: Sequence[Any]) -> None:
        """Take note of what was asked for, and of what had been sent to that object before."""
        if name in ENTERING and watched and self._is_judge:
            self._entered[number] = Snapshot(watched)


def renew(snapshot: Snapshot | None, unpacker: Any, *message: object) -> None:
    """Have copies be as the judge tells; raises Malformed."""
    if snapshot is not None:
        items, heap, written = message
        unpacker.unpack(items, heap, snapshot.objects, written)
        snapshot.changed()  # what was written isn't to be sent back
