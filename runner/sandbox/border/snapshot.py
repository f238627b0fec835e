"""Which containers a call has changed: they are compared with what they were before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runner.sandbox.border.containers import MAPPINGS, container_type
from runner.sandbox.border.large_lists import ReceivedLists, are_same_items
from runner.sandbox.border.plain import BUFFERS
from runner.sandbox.border.threads import MOST_KNOWN

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
            if not _is_same(now, before):
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
    if kind in MAPPINGS:
        return [*kind.__iter__(value), *kind.values(value), *_state(value)]
    if kind in BUFFERS:
        return bytes(value)
    return [*kind.__iter__(value), *_state(value)]


def _state(value: Any) -> list[Any]:
    """Return the attributes of an object whose class extends a container."""
    state = getattr(value, "__dict__", None)
    return [*state, *state.values()] if type(state) is dict else []


def _is_same(now: Any, before: Any) -> bool:
    """Tell whether two contents are the same objects: 1 and True are equal, and differ."""
    return bool(now == before) if type(now) is bytes else are_same_items(now, before)
