"""Where two values that should be equal differ first, and how.

To look for it is to compare them once more, which runs the test's own code and asks other processes
about their objects. Whatever that does, the verdict stands already.
"""

from __future__ import annotations

import cmath
import dataclasses
import enum
import itertools
import types
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from runner.sandbox.border.proxies import is_proxy
from runner.sandbox.report.texts import differing_texts, first_difference
from runner.sandbox.report.values import class_name, plain, show

_DEEPEST = 30
_MOST_LISTED = 5
_MOST_COUNTED = 10_000
_PART = 80
_SHORT = 40
# Enough to say that two values look the same.
_THOROUGHLY = 5_000
_LONG_NUMBER = 10**20
_MISSING = object()
_SEQUENCES = (list, tuple, deque)
_SIMPLE = (int, float, complex, str, bytes, bool, type(None))


@dataclass(slots=True)
class Difference:
    """A difference of two values: lines to read, and the index where the outermost begins.

    `subtle` are those lines that tell what can't be seen even if both values are shown in full.
    """

    at: int
    lines: list[str]
    subtle: list[str]


@dataclass(slots=True)
class _Step:
    """One level: the part to look into next, or else, if it has none, what there is to say."""

    at: int = 0
    part: tuple[str, Any, Any] | None = None
    lines: Iterable[str] = ()
    subtle: Iterable[str] = ()
    is_told: bool = False


def find_difference(left: Any, right: Any) -> Difference:
    """Follow the first difference down to what has no parts."""
    path = ""
    first = step = _look(left, right)
    besides: list[str] = []
    while step.part and path.count("[") + path.count(".") < _DEEPEST:
        besides += [f"{_at(path)}{line}" for line in step.lines]
        key, left, right = step.part
        path += key
        step = _look(left, right)
    lines = [f"{_at(path)}{line}" for line in step.lines]
    subtle = [f"{_at(path)}{line}" for line in step.subtle]
    if path and not step.is_told:
        at = step.at
        lines.insert(
            0, f"at {path}: {show(left, _PART, around=at)} != {show(right, _PART, around=at)}"
        )
    return Difference(first.at, lines + subtle + besides, subtle)


def _at(path: str) -> str:
    return f"at {path}: " if path else ""


def _look(left: Any, right: Any) -> _Step:
    """Return what there is to see at this level, by what kind of things they are."""
    for kind, look in _LOOKS:
        if isinstance(left, kind) and isinstance(right, kind):
            step: _Step = look(left, right)
            return step
    names = _field_names(left) if type(left) is type(right) else None
    if names:
        return _look_at_fields(names, left, right)
    return _Step(subtle=_look_alike(left, right))


def _is_different(left: Any, right: Any) -> bool:
    # As containers ask it of their items.
    return left is not right and not left == right  # noqa: SIM201


# --- with parts -----------------------------------------------------------------------------------


def _look_at_sequences(left: Any, right: Any) -> _Step:
    kind: Any = next(kind for kind in _SEQUENCES if isinstance(left, kind))
    names = _field_names(left) if kind is tuple and type(left) is type(right) else None
    lengths = (kind.__len__(left), kind.__len__(right))
    pairs = zip(kind.__iter__(left), kind.__iter__(right), strict=False)
    for index, (mine, other) in enumerate(pairs):
        if _is_different(mine, other):
            key = f".{names[index]}" if names and index < len(names) else f"[{index}]"
            return _Step(index, (key, mine, other), _compared_lengths(left, right, lengths))
    if lengths[0] == lengths[1]:
        return _Step(subtle=_look_alike(left, right), is_told=True)
    side, longer = ("left", left) if lengths[0] > lengths[1] else ("right", right)
    count = max(lengths) - min(lengths)
    more = _listed(itertools.islice(kind.__iter__(longer), min(lengths), None), count)
    line = f"only on the {side}, from [{min(lengths)}] on: {more}"
    return _Step(min(lengths), None, [line], is_told=True)


def _compared_lengths(left: Any, right: Any, lengths: tuple[int, int]) -> Iterator[str]:
    if lengths[0] != lengths[1]:
        yield f"the left has {_items(lengths[0])}, the right {lengths[1]}"
    elif lengths[0] <= _MOST_COUNTED and _is_reordered(left, right):
        yield "both have the same items, in another order"


def _items(count: int) -> str:
    return f"{count} item{'' if count == 1 else 's'}"


def _is_reordered(left: Iterable[Any], right: Iterable[Any]) -> bool:
    if not all(type(item) in _SIMPLE for item in itertools.chain(left, right)):
        return False
    return Counter(left) == Counter(right)


def _look_at_dicts(left: Any, right: Any) -> _Step:
    missing = [key for key in dict.keys(left) if not dict.__contains__(right, key)]
    extra = [key for key in dict.keys(right) if not dict.__contains__(left, key)]
    lines = [*_only(missing, "left"), *_only(extra, "right")]
    different: list[tuple[int, Any, Any, Any]] = []
    for index, (key, mine) in enumerate(dict.items(left)):
        other = dict.get(right, key, _MISSING)
        if other is not _MISSING and _is_different(mine, other):
            different.append((index, key, mine, other))
    if different:
        index, key, mine, other = different[0]
        if rest := [key for _, key, _, _ in different[1:]]:
            lines.append(f"different as well: {_listed(rest, len(rest))}")
        return _Step(index, (f"[{show(key, _PART)}]", mine, other), lines)
    at = next((i for i, key in enumerate(dict.keys(left)) if key in missing[:1]), 0)
    return _Step(
        at, None, lines, _look_alike(left, right) if not lines else (), is_told=bool(lines)
    )


