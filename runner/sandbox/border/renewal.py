"""Containers that a context manager was sent, and that a test changes before it leaves it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runner.sandbox.border.packer import Packed, Packer, Uncrossable
from runner.sandbox.border.protocol import ENTERING, LEAVING
from runner.sandbox.border.snapshot import Snapshot
from runner.sandbox.border.unpacker import Unpacker


class Renewal:
    """In the judge: knows what has changed here since a context manager was entered."""

    def __init__(self, packer: Packer, *, is_judge: bool) -> None:
        self._packer = packer
        self._is_judge = is_judge
        self._entered: dict[int, Snapshot] = {}

    def take(self, number: int, name: str) -> Packed | None:
        """Return what the other side is to be told before it is asked for this."""
        snapshot = self._entered.pop(number, None) if name in LEAVING else None
        changed = snapshot.changed() if snapshot else None
        if snapshot is None or not changed:
            return None
        try:
            return self._packer.pack([], snapshot.objects, changed)
        except Uncrossable:
            return None

    def note(self, number: int, name: str, watched: Sequence[Any]) -> None:
        """Take note of what was asked for, and of what had been sent to that object before."""
        if name in ENTERING and watched and self._is_judge:
            self._entered[number] = Snapshot(watched)


def renew(
    snapshot: Snapshot | None, unpacker: Unpacker, items: object, heap: object, written: object
) -> None:
    """Have copies be as the judge tells; raises Malformed."""
    if snapshot is not None:
        unpacker.unpack(items, heap, snapshot.objects, written)
        snapshot.changed()  # what was written isn't to be sent back
