"""Tables of plain data: what crosses as a single item, containers, and names of builtins."""

from __future__ import annotations

import array
import base64
import builtins
import contextlib
import datetime as dt
import ipaddress
import re
import sys
import time
import types
import uuid
import warnings
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Collection, Iterable
from decimal import Decimal
from enum import Enum, Flag, IntEnum, IntFlag, StrEnum
from fractions import Fraction
from pathlib import PosixPath, PurePosixPath, PureWindowsPath
from types import NoneType
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

# What JSON carries by itself: these need no tag. An int does too, unless it is large.
ATOMS = frozenset({NoneType, bool, int, float, str})
LARGE = 1 << 512  # decimal digits of larger ones take more than linear time
# Many numbers of one type are sent as their bytes: as few for each as these arrays allow.
_CODES: dict[type, str] = {int: "iq", float: "d"}
_MANY = 16
_LONGEST_PATTERN = 100_000


class Malformed(ValueError):
    """Something that no honest process sends."""


class Uncrossable(ValueError):
    """A value that can't be sent; the message says why."""


def are_atoms(values: Iterable[Any]) -> bool:
    """Tell whether these are sent as they are."""
    for value in values:
        kind = type(value)
        if kind not in ATOMS or (kind is int and not -LARGE < value < LARGE):
            return False
    return True


def pack_atoms(values: list[Any]) -> list[Any] | str | None:
    """Return what a list of atoms is sent as; None if its items must be written one by one."""
    kinds = {*map(type, values)}
    if len(values) >= _MANY and len(kinds) == 1:
        for code in _CODES.get(next(iter(kinds)), ""):
            # Ints that need more than eight bytes stay as they are.
            with contextlib.suppress(OverflowError):
                return code + _bytes_part(array.array(code, values))
    if not kinds <= ATOMS:
        return None
    if int in kinds:
        numbers = values if len(kinds) == 1 else [each for each in values if type(each) is int]
        if min(numbers) <= -LARGE or max(numbers) >= LARGE:
            return None
    return values


def unpack_atoms(packed: str) -> list[Any]:
    """Read numbers that were packed; raises ValueError where they weren't."""
    code, content = packed[0], packed[1:]
    if code not in "".join(_CODES.values()):
        raise Malformed("numbers of an unknown type")
    numbers = array.array(code)
    numbers.frombytes(_read_bytes(content))
    return numbers.tolist()


def _bytes_part(value: bytes | array.array[Any]) -> str:
    return base64.b64encode(value).decode("ascii")


def _read_bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


# --- what crosses as a single item: its parts, which are plain themselves -------------------------


class Plain(NamedTuple):
    """How to take values of a type apart, and how to build them of parts of these types."""

    parts: Callable[[Any], tuple[Any, ...]]
    build: Callable[..., Any]
    types: frozenset[type]

    def take_apart(self, value: Any) -> tuple[Any, ...] | None:
        """Return the parts, or None where one is of another type, as a class of somebody's own."""
        parts = self.parts(value)
        return parts if self.types.issuperset(map(type, parts)) else None

    def put_together(self, parts: Iterable[Any]) -> Any:
        """Build a value of parts that anybody may have sent; raises whatever nonsense leads to."""
        parts = [*parts]
        if not self.types.issuperset(map(type, parts)):
            raise Malformed("parts of other types")
        return self.build(*parts)


def _time_parts(value: Any) -> tuple[Any, ...]:
    parts = (value.hour, value.minute, value.second, value.microsecond, value.tzinfo, value.fold)
    return (value.year, value.month, value.day, *parts) if type(value) is dt.datetime else parts


