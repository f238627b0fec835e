"""Values as text: short, on whatever value, and doing little more work than the text is long."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from typing import Any

LONGEST_VALUE = 200

# More of a text isn't searched for addresses.
_LONGEST_TEXT = 10_000
_DEEPEST = 6
# An int of more bits than this is long to write, and beyond 4300 digits Python refuses to.
_MOST_BITS = 4_000
_LEAST_ROOM = 12
_NAME: Any = type.__dict__["__name__"]
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_BRACKETS: dict[type, tuple[str, str]] = {
    list: ("[", "]"),
    tuple: ("(", ")"),
    set: ("{", "}"),
    frozenset: ("frozenset({", "})"),
    dict: ("{", "}"),
}


def show(value: object, room: int = LONGEST_VALUE, *, around: int = 0) -> str:
    """Return a value as Python writes it, in about `room` characters at most.

    Of something long, the part `around` that index is shown; an ellipsis stands for the rest. A
    repr that fails is no failure of ours, and an object of another process is asked for its own.
    """
    text = _shown(value, room, 0, ())
    return _shown(value, room, around, ()) if around and "…" in text else text


def cut(text: str, length: int) -> str:
    """Return a text without what is too much in its middle."""
    if len(text) <= length:
        return text
    kept = length - 3
    return f"{text[: kept - kept // 3]} … {text[len(text) - kept // 3 :]}"


def class_name(kind: type) -> str:
    """Return the name of a class, whatever its metaclass would answer."""
    return plain(_NAME.__get__(kind))


def plain(text: str) -> str:
    """Return a real str of it: one of a class of the test's own could answer anything."""
    return str.__str__(text)


def _shown(value: Any, room: int, around: int, inside_of: tuple[int, ...]) -> str:
    kind: Any = type(value)
    if kind is str or kind is bytes:
        return _quoted(value, room, around)
    if kind is int and value.bit_length() > _MOST_BITS:
        return f"<int of about {int(value.bit_length() * 0.30103)} digits>"
    if kind in _BRACKETS and value:
        return _bracketed(value, room, around, inside_of)
    if kind.__repr__ is object.__repr__:
        return f"<{class_name(kind)} object>"
    try:
        text = plain(repr(value))
    except BaseException:
        return f"<{class_name(kind)}, whose repr fails>"
    return cut(_ADDRESS.sub("", cut(text, _LONGEST_TEXT)), room)


def _quoted(value: str | bytes, room: int, around: int) -> str:
    if len(value) <= room and len(whole := repr(value)) <= room + 2:
        return whole
    length = room
    while True:
        start = max(0, min(around, len(value)) - length // 3)
        piece = repr(value[start : start + length])
        # Escapes take more room than what they stand for.
        if len(piece) <= room + 2 or length == 1:
            break
        length = length * 2 // 3
    what = "characters" if isinstance(value, str) else "bytes"
    before, after = "…" if start else "", "…" if start + length < len(value) else ""
    return f"{before}{piece}{after} ({len(value)} {what})"


def _bracketed(value: Any, room: int, around: int, inside_of: tuple[int, ...]) -> str:
    kind = type(value)
    opening, closing = _BRACKETS[kind]
    if id(value) in inside_of or len(inside_of) >= _DEEPEST:
        return f"{opening}…{closing}"
    inside_of += (id(value),)
    count = len(value)
    first = max(0, min(around - 1, count - 1))
    parts = [f"… {first} more"] if first else []
    left = room - len(opening) - len(closing) - sum(map(len, parts))
    shown = first
    for item in itertools.islice(_items(value), first, None):
        # The first ones may take most of the room, but never all that is left for the others.
        part = _item(item, max(left * 3 // 4, _LEAST_ROOM), kind is dict, inside_of)
        if shown > max(first, around) and len(part) + 2 > left:
            break
        parts.append(part)
        left -= len(part) + 2
        shown += 1
    if shown < count:
        parts.append(f"… {count - shown} more")
    if kind is tuple and count == 1:
        closing = ",)"
    return f"{opening}{', '.join(parts)}{closing}"


def _item(item: Any, room: int, is_pair: bool, inside_of: tuple[int, ...]) -> str:
    if not is_pair:
        return _shown(item, room, 0, inside_of)
    key = _shown(item[0], room // 2, 0, inside_of)
    return f"{key}: {_shown(item[1], max(room - len(key), _LEAST_ROOM), 0, inside_of)}"


def _items(value: Any) -> Iterable[Any]:
    if type(value) is dict:
        return value.items()
    if isinstance(value, set | frozenset) and all(type(item) in (int, str) for item in value):
        # In an order of its own a set would be another at every look.
        return sorted(value, key=lambda item: (type(item) is str, item))
    return value  # type: ignore[no-any-return]
