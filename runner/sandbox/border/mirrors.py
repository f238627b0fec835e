"""Mirrors of the other process's classes, which work with `isinstance` and `except`."""

from __future__ import annotations

import enum
import functools
import types
from collections import namedtuple
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from runner.sandbox.border.asker import Asker, Origin
from runner.sandbox.border.classes import Description, Kind, base_of, defines
from runner.sandbox.border.plain import NAME_OF, Malformed
from runner.sandbox.border.protocol import ASYNCHRONOUS, OF_GENERATORS, Operation, is_public
from runner.sandbox.border.proxies import Member, Proxy, mro_of, origin_of
from runner.sandbox.border.proxy_classes import make_proxy_class
from runner.sandbox.border.signatures import ATTRIBUTES

_MOST_NAMES = 10_000
_LONGEST_NAME = 1_000


def read_description(told: object) -> Description:
    """Return a description that anybody may have written; raises Malformed."""
    if type(told) is not list or len(told) != len(Description._fields):
        raise Malformed("a class has a description of another form")
    description = Description(*told)
    texts = (description.name, description.kind)
    lists = (
        description.specials,
        description.methods,
        description.properties,
        description.shared,
    )
    if type(description.number) is not int or not all(type(text) is str for text in texts):
        raise Malformed("a class has a number, a name and a kind")
    if not all(type(each) is list and len(each) <= _MOST_NAMES for each in (*lists, told[3])):
        raise Malformed("a class has lists of names")
    names = [description.name, *(name for each in lists for name in each)]
    if not all(type(name) is str and len(name) <= _LONGEST_NAME for name in names):
        raise Malformed("a class has names that are texts")
    if type(description.extra) is not list or "\0" in description.name:
        raise Malformed("a class has a name and a list of parts")
    return description


def make_mirror(asker: Asker, description: Description, bases: Sequence[type]) -> type:
    """Make the mirror of a class; raises whatever nonsense in a description leads to."""
    origin = Origin(asker, description.number, ())
    match description.kind:
        case Kind.OBJECT:
            specials = {*description.specials} - OF_GENERATORS
            names = filter(is_public, {*description.methods} - (specials & ASYNCHRONOUS))
            members = {name: Member(name) for name in names}
            made = make_proxy_class(description.name, bases, specials, origin, members)
            type.__setattr__(made, "_shared_name", (*description.shared,))
            return made
        case Kind.ERROR:
            return _make_exception(description.name, bases, origin)
        case Kind.NAMED | Kind.DATA:
            return _make_data(description, bases, origin)
        case Kind.ENUM:
            return _make_enumeration(description, bases, origin)
    raise Malformed("an unknown kind of class")


# --- builtin classes ------------------------------------------------------------------------------


# What each class has, and proxies do in a way of their own.
_OF_OBJECT = vars(object).keys() - {"__repr__", "__str__"}


class _Nobody:
    """Stands for the other process in what all processes share; there is nothing to ask of it."""

    def __init__(self, *, is_strict: bool) -> None:
        self.is_strict = is_strict

    def ask(self, operation: Operation, *_: Any) -> NoReturn:
        error = TypeError if operation is Operation.CALL else AttributeError
        raise error("this class is in another process, and only its objects can be used")


def _abandon(self: Any) -> None:
    asker, number, watched = origin_of(self)
    asker.abandon(number, watched)


# In a judge, proxies of their objects are instances of these. None is compared by its content.
_SEEN_AS = (types.FunctionType, types.GeneratorType)


@functools.cache
def mirror_of_builtin(cls: type, *, is_judge: bool, is_strict: bool) -> type[Proxy]:
    """Return the mirror of a class that crosses by name, and whose objects don't by value.

    It is the same for all processes, so that none has to be made in a run.
    """
    if id(cls) not in NAME_OF or base_of(cls) or issubclass(cls, BaseException | type):
        raise Malformed("a handle of a class that has none")
    nobody: Any = _Nobody(is_strict=is_strict)
    specials = vars(cls).keys() - _OF_OBJECT
    more: dict[str, Any] = {}
    if cls in (types.FunctionType, types.MethodType):
        more |= ATTRIBUTES
    if cls is types.GeneratorType:
        more["__del__"] = _abandon
    if is_judge and cls in _SEEN_AS:
        more["__class__"] = property(lambda _: cls)
    made = make_proxy_class(cls.__name__, (), specials, Origin(nobody, 0, ()), more)
    type.__setattr__(made, "_builtin", cls)
    return made


# --- exceptions -----------------------------------------------------------------------------------