def _look_at_sets(left: Any, right: Any) -> _Step:
    base = set if isinstance(left, set) else frozenset
    missing, extra = base.difference(left, right), base.difference(right, left)
    return _Step(0, None, [*_only(missing, "left"), *_only(extra, "right")], is_told=True)


def only_on_one_side(left: Any, right: Any) -> Difference:
    """Return the difference of two sets, one of which should be a part of the other."""
    return Difference(0, [*_look_at_sets(left, right).lines], [])


def _only(items: Any, side: str) -> Iterator[str]:
    if items:
        yield f"only on the {side}: {_listed(items, len(items))}"


def _listed(items: Iterable[Any], count: int) -> str:
    shown = ", ".join(
        show(item, _PART) for item in itertools.islice(_in_order(items), _MOST_LISTED)
    )
    return shown if count <= _MOST_LISTED else f"{shown} and {count - _MOST_LISTED} more"


def _in_order(items: Any) -> Iterable[Any]:
    if isinstance(items, set | frozenset) and len({type(item) for item in items} | {int, str}) == 2:
        return sorted(items, key=lambda item: (type(item) is str, item))
    return items  # type: ignore[no-any-return]


def _field_names(thing: Any) -> list[str] | None:
    """Return the names of what the values of a class are made of, if it makes that known."""
    kind = type(thing)
    fields = kind.__dict__.get("__dataclass_fields__")
    if type(fields) is dict and dataclasses.is_dataclass(kind):
        return [field.name for field in dataclasses.fields(kind) if field.compare]
    if issubclass(kind, tuple):
        names = getattr(kind, "_fields", None)
        return list(names) if type(names) is tuple else None
    if issubclass(kind, enum.Enum | types.ModuleType) or is_proxy(thing):
        return None
    attributes = getattr(thing, "__dict__", None)
    return [*attributes] if type(attributes) is dict else None


def _look_at_fields(names: list[str], left: Any, right: Any) -> _Step:
    different: list[tuple[str, Any, Any]] = []
    for name in names:
        sides: list[Any] = [getattr(side, name, _MISSING) for side in (left, right)]
        if all(side is not _MISSING for side in sides) and _is_different(*sides):
            different.append((f".{name}", sides[0], sides[1]))
    if not different:
        return _Step(subtle=_look_alike(left, right))
    rest = [name for name, _, _ in different[1:]]
    more = f" and {len(rest) - _MOST_LISTED} more" if len(rest) > _MOST_LISTED else ""
    lines = [f"different as well: {', '.join(rest[:_MOST_LISTED])}{more}"] if rest else []
    return _Step(0, different[0], lines)


# --- without parts --------------------------------------------------------------------------------


def _look_at_texts(left: str, right: str) -> _Step:
    left, right = plain(left), plain(right)
    lines, subtle = differing_texts(left, right)
    if len(left) + len(right) <= _SHORT:
        lines = []
    return _Step(first_difference(left, right), None, lines, subtle)


def _look_at_bytes(left: Any, right: Any) -> _Step:
    at = first_difference(b"".join((left,)), b"".join((right,)))
    return _Step(at, None, [f"first difference at byte {at}"])


def _look_at_numbers(left: Any, right: Any) -> _Step:
    if isinstance(left, int) and isinstance(right, int) and abs(left) < _LONG_NUMBER:
        return _Step()
    if any(not isinstance(side, int) and cmath.isnan(side) for side in (left, right)):
        return _Step(subtle=["nan equals nothing, not even itself"])
    difference = abs(left - right)
    told = show(difference, _PART) if isinstance(difference, int) else f"{difference:.3g}"
    return _Step(subtle=[f"they differ by {told}"])


def _look_alike(left: Any, right: Any) -> Iterator[str]:
    kinds: tuple[Any, Any] = (type(left), type(right))
    if {str, bytes} == set(kinds):
        yield "text and bytes are never equal"
        return
    if is_proxy(left) != is_proxy(right):
        kind = kinds[0] if is_proxy(left) else kinds[1]
        yield f"an object of the implementation's class {class_name(kind)} equals no plain data"
        return
    looks = (show(left, _THOROUGHLY), show(right, _THOROUGHLY))
    if looks[0] == looks[1]:
        if kinds[0] is not kinds[1]:
            yield f"the left is of type {class_name(kinds[0])}, the right of {class_name(kinds[1])}"
        elif kinds[0].__eq__ is object.__eq__:
            yield f"{class_name(kinds[0])} defines no __eq__, so every object equals itself only"
        else:
            yield "they look the same, but `==` says that they aren't"
    elif (at := first_difference(*looks)) > _PART // 2:
        parts = [f"…{look[at - _PART // 4 :][:_PART]}" for look in looks]
        yield f"first difference in how they look: {parts[0]} != {parts[1]}"


_LOOKS: tuple[tuple[Any, Any], ...] = (
    (dict, _look_at_dicts),
    *((kind, _look_at_sequences) for kind in _SEQUENCES),
    (set | frozenset, _look_at_sets),
    (str, _look_at_texts),
    (bytes | bytearray, _look_at_bytes),
    (int | float | complex, _look_at_numbers),
)
