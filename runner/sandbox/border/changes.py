"""Tracks changes of containers that both processes have, so that only changes are sent."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from operator import is_
from typing import Any

from runner.sandbox.border.plain import BUFFERS, MAPPINGS, Uncrossable, container_type
from runner.sandbox.border.protocol import ENTERING, LEAVING
from runner.sandbox.border.threads import MOST_KNOWN

# --- large lists, which are not sent again while unchanged ----------------------------------------

LARGE = 500  # items
LARGEST = 250_000  # items of a list that is still copied
SLOTS = 8

_POINTER = ctypes.sizeof(ctypes.c_void_p)
# In a list object, the address of its items follows the header of variable-sized objects.
_ITEMS = tuple.__basicsize__
_compare = ctypes.CDLL(None).memcmp
_compare.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


def is_large(value: object) -> bool:
    """Return whether this is a list worth keeping, and not too large to be kept."""
    return type(value) is list and LARGE <= len(value) <= LARGEST


def are_same_items(one: list[Any], other: list[Any]) -> bool:
    """Return whether two lists contain identical objects (1 and True are equal, but differ)."""
    if len(one) != len(other):
        return False
    if len(one) < LARGE:
        return all(map(is_, one, other))
    return not _compare(_address(one), _address(other), len(one) * _POINTER)


def _address(things: list[Any]) -> int | None:
    return ctypes.c_void_p.from_address(id(things) + _ITEMS).value


class _Lists:
    """Large lists of atoms by slot, with copies of their content."""

    def __init__(self) -> None:
        self._slots: dict[int, tuple[list[Any], list[Any]]] = {}

    def _find(self, things: object) -> tuple[int, list[Any]] | None:
        """Return slot and content of a kept list that has not changed; else None."""
        for slot, (kept, content) in self._slots.items():
            if kept is things:
                return (slot, content) if are_same_items(kept, content) else None
        return None


class SentLists(_Lists):
    """The last lists that were sent to the other side, which keeps them."""

    _next = 0

    def find(self, things: object) -> int | None:
        """Return the slot in which the other side has this list, unchanged; else None."""
        found = self._find(things)
        return None if found is None else found[0]

    def add(self, things: list[Any]) -> int:
        """Keep a list; return the slot for the other side."""
        slot = next((s for s, (kept, _) in self._slots.items() if kept is things), None)
        if slot is None:
            slot, self._next = self._next, (self._next + 1) % SLOTS
        self._slots[slot] = things, things.copy()
        return slot

    def clear(self) -> None:
        """Forget all lists, because it is unknown which have arrived."""
        self._slots.clear()


class ReceivedLists(_Lists):
    """The lists that the other side has sent to be kept; they may have been changed here."""

    def keep(self, slot: object, things: list[Any]) -> list[Any]:
        """Keep a list; raises ValueError for an invalid slot."""
        if type(slot) is not int or not 0 <= slot < SLOTS:
            raise ValueError("no such slot")
        self._slots[slot] = things, things.copy()
        return things

    def content_of(self, things: object) -> list[Any] | None:
        """Return the stored content, which must not be changed, of an unchanged list; else None."""
        found = self._find(things)
        return None if found is None else found[1]

    def find(self, slot: int) -> list[Any]:
        """Return the received list, or a new one if it was changed here. Raises KeyError."""
        things, content = self._slots[slot]
        return things if are_same_items(things, content) else self.keep(slot, content.copy())


# --- changes during a call ------------------------------------------------------------------------


# The limits for comparing containers at each callback.
_MOST_OBJECTS, _MOST_ITEMS = 100, 1_000


class Snapshot:
    """The containers among the objects of a request, with copies of their content."""

    def __init__(self, objects: Sequence[Any], received: ReceivedLists | None = None) -> None:
        self.objects = objects
        self._before = [
            (place, each, kind, (received and received.content_of(each)) or _content(each, kind))
            for place, each in enumerate(objects)
            if (kind := container_type(each)) is not None
        ]

    def changed(self) -> list[tuple[int, Any]]:
        """Return (place, container) of those that have changed since the last call."""
        found = []
        for number, (place, each, kind, before) in enumerate(self._before):
            now = each if type(each) is list else _content(each, kind)
            if not (now == before if kind in BUFFERS else are_same_items(now, before)):
                self._before[number] = (place, each, kind, _content(each, kind))
                found.append((place, each))
        return found


def merge(snapshots: Sequence[Snapshot]) -> tuple[list[Any], list[tuple[int, Any]]]:
    """Return all objects, and (place, container) of those that have changed."""
    known: list[Any] = []
    changed: list[tuple[int, Any]] = []
    for each in snapshots:
        changed += [(len(known) + place, container) for place, container in each.changed()]
        known += each.objects
    return known, changed


def are_small(objects: Sequence[Any]) -> bool:
    """Return whether these are few enough to be compared at each callback."""
    if len(objects) > _MOST_OBJECTS:
        return False
    return sum(len(each) for each in objects if container_type(each)) <= _MOST_ITEMS


def extend(snapshots: list[Snapshot], objects: Sequence[Any]) -> None:
    """Add a snapshot of the objects that an answer brought in the course of a request."""
    if sum(len(each.objects) for each in snapshots) + len(objects) <= MOST_KNOWN:
        snapshots.append(Snapshot(objects))


def sync(snapshots: Sequence[Snapshot]) -> tuple[list[Any], list[tuple[int, Any]]] | None:
    """Return the result of `merge`, or None if that would take too long."""
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


# --- changes by a test before it leaves a context manager -------------------------------------


class Renewal:
    """In the judge: tracks the changes here since a context manager was entered."""

    def __init__(self, packer: Any, *, is_judge: bool) -> None:
        self._packer = packer
        self._is_judge = is_judge
        self._entered: dict[int, Snapshot] = {}

    def take(self, number: int, name: str) -> Any:
        """Return the changes to send before this method is called there; None if there are none."""
        if name not in LEAVING or (snapshot := self._entered.pop(number, None)) is None:
            return None
        if not (changed := snapshot.changed()):
            return None
        try:
            return self._packer.pack([], snapshot.objects, changed)
        except Uncrossable:
            return None

    def note(self, number: int, name: str, watched: Sequence[Any]) -> None:
        """Take a snapshot of the objects sent with a context manager that was entered."""
        if name in ENTERING and watched and self._is_judge:
            self._entered[number] = Snapshot(watched)


def renew(snapshot: Snapshot | None, unpacker: Any, *message: object) -> None:
    """Apply the judge's changes to the copies here; raises Malformed."""
    if snapshot is not None:
        items, heap, written = message
        unpacker.unpack(items, heap, snapshot.objects, written)
        snapshot.changed()  # so that these changes aren't sent back
