"""Tables of plain data: single items, containers, and builtins that cross by name."""

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

# JSON values, which need no tag. (Large ints do.)
ATOMS = frozenset({NoneType, bool, int, float, str})
LARGE = 1 << 512  # conversion of larger ints to decimals takes more than linear time
# Many numbers of one type are sent as the bytes of the smallest of these arrays that fits.
_CODES: dict[type, str] = {int: "iq", float: "d"}
_MANY = 16
_LONGEST_PATTERN = 100_000


class Malformed(ValueError):
    """A violation of the border's protocol, which only an attack can cause."""


class Uncrossable(ValueError):
    """A value can't be sent; the message has the reason."""


def are_atoms(values: Iterable[Any]) -> bool:
    """Return whether all values are atoms, which are sent as they are."""
    for value in values:
        kind = type(value)
        if kind not in ATOMS or (kind is int and not -LARGE < value < LARGE):
            return False
    return True


def pack_atoms(values: list[Any]) -> list[Any] | str | None:
    """Return the encoded form of a list of atoms; None if items must be encoded one by one."""
    kinds = {*map(type, values)}
    if len(values) >= _MANY and len(kinds) == 1:
        for code in _CODES.get(next(iter(kinds)), ""):
            # Ints of more than eight bytes don't fit.
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
    """Return packed numbers; raises ValueError for invalid text."""
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


# --- single items, with parts that are plain themselves -------------------------------------------


class Plain(NamedTuple):
    """Functions to split values of a type into parts of these types, and to rebuild them."""

    parts: Callable[[Any], tuple[Any, ...]]
    build: Callable[..., Any]
    types: frozenset[type]

    def take_apart(self, value: Any) -> tuple[Any, ...] | None:
        """Return the parts; None if one is of another type, such as a user's subclass."""
        parts = self.parts(value)
        return parts if self.types.issuperset(map(type, parts)) else None

    def put_together(self, parts: Iterable[Any]) -> Any:
        """Build a value of untrusted parts; invalid ones may raise any exception."""
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
# Mutable types of bytes or numbers, which are written back like containers.
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
# Views of a dict cross as views of another dict with the same items.
VIEWS: dict[type, str] = {
    type(getattr(kind(), name)()): f"dict_{name}"
    for kind in (dict, OrderedDict)
    for name in ("keys", "values", "items")
}
TAGS: dict[type, str] = {tuple: "tuple", frozenset: "frozenset", **VIEWS, **MUTABLE}
# Functions to make frozen containers from lists of their content.
FREEZE: dict[str, Callable[..., Any]] = {
    "tuple": tuple,
    "frozenset": frozenset,
    "dict_keys": lambda keys: dict.fromkeys(keys).keys(),
    "dict_values": lambda values: dict(enumerate(values)).values(),
    "dict_items": lambda keys, values: dict(zip(keys, values, strict=True)).items(),
}


def container_type(value: object) -> Any:
    """Return the mutable container type that a value has or extends; None for other values."""
    kind = type(value)
    return kind if kind in MUTABLE else next((k for k in kind.__mro__ if k in MUTABLE), None)


def fill(container: Any, kind: Any, content: Any) -> None:
    """Add content to an empty container of this type, or of a class that extends it."""
    # `dict.update` for a Counter, whose own would count.
    add = kind.extend if kind in (list, deque) else (dict if kind is Counter else kind).update
    add(container, content)


# --- names of builtins ----------------------------------------------------------------------------

# Only functions that have no effects, because the receiver may call them with arguments that the
# sender has chosen.
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
    # The classes of most objects that cross by handle; by name, they need no description.
    *(types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.GeneratorType),
)
BY_NAME: dict[str, Any] = {
    **{name: getattr(builtins, name) for name in (*_FUNCTIONS, *_CLASSES, *_EXCEPTIONS)},
    **{each.__name__: each for each in _MORE},
    "Ellipsis": ...,
    "NotImplemented": NotImplemented,
}
# By identity, because objects may be unhashable or have a deceptive `__eq__`.
NAME_OF: dict[int, str] = {id(thing): name for name, thing in BY_NAME.items()}

# --- classes of the standard library, which both processes have -----------------------------------

# Foreign objects must not pass for instances of these modules' classes.
_RELIED_ON = frozenset({"asyncio", "enum", "unittest"})


def standard_class(modules: Collection[str], module: object, name: object) -> type | None:
    """Return the public class of this name in one of these modules; None for other names."""
    if module in modules and type(module) is type(name) is str and name[:1] != "_":
        found = vars(sys.modules.get(module, types)).get(name)
        if isinstance(found, type) and standard_name(modules, found)[1:] == (name,):
            return found
    return None


def standard_name(modules: Collection[str], cls: type) -> tuple[str, ...]:
    """Return module and name of a public class of one of these modules; empty for any other."""
    # A class made in C may have a `__module__` with an underscore.
    name, own = cls.__qualname__, cls.__module__
    for module in (own, own.removeprefix("_")) if type(own) is str else ():
        if module in modules and vars(sys.modules.get(module, types)).get(name) is cls:
            return (module, name) if name[:1] != "_" else ()
    return ()


def is_shown(cls: type) -> bool:
    """Return whether objects of another process may appear as instances of this class."""
    is_relied_on = id(cls) in NAME_OF or issubclass(cls, type | BaseException)
    return not is_relied_on and cls.__module__.partition(".")[0] not in _RELIED_ON
