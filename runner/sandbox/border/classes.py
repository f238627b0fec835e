"""Descriptions of our own classes for the other process: a class is described once."""

from __future__ import annotations

import enum
import types
from collections import OrderedDict, deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from runner.sandbox.border.plain import ATOMS
from runner.sandbox.border.protocol import GENERATOR, SPECIAL, is_public
from runner.sandbox.border.states import is_own

_BASES = frozenset(
    (bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, OrderedDict, deque)
)
_GENERATORS = (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)
# What a class may define, and still be nothing but its data.
_HARMLESS = frozenset(
    f"__{name}__"
    for name in """
    module qualname doc dict weakref slots annotations annotate annotate_func annotations_cache
    init new init_subclass class_getitem orig_bases parameters match_args firstlineno
    static_attributes getnewargs getnewargs_ex reduce reduce_ex getstate repr str abstractmethods
    type_params replace
    """.split()
)
# Enumerations get these from their own machinery.
_OF_ENUMERATIONS = frozenset({"__repr__", "__str__", "__format__"})


class Kind(enum.StrEnum):
    """How objects of a class cross."""

    OBJECT = "object"  # by handle
    ERROR = "error"  # as exceptions
    DATA = "data"  # by value: the class adds to a type of data, and overrides nothing
    NAMED = "named"  # by value: a named tuple
    ENUM = "enum"  # by the member's name


class Description(NamedTuple):
    """A class as the other side hears of it; all of it is JSON."""

    number: int
    name: str  # with the names of what it is defined in, if its objects cross by handle
    kind: str
    bases: list[Any]  # items that refer to classes
    specials: list[str]  # special methods that it has
    # Of what crosses by value, with a "." before those of the class itself; of what crosses by
    # handle, all public names that the class defines.
    methods: list[str]
    properties: list[str]
    shared: list[str]  # module and name of a class that other processes define as well, or nothing
    extra: list[Any]  # fields of a named tuple; members of an enumeration, with their values


def kind_of(cls: type) -> Kind:
    """Return how objects of this class cross."""
    if issubclass(cls, BaseException):
        return Kind.ERROR
    if issubclass(cls, enum.Enum):
        return Kind.ENUM if _is_plain_enumeration(cls) else Kind.OBJECT
    base = base_of(cls)
    if base is None or type(cls) is not type or not _only_adds(cls, base):
        return Kind.OBJECT
    fields = cls.__dict__.get("_fields")
    if base is tuple and type(fields) is tuple and {str}.issuperset(map(type, fields)):
        return Kind.NAMED
    return Kind.DATA


def base_of(cls: type) -> type | None:
    """Return the type of data that a class extends."""
    return next((kind for kind in cls.__mro__ if kind in _BASES), None)


def is_of_data(cls: type, name: str) -> bool:
    """Tell whether this is a public method of the type of data that a class extends."""
    return not _is_special(name) and hasattr(base_of(cls), name)


def bases_of(cls: type) -> list[type]:
    """Return the classes that a mirror of this class has as bases."""
    kind = kind_of(cls)
    if kind is Kind.ENUM:
        machinery = next(each for each in cls.__mro__ if each.__module__ == "enum")
        mixed = base_of(cls)
        return [machinery] if mixed is None or issubclass(machinery, mixed) else [mixed, machinery]
    if kind in _BY_VALUE:
        above = [each for each in cls.__bases__ if each in _BASES or kind_of(each) in _BY_VALUE]
        return above or [each for each in (base_of(cls),) if each]
    if kind is Kind.ERROR:
        return [each for each in cls.__bases__ if issubclass(each, BaseException)]
    return [each for each in cls.__bases__ if each is not object]


def _only_adds(cls: type, base: type) -> bool:
    return not any(
        (name not in _HARMLESS) if _is_special(name) else hasattr(base, name)
        for each in _above(cls, base)
        for name in vars(each)
    )


def defines(cls: type, name: str) -> bool:
    """Tell whether a class, or one above it, has an attribute of this name."""
    return any(name in vars(each) for each in cls.__mro__)


def _above(cls: type, base: type) -> tuple[type, ...]:
    return cls.__mro__[: cls.__mro__.index(base)]


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _is_plain_enumeration(cls: type[enum.Enum]) -> bool:
    values = [member.value for member in cls.__members__.values()]
    if not ATOMS.issuperset(map(type, values)) or not values:
        return False
    own = [each for each in cls.__mro__ if each.__module__ != "enum" and each not in _BASES]
    names = {name for each in own[:-1] for name in vars(each)}
    base = base_of(cls)
    if base is not None and any(is_own(name) and defines(base, name) for name in names):
        return False
    machinery = {*vars(enum.Flag), *_OF_ENUMERATIONS} if issubclass(cls, enum.Flag) else ()
    return names & SPECIAL <= {*_OF_ENUMERATIONS, *machinery}


def describe(cls: type, number: int, bases: list[Any], shared: list[str]) -> Description:
    """Describe a class whose bases the other side knows."""
    kind = kind_of(cls)
    defined = {name for each in cls.__mro__ if each is not object for name in vars(each)}
    specials = defined & (SPECIAL - GENERATOR)
    if issubclass(cls, _GENERATORS):
        specials |= defined & GENERATOR
    if type(cls).__instancecheck__ is not type.__instancecheck__:
        # Here, it says that the class itself decides what its instances are.
        specials |= {"__instancecheck__"}
    if getattr(cls, "__hash__", None) is None:
        specials -= {"__hash__"}
    methods, properties = (
        _methods(cls) if kind in _BY_VALUE else ([*filter(is_public, vars(cls))], [])
    )
    return Description(
        number,
        cls.__qualname__ if kind is Kind.OBJECT else cls.__name__,
        kind,
        bases,
        sorted(specials),
        methods,
        properties,
        shared,
        [*_extra(cls, kind)],
    )


_BY_VALUE = frozenset({Kind.DATA, Kind.NAMED, Kind.ENUM})


def _extra(cls: Any, kind: Kind) -> Iterator[Any]:
    if kind is Kind.NAMED:
        yield from cls._fields
    elif kind is Kind.ENUM:
        for name, member in cls.__members__.items():
            yield [name, member.value]


def _methods(cls: type) -> tuple[list[str], list[str]]:
    """Return the names of a class's own methods, and of its properties."""
    own = [each for each in cls.__mro__ if each not in _BASES and each is not object]
    names: dict[str, Any] = {}
    for each in reversed(own):
        if each.__module__ != "enum":
            names |= vars(each)
    functions = {name for name, each in names.items() if isinstance(each, types.FunctionType)}
    public = {name for name in names if not name.startswith("_")} - set(getattr(cls, "_fields", ()))
    methods = sorted(functions & (public | {"__repr__", "__str__"}))
    methods += [f".{name}" for name in public if isinstance(names[name], _OF_THE_CLASS)]
    return sorted(methods), sorted(name for name in public if isinstance(names[name], property))


_OF_THE_CLASS = (classmethod, staticmethod)