class RemoteKind(type):
    """The class of mirrors of exceptions: what they define is on their own side."""

    _class_origin: Origin | None = None

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Have an object made on the class's own side."""
        if cls._class_origin is None:
            raise TypeError("this class isn't a mirror of any")
        asker, number, _ = cls._class_origin
        return asker.ask(Operation.CALL, number, "", (*args, *kwargs.values()), (*kwargs,))

    def __getattr__(cls, name: str) -> Any:
        if cls._class_origin is None or not is_public(name):
            raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")
        return cls._class_origin.asker.ask(Operation.GET, cls._class_origin.number, name)

    @property
    def __doc__(cls) -> Any:  # type: ignore[override]
        return RemoteKind.__getattr__(cls, "__doc__")

    @property
    def __mro__(cls) -> tuple[type, ...]:
        return tuple(each for each in mro_of(cls) if each is not Remote)

    @property
    def __bases__(cls) -> tuple[type, ...]:  # type: ignore[override]
        return tuple(each for each in _get_bases(cls) if each is not Remote)


_get_bases: Callable[[type], tuple[type, ...]] = vars(type)["__bases__"].__get__


class Remote(BaseException, metaclass=RemoteKind):
    """What exceptions of the other process's own classes have in common.

    They are real exceptions here, and know their own side's object for what isn't plain.
    """

    border_origin: Origin | None = None
    border_text: str | None = None

    def __str__(self) -> str:
        return super().__str__() if self.border_text is None else self.border_text

    def __getattr__(self, name: str) -> Any:
        if self.border_origin is None or not is_public(name):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}", name=name)
        return self.border_origin.asker.ask(Operation.GET, self.border_origin.number, name)


def _make_exception(name: str, bases: Sequence[type], origin: Origin) -> type:
    above = tuple(base for base in bases if issubclass(base, BaseException))
    if not above:
        raise Malformed("an exception whose bases are none")
    is_first = not any(issubclass(base, Remote) for base in above)

    return RemoteKind(name, (Remote, *above) if is_first else above, {"_class_origin": origin})


def _maker(origin: Origin) -> Callable[..., Any]:
    """Return a `__new__` that has an object made on the class's own side."""

    def make(_: type, *args: Any, **kwargs: Any) -> Any:
        values = (*args, *kwargs.values())
        return origin.asker.ask(Operation.CALL, origin.number, "", values, (*kwargs,))

    return make


# --- what crosses by value ------------------------------------------------------------------------


def _make_data(description: Description, bases: Sequence[type], origin: Origin) -> type:
    base = next((kind for kind in map(base_of, bases) if kind), None)
    if base is None:
        raise Malformed("data without a type")
    above = tuple(each for each in bases if issubclass(each, base)) or (base,)
    if description.kind == Kind.NAMED:
        fields = description.extra
        above = (namedtuple(description.name, fields),)  # noqa: PYI024
    space = _forwarders(description, origin, [base])
    space |= {"__new__": _maker(origin), "__init__": lambda *_, **__: None, "_class_origin": origin}
    return type(description.name, above, space)


def _make_enumeration(description: Description, bases: Sequence[type], origin: Origin) -> type:
    above = [base for base in bases if issubclass(base, enum.Enum)]
    if len(above) != 1:
        raise Malformed("an enumeration has one base that is one")
    mixed = [base for base in bases if base is not above[0]]
    members = [(name, value) for name, value in description.extra]
    make: Any = above[0]
    made: Any = make(description.name, members, **({"type": mixed[0]} if mixed else {}))
    for name, method in _forwarders(description, origin, above + mixed).items():
        if name not in made.__members__:
            type.__setattr__(made, name, method)
    type.__setattr__(made, "_class_origin", origin)
    type.__setattr__(made, "_shared_name", (*description.shared,))

    def look_up(_: type, value: Any) -> Any:
        return origin.asker.ask(Operation.CALL, origin.number, "", (value,))

    if not issubclass(made, enum.Flag):
        type.__setattr__(made, "_missing_", classmethod(look_up))
    return made  # type: ignore[no-any-return]


def _forwarders(description: Description, origin: Origin, above: Iterable[type]) -> dict[str, Any]:
    allowed = ("__repr__", "__str__")
    names = [n for n in description.methods if is_public(n) or n in allowed]
    space: dict[str, Any] = {name: _method(name, origin) for name in names}
    for name in (n[1:] for n in description.methods if n[:1] == "."):
        if is_public(name):
            space[name] = staticmethod(_class_method(name, origin))
    for name in filter(is_public, description.properties):
        space[name] = property(_method(name, origin))
    if any(defines(cls, name) for cls in above for name in space.keys() - {*allowed}):
        raise Malformed("a class whose objects cross by value overrides what its data does")
    return space


def _method(name: str, origin: Origin) -> Callable[..., Any]:
    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        return origin.asker.ask(
            Operation.METHOD, origin.number, name, (self, *args, *kwargs.values()), (*kwargs,)
        )

    forward.__name__ = name
    return forward


def _class_method(name: str, origin: Origin) -> Callable[..., Any]:
    def forward(*args: Any, **kwargs: Any) -> Any:
        return origin.asker.ask(Operation.GET, origin.number, name)(*args, **kwargs)

    forward.__name__ = name
    return forward
