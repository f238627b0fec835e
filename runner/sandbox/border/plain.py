"""Plain data that crosses as a single item: numbers, dates, paths, patterns, names of builtins.

Each type has a tag, and two functions: one gives the item's parts, the other builds a value from
parts that anybody may have sent.
"""

from __future__ import annotations

import array
import base64
import builtins
import datetime as dt
import re
import types
import uuid
import warnings
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from decimal import Decimal
from enum import Enum, Flag, IntEnum, IntFlag, StrEnum
from fractions import Fraction
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

# What JSON carries by itself: these need no tag. An int does too, unless it is large.
ATOMS = frozenset({type(None), bool, int, float, str})
LARGE = 1 << 512  # decimal digits of larger ones take more than linear time
_LONGEST_PATTERN = 100_000

Parts = list[Any]


class Malformed(ValueError):
    """Something that no honest process sends."""


def _integer(value: object) -> int:
    if type(value) is int:
        return value
    if type(value) is str:
        return int(value, 16)
    raise Malformed("a number was expected")


def integer_part(value: int) -> int | str:
    """An int as part of an item; a large one is written in hexadecimal digits."""
    return value if -LARGE < value < LARGE else hex(value)


def _text(value: object) -> str:
    if type(value) is not str:
        raise Malformed("a text was expected")
    return value


def read_bytes(value: object) -> bytes:
    """Read what `bytes_part` wrote."""
    return base64.b64decode(_text(value), validate=True)


def bytes_part(value: bytes | bytearray | array.array[Any]) -> str:
    """Bytes as part of an item."""
    return base64.b64encode(value).decode("ascii")


# --- dates ----------------------------------------------------------------------------------------


def _microseconds(delta: dt.timedelta) -> int:
    return delta // dt.timedelta(microseconds=1)


def _zone_parts(zone: dt.tzinfo | None) -> Parts | None:
    if zone is None:
        return []
    if type(zone) is ZoneInfo and zone.key:
        return [zone.key]
    if type(zone) is not dt.timezone:
        return None
    offset = _microseconds(zone.utcoffset(None))
    # The name, where it isn't the one that the offset gives.
    default = str(dt.timezone(zone.utcoffset(None)))
    return [offset] if str(zone) == default else [offset, str(zone)]


def _zone(offset: object, *name: object) -> dt.tzinfo:
    if type(offset) is str:
        try:
            return ZoneInfo(offset)
        except (ZoneInfoNotFoundError, ValueError):
            raise Malformed("an unknown time zone") from None
    delta = dt.timedelta(microseconds=_integer(offset))
    if not name:
        return dt.UTC if not delta else dt.timezone(delta)
    return dt.timezone(delta, *map(_text, name))


def _zone_or_none(parts: object) -> dt.tzinfo | None:
    if type(parts) is not list:
        raise Malformed("a time zone was expected")
    return _zone(*parts) if parts else None


def _time_parts(value: dt.time) -> Parts | None:
    zone = _zone_parts(value.tzinfo)
    if zone is None:
        return None
    return [value.hour, value.minute, value.second, value.microsecond, value.fold, zone]


def _time(*parts: Any) -> dt.time:
    hour, minute, second, microsecond, fold, zone = parts
    hour, minute, second, microsecond = map(_integer, (hour, minute, second, microsecond))
    tzinfo = _zone_or_none(zone)
    return dt.time(hour, minute, second, microsecond, tzinfo, fold=_integer(fold))


def _datetime_parts(value: dt.datetime) -> Parts | None:
    time = _time_parts(value.timetz())
    return time and [value.toordinal(), *time]


def _datetime(day: object, *time: Any) -> dt.datetime:
    return dt.datetime.combine(dt.date.fromordinal(_integer(day)), _time(*time))


# --- others ---------------------------------------------------------------------------------------


def _pattern(text: object, kind: object, flags: object) -> re.Pattern[Any]:
    pattern = read_bytes(text) if kind else _text(text)
    if len(pattern) > _LONGEST_PATTERN:
        raise Malformed("a pattern that is too long")
    with warnings.catch_warnings(action="ignore"):
        return re.compile(pattern, _integer(flags) & ~re.DEBUG)


def _pattern_parts(value: re.Pattern[Any]) -> Parts:
    if isinstance(value.pattern, bytes):
        return [bytes_part(value.pattern), 1, value.flags]
    return [value.pattern, 0, value.flags]


def _array(code: object, content: object) -> array.array[Any]:
    made = array.array(_text(code))
    made.frombytes(read_bytes(content))
    return made


def _slice_parts(value: slice) -> Parts | None:
    parts = [value.start, value.stop, value.step]
    if not all(part is None or type(part) is int for part in parts):
        return None
    return [None if part is None else integer_part(part) for part in parts]


