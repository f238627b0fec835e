"""Where two texts differ first: in one line by the character, in several by their lines."""

from __future__ import annotations

import difflib
import itertools
import unicodedata
from collections.abc import Iterator

_LONGEST_LINE = 100
_MOST_LINES = 10
_MOST_COMPARED = 100
_CONTEXT = 2


def first_difference(left: str | bytes, right: str | bytes) -> int:
    """The index from which on they differ."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def differing_texts(left: str, right: str) -> tuple[list[str], list[str]]:
    """What can be seen in both of them, and what can't."""
    subtle = [*_kinds(left, right)]
    if "\n" in left[:-1] or "\n" in right[:-1]:
        return [*_lines(left, right)], subtle
    at = first_difference(left, right)
    if at == min(len(left), len(right)):
        return [f"the {'left' if len(left) > at else 'right'} goes on after character {at}"], subtle
    return [f"first difference at character {at}"], subtle


def _kinds(left: str, right: str) -> Iterator[str]:
    if left.casefold() == right.casefold():
        yield "they differ only in case"
    elif "".join(left.split()) == "".join(right.split()):
        yield "they differ only in whitespace"
    elif not (left.isascii() and right.isascii()) and _may_look_alike(left, right):
        at = first_difference(left, right)
        named = (_named(left[at : at + 1]), _named(right[at : at + 1]))
        yield f"character {at} is {named[0]} on the left, {named[1]} on the right"


def _may_look_alike(left: str, right: str) -> bool:
    if unicodedata.normalize("NFKC", left) == unicodedata.normalize("NFKC", right):
        return True
    at = first_difference(left, right)
    return len(left) == len(right) > 1 and left[at + 1 :] == right[at + 1 :]


def _named(character: str) -> str:
    if not character:
        return "nothing"
    return f"U+{ord(character):04X} {unicodedata.name(character, '')}".strip()


def _lines(left: str, right: str) -> Iterator[str]:
    mine, others = left.split("\n"), right.split("\n")
    pairs = enumerate(zip(mine, others, strict=False))
    first = next((i for i, (a, b) in pairs if a != b), min(len(mine), len(others)))
    yield f"first difference on line {first + 1} (- left, + right):"
    start = max(first - _CONTEXT, 0)
    shown = slice(start, first + _MOST_COMPARED)
    changes = _changes(mine[shown], others[shown])
    listed = list(itertools.islice(changes, _CONTEXT + _MOST_LINES + 1))
    yield from listed[: _CONTEXT + _MOST_LINES]
    if len(listed) > _CONTEXT + _MOST_LINES:
        yield "  …"


def _changes(mine: list[str], others: list[str]) -> Iterator[str]:
    matcher = difflib.SequenceMatcher(None, mine, others, autojunk=False)
    operations = matcher.get_opcodes()
    for number, (kind, a, b, c, d) in enumerate(operations):
        if kind == "equal":
            last = number == len(operations) - 1
            yield from (f"  {_line(line)}" for line in mine[a : a + _CONTEXT if last else b])
            continue
        for one, other in itertools.zip_longest(mine[a:b], others[c:d]):
            at = first_difference(one or "", other or "") if one and other else 0
            if one is not None:
                yield f"- {_line(one, at)}"
            if other is not None:
                yield f"+ {_line(other, at)}"


def _line(line: str, at: int = 0) -> str:
    start = max(0, at - _LONGEST_LINE * 2 // 3) if len(line) > _LONGEST_LINE else 0
    piece = line[start : start + _LONGEST_LINE]
    if not piece.isprintable() or piece[-1:].isspace():
        piece = repr(piece)
    return f"{'…' if start else ''}{piece}{'…' if start + _LONGEST_LINE < len(line) else ''}"
