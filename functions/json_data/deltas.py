"""Deltas between two versions of a JSON value, as a JSON Patch (RFC 6902) that works both ways.

Each removal and replacement is preceded by a `test` of what was there, so that a delta can be
inverted: with the newest version and all deltas, every former version is restored.
"""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

from jsonpatch import JsonPatch, JsonPatchException, JsonPointerException

from functions.json_data.values import are_equal, canonical, size_of

Operation = dict[str, Any]
Delta = list[Operation]
# Values that differ in both versions together. The library's time grows with their square; these
# take it less than a second.
MAX_CHANGED = 1_000
_FAILURES = (JsonPatchException, JsonPointerException, TypeError, ValueError, RecursionError)


class WrongVersion(Exception):
    """The delta isn't one of this version."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change that a delta makes; `path` is empty for the whole value."""

    kind: Literal["added", "removed", "changed"]
    path: str
    before: Any = None
    after: Any = None


def make_delta(old: Any, new: Any) -> Delta:
    """Return the delta from old to new; empty if they are equal.

    It replaces the whole where that is much shorter, or where more detail would take too long.
    """
    if are_equal(old, new):
        return []
    whole = [_operation("test", "", old), _operation("replace", "", new)]
    if _count_changed(old, new) > MAX_CHANGED:
        return whole
    try:
        # Without moves, which can't be inverted where they replace something.
        patch = JsonPatch.from_diff(old, new, optimization=False, generate_test_ops=True).patch
        is_exact = are_equal(apply_delta(old, patch), new)
        is_exact = is_exact and are_equal(revert_delta(new, patch), old)
    except (WrongVersion, *_FAILURES):
        return whole
    return patch if is_exact and size_of(patch) <= 2 * size_of(whole) else whole


def apply_delta(old: Any, delta: Delta) -> Any:
    """Return the newer version. Raises WrongVersion unless `old` is the one that it starts from."""
    try:
        return JsonPatch(deepcopy(delta)).apply(old)
    except _FAILURES as error:
        raise WrongVersion(str(error)) from error


def revert_delta(new: Any, delta: Delta) -> Any:
    """Return the older version. Raises WrongVersion unless `new` is the one that it leads to."""
    return apply_delta(new, invert_delta(delta))


def invert_delta(delta: Delta) -> Delta:
    """Return the delta of the other direction."""
    return [one for step in reversed(list(_steps(delta))) for one in _inverted(step)]


def restore(newest: Any, deltas: Sequence[Delta]) -> Any:
    """Return a former version; `deltas` lead from it to the newest one, the oldest first."""
    value = newest
    for delta in reversed(deltas):
        value = revert_delta(value, delta)
    return value


def describe_delta(delta: Delta) -> list[Change]:
    """Return what a delta changes, for people to read."""
    return [_described(*step) for step in _steps(delta)]


def readable_path(pointer: str) -> str:
    """Return a JSON pointer as people write it: `address.zip`, `tags[0]`."""
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    found = ""
    for part in parts:
        if part.isdecimal():
            found += f"[{part}]"
        elif part.isidentifier():
            found += f".{part}" if found else part
        else:
            found += f"[{canonical(part)}]"
    return found


def _operation(op: str, path: str, value: Any) -> Operation:
    return {"op": op, "path": path, "value": value}


def _steps(delta: Delta) -> Iterator[tuple[Operation, Any]]:
    """Return each change with the value that was there; None for an addition."""
    tested: Any = None
    for one in delta:
        if one["op"] == "test":
            tested = one["value"]
        else:
            yield one, tested
            tested = None


def _inverted(step: tuple[Operation, Any]) -> Delta:
    one, before = step
    path = one["path"]
    if one["op"] == "remove":
        return [_operation("add", path, before)]
    test = _operation("test", path, one["value"])
    if one["op"] == "add":
        return [test, {"op": "remove", "path": path}]
    return [test, _operation("replace", path, before)]


def _described(one: Operation, before: Any) -> Change:
    path = readable_path(one["path"])
    match one["op"]:
        case "add":
            return Change("added", path, after=one["value"])
        case "remove":
            return Change("removed", path, before=before)
        case _:
            return Change("changed", path, before, one["value"])


def _count_changed(old: Any, new: Any) -> int:
    """Return how many values differ; of lists, all between their common beginning and end."""
    if isinstance(old, dict) and isinstance(new, dict):
        return len(old.keys() ^ new.keys()) + sum(
            _count_changed(old[name], new[name]) for name in old.keys() & new.keys()
        )
    if not (isinstance(old, list) and isinstance(new, list)):
        return 0 if are_equal(old, new) else 1
    lefts, rights = [*map(canonical, old)], [*map(canonical, new)]
    start, end, shorter = 0, 0, min(len(old), len(new))
    while start < shorter and lefts[start] == rights[start]:
        start += 1
    while end < shorter - start and lefts[-1 - end] == rights[-1 - end]:
        end += 1
    changed = [*old[start : len(old) - end], *new[start : len(new) - end]]
    return sum(map(_count_values, changed))


def _count_values(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + sum(map(_count_values, value.values()))
    return 1 + sum(map(_count_values, value)) if isinstance(value, list) else 1