def _slice(*parts: object) -> slice:
    start, stop, step = (None if part is None else _integer(part) for part in parts)
    return slice(start, stop, step)


def _integers(value: range) -> Parts:
    return [integer_part(part) for part in (value.start, value.stop, value.step)]


# Gives the parts, or None where this value of the type isn't plain.
Dismantle = Callable[[Any], Parts | None]
Build = Callable[..., Any]

_TYPES: tuple[tuple[type, str, Dismantle, Build], ...] = (
    (complex, "complex", lambda v: [v.real, v.imag], lambda r, i: complex(float(r), float(i))),
    (bytes, "bytes", lambda v: [bytes_part(v)], read_bytes),
    (range, "range", _integers, lambda *parts: range(*map(_integer, parts))),
    (slice, "slice", _slice_parts, _slice),
    (Decimal, "Decimal", lambda v: [str(v)], lambda text: Decimal(_text(text))),
    (
        Fraction,
        "Fraction",
        lambda v: [integer_part(v.numerator), integer_part(v.denominator)],
        lambda *parts: Fraction(*map(_integer, parts)),
    ),
    (
        dt.date,
        "date",
        lambda v: [v.toordinal()],
        lambda day: dt.date.fromordinal(_integer(day)),
    ),
    (dt.time, "time", _time_parts, _time),
    (dt.datetime, "datetime", _datetime_parts, _datetime),
    (
        dt.timedelta,
        "timedelta",
        lambda v: [_microseconds(v)],
        lambda part: dt.timedelta(microseconds=_integer(part)),
    ),
    (dt.timezone, "timezone", _zone_parts, _zone),
    (ZoneInfo, "ZoneInfo", _zone_parts, _zone),
    (uuid.UUID, "UUID", lambda v: [v.hex], lambda text: uuid.UUID(hex=_text(text))),
    (
        PurePosixPath,
        "PurePosixPath",
        lambda v: [str(v)],
        lambda text: PurePosixPath(_text(text)),
    ),
    (
        PureWindowsPath,
        "PureWindowsPath",
        lambda v: [str(v)],
        lambda text: PureWindowsPath(_text(text)),
    ),
    (re.Pattern, "Pattern", _pattern_parts, _pattern),
    (type(...), "Ellipsis", lambda _: [], lambda: ...),
    (type(NotImplemented), "NotImplemented", lambda _: [], lambda: NotImplemented),
)

DISMANTLE: dict[type, tuple[str, Dismantle]] = {
    kind: (tag, parts) for kind, tag, parts, _ in _TYPES
}
BUILD: dict[str, Build] = {tag: build for _, tag, _, build in _TYPES} | {
    "int": lambda text: int(_text(text), 16)
}

# These have no parts where a class of somebody's own is in them.
ZONED = frozenset((dt.time, dt.datetime, ZoneInfo))

# Changed in place, and of bytes or numbers only: written back like containers.
BUFFERS: dict[type, tuple[str, Callable[[Any], Parts], Build]] = {
    bytearray: ("bytearray", lambda v: [bytes_part(v)], lambda text: bytearray(read_bytes(text))),
    array.array: ("array", lambda v: [v.typecode, bytes_part(v.tobytes())], _array),
}

# --- names of builtins ----------------------------------------------------------------------------

# Of functions only those that read their arguments and nothing else: whoever receives one may call
# it with what the sender has chosen.
_FUNCTIONS = """
abs all any ascii bin chr divmod format hash hex len max min oct ord pow repr round sorted sum
""".split()
_CLASSES = """
bool bytearray bytes complex dict float frozenset int list object range set slice str tuple
""".split()
_EXCEPTIONS = [
    name
    for name, thing in vars(builtins).items()
    if isinstance(thing, type) and issubclass(thing, BaseException)
]

# Of most objects that cross by handle; known by name, they need no description.
CALLABLES: tuple[type, ...] = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.GeneratorType,
)

BY_NAME: dict[str, Any] = {
    **{each.__name__: each for each in (Enum, IntEnum, StrEnum, Flag, IntFlag)},
    **{name: getattr(builtins, name) for name in (*_FUNCTIONS, *_CLASSES, *_EXCEPTIONS)},
    **{each.__name__: each for each in (Counter, OrderedDict, defaultdict, deque)},
    **{kind.__name__: kind for kind, *_ in _TYPES},
    **{kind.__name__: kind for kind in BUFFERS},
    **{kind.__name__: kind for kind in CALLABLES},
    "NoneType": type(None),
}
# By identity: what is asked may be unhashable, or lie about being equal.
NAME_OF: dict[int, str] = {id(thing): name for name, thing in BY_NAME.items()}
FACTORIES = frozenset(_CLASSES) | {"Counter", "OrderedDict", "deque", "NoneType", "Decimal"}
