"""Finds the first difference of two values that should be equal.

This compares them again, which runs user code and calls other processes. It can't change the
verdict, which stands already.
"""

from __future__ import annotations

import cmath
import dataclasses
import difflib
import enum
import itertools
import types
import unicodedata
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from runner.sandbox.border.proxies import is_proxy
from runner.sandbox.report.values import class_name, plain, show

_DEEPEST = 30
_MOST_LISTED = 5
_MOST_COUNTED = 10_000
_PART = 80
_SHORT = 40
# Enough characters to claim that two values look the same.
_THOROUGHLY = 5_000
_LONG_NUMBER = 10**20
# Of texts of several lines.
_LONGEST_LINE = 100
_MOST_LINES = 12
_MOST_COMPARED = 100
_CONTEXT = 2
_SEQUENCES = (list, tuple, deque)
_SIMPLE = (int, float, complex, str, bytes, bool, type(None))


@dataclass(slots=True)
class Difference:
    """A difference of two values: lines of text, and the index where the outermost values differ.

    `subtle` are the lines about differences that are invisible even if both values are shown in
    full.
    """

    at: int
    lines: list[str]
    subtle: list[str]


@dataclass(slots=True)
class _Step:
    """The result for one level: the part to compare next, or lines if there is none."""

    at: int = 0
    part: tuple[str, Any, Any] | None = None
    lines: Iterable[str] = ()
    subtle: Iterable[str] = ()
    is_told: bool = False


def find_difference(left: Any, right: Any) -> Difference:
    """Follow the first difference down to values without parts."""
    path = where = ""
    first = step = _look(left, right)
    besides: list[str] = []
    while step.part and path.count("[") + path.count(".") < _DEEPEST:
        besides += [f"{where}{line}" for line in step.lines]
        key, left, right = step.part
        path += key
        where = f"at {path}: "
        step = _look(left, right)
    lines = [f"{where}{line}" for line in step.lines]
    subtle = [f"{where}{line}" for line in step.subtle]
    if path and not step.is_told:
        sides = [show(side, _PART, around=step.at) for side in (left, right)]
        lines.insert(0, f"{where}{sides[0]} != {sides[1]}")
    return Difference(first.at, lines + subtle + besides, subtle)


def only_on_one_side(left: Any, right: Any) -> Difference:
    """Return the difference of two sets, one of which should be a subset of the other."""
    return Difference(0, [*_look_at_sets(left, right).lines], [])


def _look(left: Any, right: Any) -> _Step:
    """Compare two values at this level, according to their types."""
    for kind, look in _LOOKS:
        if isinstance(left, kind) and isinstance(right, kind):
            step: _Step = look(left, right)
            return step
    names = _field_names(left) if type(left) is type(right) else None
    fields = [
        (name, getattr(left, name), getattr(right, name))
        for name in names or ()
        if hasattr(left, name) and hasattr(right, name)
    ]
    return _first_part(fields, ".{}".format) or _Step(subtle=_look_alike(left, right))


def _is_different(left: Any, right: Any) -> bool:
    # As containers compare their items.
    return left is not right and not left == right  # noqa: SIM201


# --- with parts -----------------------------------------------------------------------------------


def _look_at_sequences(left: Any, right: Any) -> _Step:
    kind: Any = next(kind for kind in _SEQUENCES if isinstance(left, kind))
    names = (_field_names(left) if kind is tuple and type(left) is type(right) else None) or []
    lengths = (kind.__len__(left), kind.__len__(right))
    pairs = zip(kind.__iter__(left), kind.__iter__(right), strict=False)
    for index, (mine, other) in enumerate(pairs):
        if _is_different(mine, other):
            key = f".{names[index]}" if index < len(names) else f"[{index}]"
            return _Step(index, (key, mine, other), _compared_lengths(left, right, lengths))
    if lengths[0] == lengths[1]:
        return _Step(subtle=_look_alike(left, right), is_told=True)
    side, longer = ("left", left) if lengths[0] > lengths[1] else ("right", right)
    more = _listed(itertools.islice(kind.__iter__(longer), min(lengths), None))
    line = f"only on the {side}, from [{min(lengths)}] on: {more}"
    return _Step(min(lengths), None, [line], is_told=True)


def _compared_lengths(left: Any, right: Any, lengths: tuple[int, int]) -> Iterator[str]:
    if lengths[0] != lengths[1]:
        items = f"{lengths[0]} item{'' if lengths[0] == 1 else 's'}"
        yield f"the left has {items}, the right {lengths[1]}"
    elif (
        lengths[0] <= _MOST_COUNTED
        and all(type(item) in _SIMPLE for item in itertools.chain(left, right))
        and Counter(left) == Counter(right)
    ):
        yield "both have the same items, in another order"


def _look_at_dicts(left: Any, right: Any) -> _Step:
    missing = [key for key in dict.keys(left) if not dict.__contains__(right, key)]
    extra = [key for key in dict.keys(right) if not dict.__contains__(left, key)]
    lines = [*_only(missing, "left"), *_only(extra, "right")]
    # Keys on one side only are listed already.
    parts = [(key, mine, dict.get(right, key, mine)) for key, mine in dict.items(left)]
    if step := _first_part(parts, lambda key: f"[{show(key, _PART)}]", lines):
        return step
    if not lines:
        return _Step(subtle=_look_alike(left, right))
    at = next((i for i, key in enumerate(dict.keys(left)) if key in missing[:1]), 0)
    return _Step(at, None, lines, is_told=True)


