"""Classes across the border: each is described once and mirrored on the other side.

Mirrors work with `isinstance` and `except`.
"""

from __future__ import annotations

import enum
import functools
import inspect
import types
from collections import OrderedDict, deque, namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from runner.sandbox.border.plain import ATOMS, NAME_OF, Malformed, is_shown
from runner.sandbox.border.protocol import (
    ASYNCHRONOUS,
    GENERATOR,
    OF_CLASSES,
    SPECIAL,
    Operation,
    is_public,
)
from runner.sandbox.border.proxies import (
    Asker,
    Member,
    Mirror,
    Origin,
    Proxy,
    Remote,
    doc,
    make_mirrored,
    origin_of,
)
from runner.sandbox.border.rules import counted, special_method
from runner.sandbox.border.signatures import ATTRIBUTES, Annotations
from runner.sandbox.border.states import is_own

_BASES = frozenset(
    (bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, OrderedDict, deque)
)
_GENERATORS = (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)
# Special names that a class may define although its objects cross by value.
_HARMLESS = frozenset(
    f"__{name}__"
    for name in """
    module qualname doc dict weakref slots annotations annotate annotate_func annotations_cache
    init new init_subclass class_getitem orig_bases parameters match_args firstlineno
    static_attributes getnewargs getnewargs_ex reduce reduce_ex getstate repr str abstractmethods
    type_params replace
    """.split()
)
# The special methods that all enumerations define.
_OF_ENUMERATIONS = frozenset({"__repr__", "__str__", "__format__"})


class Kind(enum.StrEnum):
    """How objects of a class cross."""

    OBJECT = "object"  # by handle
    ERROR = "error"  # as exceptions
    DATA = "data"  # by value: the class adds to a type of data, and overrides nothing
    NAMED = "named"  # by value: a named tuple
    ENUM = "enum"  # by the member's name


_BY_VALUE = frozenset({Kind.DATA, Kind.NAMED, Kind.ENUM})


class Description(NamedTuple):
    """The description of a class for the other side, as JSON values."""

    number: int
    name: str  # the qualified name if its objects cross by handle
    kind: str
    bases: list[Any]  # items that refer to classes
    specials: list[str]  # its special methods
    # If objects cross by value, the methods, with a "." before class and static methods; if they
    # cross by handle, all public names that the class defines.
    methods: list[str]
    properties: list[str]
    shared: list[str]  # module and name if other processes define the class as well; else empty
    # Fields of a named tuple, members of an enumeration with their values, or abstract methods.
    extra: list[Any]


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
    """Return the builtin data type that a class extends, if any."""
    return next((kind for kind in cls.__mro__ if kind in _BASES), None)


def bases_of(cls: type) -> list[type]:
    """Return the bases for the mirror of this class."""
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
        for each in cls.__mro__[: cls.__mro__.index(base)]
        for name in vars(each)
    )


def defines(cls: type, name: str) -> bool:
    """Return whether a class or one of its bases defines this name."""
    return any(name in vars(each) for each in cls.__mro__)


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
    """Describe a class; the other side knows its bases."""
    kind = kind_of(cls)
    name = cls.__qualname__ if kind is Kind.OBJECT else cls.__name__
    defined = {name for each in cls.__mro__ if each is not object for name in vars(each)}
    specials = defined & (SPECIAL if issubclass(cls, _GENERATORS) else SPECIAL - GENERATOR)
    if type(cls).__instancecheck__ is not type.__instancecheck__:
        # In a description, this means that the class has its own `__instancecheck__`.
        specials |= {"__instancecheck__"}
    if getattr(cls, "__hash__", None) is None:
        specials -= {"__hash__"}
    public = [name for name in vars(cls) if is_public(name) or name == "__annotations__"]
    methods, properties = _methods(cls) if kind in _BY_VALUE else (public, [])
    extra: Iterable[Any] = vars(cls).get("_fields", ()) if kind is Kind.NAMED else ()
    if inspect.isabstract(cls):
        extra = vars(cls)["__abstractmethods__"]
    elif issubclass(cls, enum.Enum) and kind is Kind.ENUM:
        extra = [[name, member.value] for name, member in cls.__members__.items()]
    given = sorted(specials), methods, properties, shared, [*extra]
    return Description(number, name, kind, bases, *given)


