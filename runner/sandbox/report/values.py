"""Shows values as short text; works for all values, with effort proportional to the text."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from typing import Any

LONGEST_VALUE = 200

# Addresses are searched for only in the beginning of a text.
_LONGEST_TEXT = 10_000
_DEEPEST = 6
# Larger ints take long to write, and Python refuses more than 4300 digits.
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
    """Return the repr of a value, in about `room` characters at most.

    Of long values, the part `around` that index is shown, with ellipses for the rest. Errors of a
    repr are caught; proxies have the repr of their object.
    """
    text = _shown(value, room, 0, ())
    return _shown(value, room, around, ()) if around and "…" in text else text


def cut(text: str, length: int) -> str:
    """Shorten a text by removing its middle."""
    if len(text) <= length:
        return text
    kept = length - 3
    return f"{text[: kept - kept // 3]} … {text[len(text) - kept // 3 :]}"


def class_name(kind: type) -> str:
    """Return the name of a class, without calling its metaclass."""
    return plain(_NAME.__get__(kind))


def plain(text: str) -> str:
    """Return an exact `str`, because a subclass of the user's could override anything."""
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
        # Escapes are longer than the characters they stand for.
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
        # An item may take most of the room that is left, but not all.
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
        # Sorted, because the order of a set may differ each time.
        return sorted(value, key=lambda item: (type(item) is str, item))
    return value  # type: ignore[no-any-return]