def _look_at_sets(left: Any, right: Any) -> _Step:
    base = set if isinstance(left, set) else frozenset
    missing, extra = base.difference(left, right), base.difference(right, left)
    return _Step(0, None, [*_only(missing, "left"), *_only(extra, "right")], is_told=True)


def _first_part(
    parts: list[tuple[Any, Any, Any]], named: Callable[[Any], str], lines: Iterable[str] = ()
) -> _Step | None:
    """Return a step for the first part that differs, and list the others; None if none differs."""
    different = [at for at, (_, mine, other) in enumerate(parts) if _is_different(mine, other)]
    if not different:
        return None
    at, *others = different
    key, mine, other = parts[at]
    if others:
        rest = _listed((parts[each][0] for each in others), named)
        lines = [*lines, f"different as well: {rest}"]
    return _Step(at, (named(key), mine, other), lines)


def _only(items: Any, side: str) -> Iterator[str]:
    if items:
        if {type(item) for item in items} in ({int}, {str}):
            items = sorted(items) if isinstance(items, set | frozenset) else items
        yield f"only on the {side}: {_listed(items)}"


def _listed(
    items: Iterable[Any], named: Callable[[Any], str] = lambda item: show(item, _PART)
) -> str:
    remaining = iter(items)
    shown = ", ".join(map(named, itertools.islice(remaining, _MOST_LISTED)))
    more = sum(1 for _ in remaining)
    return f"{shown} and {more} more" if more else shown


def _field_names(thing: Any) -> list[str] | None:
    """Return the names of a value's fields or attributes; None if they are unknown."""
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


# --- without parts --------------------------------------------------------------------------------


def _look_at_texts(left: str, right: str) -> _Step:
    left, right = plain(left), plain(right)
    at = first_difference(left, right)
    if len(left) + len(right) <= _SHORT:
        lines = []
    elif "\n" in left[:-1] or "\n" in right[:-1]:
        lines = [*_lines(left, right)]
    elif at == min(len(left), len(right)):
        lines = [f"the {'left' if len(left) > at else 'right'} goes on after character {at}"]
    else:
        lines = [f"first difference at character {at}"]
    return _Step(at, None, lines, _kinds(left, right, at))


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


def first_difference(left: str | bytes, right: str | bytes) -> int:
    """Return the index of the first difference."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _kinds(left: str, right: str, at: int) -> Iterator[str]:
    if left.casefold() == right.casefold():
        yield "they differ only in case"
    elif "".join(left.split()) == "".join(right.split()):
        yield "they differ only in whitespace"
    elif not (left.isascii() and right.isascii()) and (
        unicodedata.normalize("NFKC", left) == unicodedata.normalize("NFKC", right)
        or (len(left) == len(right) > 1 and left[at + 1 :] == right[at + 1 :])
    ):
        named = (_named(left[at : at + 1]), _named(right[at : at + 1]))
        yield f"character {at} is {named[0]} on the left, {named[1]} on the right"


def _named(character: str) -> str:
    if not character:
        return "nothing"
    return f"U+{ord(character):04X} {unicodedata.name(character, '')}".strip()


def _lines(left: str, right: str) -> Iterator[str]:
    mine, others = left.split("\n"), right.split("\n")
    pairs = enumerate(zip(mine, others, strict=False))
    first, at = next(
        ((line, first_difference(a, b)) for line, (a, b) in pairs if a != b),
        (min(len(mine), len(others)), 0),
    )
    yield f"first difference on line {first + 1} (- left, + right):"
    shown = slice(max(first - _CONTEXT, 0), first + _MOST_COMPARED)
    changes = difflib.unified_diff(mine[shown], others[shown], n=_CONTEXT, lineterm="")
    # Skip the header.
    for number, line in enumerate(itertools.islice(changes, 3, None)):
        if line[0] == "@" or number == _MOST_LINES:
            yield "  …"
            return
        yield f"{line[0]} {_line(line[1:], at if line[0] != ' ' else 0)}"


def _line(line: str, at: int = 0) -> str:
    start = max(0, at - _LONGEST_LINE * 2 // 3) if len(line) > _LONGEST_LINE else 0
    piece = line[start : start + _LONGEST_LINE]
    if not piece.isprintable() or piece[-1:].isspace():
        piece = repr(piece)
    return f"{'…' if start else ''}{piece}{'…' if start + _LONGEST_LINE < len(line) else ''}"


_LOOKS: tuple[tuple[Any, Any], ...] = (
    (dict, _look_at_dicts),
    *((kind, _look_at_sequences) for kind in _SEQUENCES),
    (set | frozenset, _look_at_sets),
    (str, _look_at_texts),
    (bytes | bytearray, _look_at_bytes),
    (int | float | complex, _look_at_numbers),
)