def _methods(cls: type) -> tuple[list[str], list[str]]:
    """Return the names of a class's own methods, and of its properties."""
    names: dict[str, Any] = {}
    for each in reversed(cls.__mro__):
        if each not in _BASES and each is not object and each.__module__ != "enum":
            names |= vars(each)
    public = {name for name in names if not name.startswith("_")} - set(getattr(cls, "_fields", ()))
    shown = public | (names.keys() & {"__repr__", "__str__"})
    methods = [name for name in shown if isinstance(names[name], types.FunctionType)]
    methods += [f".{n}" for n in public if isinstance(names[n], (classmethod, staticmethod))]
    return sorted(methods), sorted(name for name in public if isinstance(names[name], property))


# --- mirrors --------------------------------------------------------------------------------------

_FORM = [int, *[str] * 2, *[list] * 6]
_MOST_NAMES = 10_000
_LONGEST_NAME = 1_000


def read_description(told: object) -> Description:
    """Validate a description from the other side; raises Malformed."""
    if type(told) is not list or [*map(type, told)] != _FORM:
        raise Malformed("a class has a description of another form")
    found = Description(*told)
    names = [found.name, *found.specials, *found.methods, *found.properties, *found.shared]
    if len(names) + len(found.bases) > _MOST_NAMES or "\0" in found.name:
        raise Malformed("a class has a name, and not too many of them")
    if not all(type(name) is str and len(name) <= _LONGEST_NAME for name in names):
        raise Malformed("a class has names that are texts")
    return found


def make_mirror(asker: Asker, description: Description, bases: Sequence[type]) -> Any:
    """Make the mirror of a class; an invalid description may raise any exception."""
    origin = Origin(asker, description.number)
    match description.kind:
        case Kind.OBJECT:
            specials = {*description.specials} - (GENERATOR - ASYNCHRONOUS)
            names = filter(is_public, {*description.methods} - (specials & ASYNCHRONOUS))
            members: dict[str, Any] = {name: Member(name) for name in names}
            if "__annotations__" in description.methods:
                members["__annotations__"] = Annotations()
            if bases and is_shown(bases[-1]) and not issubclass(bases[-1], Proxy):
                members["_seen_as"] = bases[-1]
            made = make_proxy_class(description.name, bases, specials, origin, members)
            type.__setattr__(made, "_shared_name", (*description.shared,))
            type.__setattr__(made, "__abstractmethods__", frozenset(description.extra))
            return made
        case Kind.ERROR:
            above = tuple(base for base in bases if issubclass(base, BaseException))
            if not any(issubclass(base, Remote) for base in above):
                above = (Remote, *above)
            return Mirror(description.name, above, {}, origin=origin)
        case Kind.NAMED | Kind.DATA:
            return _make_data(description, bases, origin)
        case Kind.ENUM:
            return _make_enumeration(description, bases, origin)
    raise Malformed("an unknown kind of class")


def make_proxy_class(
    name: str,
    bases: Iterable[type],
    specials: Iterable[str],
    origin: Origin,
    more: Mapping[str, Any],
) -> Any:
    """Make the mirror of a class whose objects cross by handle, with `more` attributes."""
    is_strict = origin.asker.is_strict
    space = {**more, "__slots__": (), "__qualname__": name, "__doc__": doc}
    for special in (SPECIAL - OF_CLASSES - more.keys()).intersection(specials):
        space[special] = special_method(special, is_strict=is_strict)
    if is_strict and "__len__" in space and {"__iter__", "__getitem__"} & space.keys():
        space |= {each: counted(each) for each in {"__iter__", *{"__reversed__"} & space.keys()}}
    if "__eq__" in space:
        space.setdefault("__hash__", None)
    mirrors = [base for base in bases if issubclass(base, Proxy)]
    made = make_mirrored(name.rpartition(".")[2], mirrors, space, origin)
    type.__setattr__(made, "_decides", "__instancecheck__" in specials)
    return made