def _with_fold(kind: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *parts: kind(*parts[:-1], fold=parts[-1])


def _pattern(pattern: str | bytes, flags: int) -> re.Pattern[Any]:
    if len(pattern) > _LONGEST_PATTERN:
        raise Malformed("a pattern that is too long")
    with warnings.catch_warnings(action="ignore"):
        return re.compile(pattern, flags & ~re.DEBUG)


def _view(content: bytes, form: str, is_readonly: bool) -> memoryview:
    made: Any = memoryview(content if is_readonly else bytearray(content))
    return made.cast(form)  # type: ignore[no-any-return]


def _plain(parts: Callable[[Any], tuple[Any, ...]], build: Callable[..., Any], *of: type) -> Plain:
    return Plain(parts, build, frozenset(of))


_AS_TEXT: tuple[Any, ...] = (
    *(PurePosixPath, PureWindowsPath, PosixPath),
    *(ipaddress.IPv4Address, ipaddress.IPv4Network, ipaddress.IPv4Interface),
    *(ipaddress.IPv6Address, ipaddress.IPv6Network, ipaddress.IPv6Interface),
)
_OF_TIME = (int, NoneType, dt.timezone, ZoneInfo)
PLAIN: dict[type, Plain] = {
    bytes: _plain(lambda v: (_bytes_part(v),), _read_bytes, str),
    complex: _plain(lambda v: (v.real, v.imag), complex, float),
    range: _plain(lambda v: (v.start, v.stop, v.step), range, int),
    slice: _plain(lambda v: (v.start, v.stop, v.step), slice, int, NoneType),
    Decimal: _plain(lambda v: (str(v),), Decimal, str),
    Fraction: _plain(lambda v: (v.numerator, v.denominator), Fraction, int),
    dt.date: _plain(lambda v: (v.year, v.month, v.day), dt.date, int),
    dt.time: _plain(_time_parts, _with_fold(dt.time), *_OF_TIME),
    dt.datetime: _plain(_time_parts, _with_fold(dt.datetime), *_OF_TIME),
    dt.timedelta: _plain(lambda v: (v.days, v.seconds, v.microseconds), dt.timedelta, int),
    dt.timezone: _plain(lambda v: v.__getinitargs__(), dt.timezone, dt.timedelta, str),
    ZoneInfo: _plain(lambda v: (v.key,), ZoneInfo, str),
    uuid.UUID: _plain(lambda v: (v.hex,), uuid.UUID, str),
    **{kind: _plain(lambda v: (str(v),), kind, str) for kind in _AS_TEXT},
    time.struct_time: _plain(
        lambda v: (*v, v.tm_zone, v.tm_gmtoff),
        lambda *parts: time.struct_time(parts),
        *(int, str, NoneType),
    ),
    re.Pattern: _plain(lambda v: (v.pattern, v.flags), _pattern, str, bytes, int),
}
# Changed in place, and of bytes or numbers only: written back like containers.
BUFFERS: dict[type, Plain] = {
    bytearray: _plain(lambda v: (bytes(v),), bytearray, bytes),
    array.array: _plain(lambda v: (v.typecode, v.tobytes()), array.array, str, bytes),
    memoryview: _plain(lambda v: (v.tobytes(), v.format, v.readonly), _view, bytes, str, bool),
}
# By tag.
BUILDERS = {kind.__name__: each for kind, each in (PLAIN | BUFFERS).items()} | {
    "int": _plain(lambda v: (hex(v),), lambda text: int(text, 16), str)  # a large one
}

# --- containers -----------------------------------------------------------------------------------

MOST_PLACES = 1_000_000  # containers in one message
MAPPINGS = (dict, OrderedDict, Counter, defaultdict)
MUTABLE: dict[type, str] = {kind: kind.__name__ for kind in (list, set, deque, *MAPPINGS, *BUFFERS)}
# Views of a dict cross as those of another: what one is equal to, its items tell.
VIEWS: dict[type, str] = {
    type(getattr(kind(), name)()): f"dict_{name}"
    for kind in (dict, OrderedDict)
    for name in ("keys", "values", "items")
}
TAGS: dict[type, str] = {tuple: "tuple", frozenset: "frozenset", **VIEWS, **MUTABLE}
# How a frozen container is made, of lists of what is in it.
FREEZE: dict[str, Callable[..., Any]] = {
    "tuple": tuple,
    "frozenset": frozenset,
    "dict_keys": lambda keys: dict.fromkeys(keys).keys(),
    "dict_values": lambda values: dict(enumerate(values)).values(),
    "dict_items": lambda keys, values: dict(zip(keys, values, strict=True)).items(),
}


def container_type(value: object) -> Any:
    """Return the type of container that can be changed in place and that this is, or extends."""
    kind = type(value)
    return kind if kind in MUTABLE else next((k for k in kind.__mro__ if k in MUTABLE), None)


def fill(container: Any, kind: Any, content: Any) -> None:
    """Add content to an empty container that is of this type, or extends it."""
    # A counter would count what it is given.
    add = kind.extend if kind in (list, deque) else (dict if kind is Counter else kind).update
    add(container, content)


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
_MORE: tuple[type, ...] = (
    *(Enum, IntEnum, StrEnum, Flag, IntFlag),
    *(*MUTABLE, *PLAIN, NoneType, type(...), type(NotImplemented)),
    # Of most objects that cross by handle; known by name, they need no description.
    *(types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.GeneratorType),
)
BY_NAME: dict[str, Any] = {
    **{name: getattr(builtins, name) for name in (*_FUNCTIONS, *_CLASSES, *_EXCEPTIONS)},
    **{each.__name__: each for each in _MORE},
    "Ellipsis": ...,
    "NotImplemented": NotImplemented,
}
# By identity: what is asked may be unhashable, or lie about being equal.
NAME_OF: dict[int, str] = {id(thing): name for name, thing in BY_NAME.items()}

# --- classes of the standard library, which both processes have -----------------------------------

# Whoever judges relies on what is one of these, and `asyncio` on its own.
_RELIED_ON = frozenset({"asyncio", "enum", "unittest"})


def standard_class(modules: Collection[str], module: object, name: object) -> type | None:
    """Return the public class that one of these modules defines under this name."""
    if module in modules and type(module) is type(name) is str and name[:1] != "_":
        found = vars(sys.modules.get(module, types)).get(name)
        if isinstance(found, type) and standard_name(modules, found)[1:] == (name,):
            return found
    return None


def standard_name(modules: Collection[str], cls: type) -> tuple[str, ...]:
    """Return module and name of a public class of one of these modules; empty for any other."""
    # One that is made in C belongs to another module than the one that it is known by.
    name, own = cls.__qualname__, cls.__module__
    for module in (own, own.removeprefix("_")) if type(own) is str else ():
        if module in modules and vars(sys.modules.get(module, types)).get(name) is cls:
            return (module, name) if name[:1] != "_" else ()
    return ()


def is_shown(cls: type) -> bool:
    """Tell whether objects of another process may be seen as objects of this class."""
    is_relied_on = id(cls) in NAME_OF or issubclass(cls, type | BaseException)
    return not is_relied_on and cls.__module__.partition(".")[0] not in _RELIED_ON