# Names of every class, which proxies implement in their own way.
_OF_OBJECT = vars(object).keys() - {"__repr__", "__str__"}
# In a judge, proxies of such objects are instances of these types, which compare by identity.
_SEEN_AS = (types.FunctionType, types.GeneratorType)


def _refuse(operation: Operation, *_: Any, **__: Any) -> NoReturn:
    """Replace `ask` for mirrors shared by all processes, which have no process to ask."""
    error = TypeError if operation is Operation.CALL else AttributeError
    raise error("this class is in another process, and only its objects can be used")


def _abandon(self: Any) -> None:
    asker, number, watched = origin_of(self)
    asker.abandon(number, watched)


@functools.cache
def mirror_of_builtin(cls: type, *, is_judge: bool, is_strict: bool) -> type[Proxy]:
    """Return the mirror of a builtin class whose objects cross by handle.

    It is shared by all processes, so that it needn't be made in each run.
    """
    if id(cls) not in NAME_OF or base_of(cls) or issubclass(cls, BaseException | type):
        raise Malformed("a handle of a class that has none")
    nobody: Any = types.SimpleNamespace(is_strict=is_strict, ask=_refuse)
    more: dict[str, Any] = {}
    if cls in (types.FunctionType, types.MethodType):
        more |= ATTRIBUTES
    if cls is types.GeneratorType:
        more["__del__"] = _abandon
    if is_judge and cls in _SEEN_AS:
        more["_seen_as"] = cls
    specials = vars(cls).keys() - _OF_OBJECT
    made = make_proxy_class(cls.__name__, (), specials, Origin(nobody, 0), more)
    type.__setattr__(made, "_builtin", cls)
    return made  # type: ignore[no-any-return]


def _make_data(description: Description, bases: Sequence[type], origin: Origin) -> type:
    base = next((kind for kind in map(base_of, bases) if kind), None)
    if base is None:
        raise Malformed("data without a type")
    above = tuple(each for each in bases if issubclass(each, base)) or (base,)
    if description.kind == Kind.NAMED:
        fields = description.extra
        above = (namedtuple(description.name, fields),)  # noqa: PYI024
    space = _forwarders(description, origin, [base])
    space["__new__"] = lambda _, *args, **keywords: origin.call(args, keywords)
    space |= {"__init__": lambda *_, **__: None, "_class_origin": origin}
    return type(description.name, above, space)


def _make_enumeration(description: Description, bases: Sequence[type], origin: Origin) -> type:
    above = [base for base in bases if issubclass(base, enum.Enum)]
    if len(above) != 1:
        raise Malformed("an enumeration has one base that is one")
    mixed = [base for base in bases if base is not above[0]]
    members = [(name, value) for name, value in description.extra]
    make: Any = above[0]
    made: Any = make(description.name, members, **({"type": mixed[0]} if mixed else {}))
    more = _forwarders(description, origin, above + mixed)
    more = {name: each for name, each in more.items() if name not in made.__members__}
    more |= {"_class_origin": origin, "_shared_name": (*description.shared,)}
    if not issubclass(made, enum.Flag):
        more["_missing_"] = classmethod(lambda _, value: origin.call((value,), {}))
    for name, each in more.items():
        type.__setattr__(made, name, each)
    return made  # type: ignore[no-any-return]


def _forwarders(description: Description, origin: Origin, above: Iterable[type]) -> dict[str, Any]:
    """Return the forwarding methods and properties for a class whose objects cross by value."""

    def method(name: str) -> Callable[..., Any]:
        return lambda self, *args, **keywords: origin.call((self, *args), keywords, name)

    def class_method(name: str) -> Any:
        def forward(*args: Any, **keywords: Any) -> Any:
            return origin.get(name)(*args, **keywords)

        return staticmethod(forward)

    allowed = {"__repr__", "__str__"}
    space: dict[str, Any] = {
        **{n: method(n) for n in description.methods if is_public(n) or n in allowed},
        **{n[1:]: class_method(n[1:]) for n in description.methods if n[:1] == "."},
        **{n: property(method(n)) for n in description.properties},
    }
    names = space.keys() - allowed
    if not all(map(is_public, names)) or any(defines(cls, n) for cls in above for n in names):
        raise Malformed("a class whose objects cross by value overrides what its data does")
    return space
