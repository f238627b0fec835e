"""What the rewritten code asks at run time, and the builtins that user code gets."""

from __future__ import annotations

import array
import builtins
import collections
import dataclasses
import decimal
import functools
import types
import typing
from collections.abc import Callable
from typing import Any, NoReturn

from RestrictedPython.Guards import safe_builtins

from runner.sandbox import names


class Forbidden(TypeError):
    """User code did what the policy keeps it from."""


class ForbiddenAttribute(AttributeError, Forbidden):
    """User code asked for an attribute that the policy keeps from it."""


class ForbiddenName(NameError, Forbidden):
    """User code used a builtin that isn't offered."""


# Present in the globals of user functions, so that they can be told from others.
MARK = "__written_here__"

# Classes that user code of this run has made. Every run has a process of its own.
user_types: set[type] = set()

# A subclass of these could choose names that nobody checks: the text of a dataclass's methods is
# made of its fields' names, a cached property is kept under a name of its own, aliases hand on
# what is read from them and written to them, references run their text.
SEALED_CLASSES: frozenset[type] = frozenset(
    {dataclasses.Field, functools.cached_property, super, types.GenericAlias, typing._Final}  # noqa: SLF001
)


class SimpleNamespace:
    """types.SimpleNamespace whose attributes have ordinary names.

    `copy` asks an object's attributes, double underscores included, how to copy it.
    """

    def __init__(self, /, **values: Any) -> None:
        for name in values:
            check_written_name(name)
        self.__dict__.update(values)

    def __repr__(self) -> str:
        items = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"namespace({items})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SimpleNamespace):
            return NotImplemented
        return self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]


_WRITABLE = {
    dict,
    list,
    bytearray,
    memoryview,
    array.array,
    SimpleNamespace,
    collections.deque,
    collections.defaultdict,
    collections.OrderedDict,
    collections.Counter,
    collections.ChainMap,
    collections.UserDict,
    collections.UserList,
    decimal.Context,
    type(decimal.Context().traps),
}


def is_users_own(thing: object) -> bool:
    """Whether user code of this run made it: an instance, a class or a function."""
    kind = type(thing)
    if kind in user_types:
        return True
    if kind is types.FunctionType:
        return MARK in thing.__globals__  # type: ignore[attr-defined]
    return isinstance(thing, type) and thing in user_types


def guard_write(thing: Any, changed: str = "") -> Any:
    """What may be written to: containers and the user's own.

    `changed` is an attribute that is going to be read too, to be changed in place.
    """
    if type(thing) in _WRITABLE or is_users_own(thing):
        if changed.startswith("_") and _is_inherited(thing, changed):
            raise ForbiddenAttribute(f"`{changed}` is private to a class that isn't yours")
        return thing
    described = f"module {thing}" if type(thing).__name__ == "Shim" else type(thing).__name__
    raise Forbidden(f"`{described}` can't be changed here; change an object of your own")


def guard_getattr(thing: Any, name: str) -> Any:
    """Attributes whose safety depends on the object, and all names computed at run time."""
    if type(name) is not str:
        raise Forbidden("an attribute's name must be a str")
    if name in _OF_OUR_OWN:
        return _OF_OUR_OWN[name](thing)
    if name in ("format", "format_map") and _is_text(thing):
        raise ForbiddenAttribute(f"`str.{name}` isn't available here; use an f-string")
    if name == "obj" and isinstance(thing, AttributeError | super):
        raise ForbiddenAttribute("the attribute `obj` is out of reach here")
    if name in names.FORBIDDEN_ATTRIBUTES:
        raise ForbiddenAttribute(f"the attribute `{name}` is out of reach here")
    if name.startswith("__"):
        if name not in names.READABLE_DUNDERS:
            raise ForbiddenAttribute(f"the attribute `{name}` is out of reach here")
        return getattr(thing, name)
    public = not name.startswith("_") or name in names.NAMED_TUPLE_ATTRIBUTES
    if not public and (not is_users_own(thing) or _is_inherited(thing, name)):
        raise ForbiddenAttribute(f"`{name}` is private to {type(thing).__name__}")
    return getattr(thing, name)


def _is_inherited(thing: Any, name: str) -> bool:
    """Whether an attribute comes from a class, or a metaclass, of the library."""
    kinds = type(thing).__mro__
    if issubclass(type(thing), type):
        kinds = thing.__mro__ + kinds
    else:
        try:
            if name in object.__getattribute__(thing, "__dict__"):
                return False
        except AttributeError:
            pass
    found = next((kind for kind in kinds if name in kind.__dict__), None)
    return found is not None and found not in user_types


def _initializer(thing: Any) -> Any:
    """`__init__` of a class, tied to its instances.

    One of the library's, or of a dataclass, sets attributes of whatever it is given.
    """
    found = thing.__init__
    if type(found) is not types.FunctionType or MARK in found.__globals__:
        return found
    if not issubclass(type(thing), type):
        raise ForbiddenAttribute("`super().__init__` needs an instance")

    def initialize(self: Any, /, *arguments: Any, **keywords: Any) -> None:
        if thing not in type(self).__mro__:
            raise Forbidden(f"`__init__` of {thing.__name__} needs an instance of it")
        found(self, *arguments, **keywords)

    return initialize


def _mro(thing: Any) -> Any:
    """`mro` of a class, without classes of the library that nobody is offered."""
    if not issubclass(type(thing), type):
        return thing.mro
    return lambda: [kind for kind in thing.__mro__ if kind in user_types or _is_builtin(kind)]


def _is_builtin(kind: type) -> bool:
    return kind is not type and getattr(builtins, kind.__name__, None) is kind


def _is_text(thing: object) -> bool:
    # `super()` inside a subclass of str finds the method too.
    texts = (str, collections.UserString)
    return isinstance(thing, (*texts, super)) or (
        isinstance(thing, type) and issubclass(thing, texts)
    )


_MISSING = object()


def offered_getattr(thing: Any, name: str, default: Any = _MISSING, /) -> Any:
    try:
        return guard_getattr(thing, name)
    except AttributeError:
        if default is _MISSING:
            raise
        return default


def offered_hasattr(thing: Any, name: str, /) -> bool:
    try:
        guard_getattr(thing, name)
    except AttributeError:
        return False
    return True


def offered_setattr(thing: Any, name: str, value: Any, /) -> None:
    check_written_name(name)
    setattr(guard_write(thing), name, value)


def offered_delattr(thing: Any, name: str, /) -> None:
    check_written_name(name)
    delattr(guard_write(thing), name)


def check_written_name(name: str) -> None:
    if type(name) is not str:
        raise Forbidden("an attribute's name must be a str")
    if name.startswith("__") or name in names.FORBIDDEN_ATTRIBUTES:
        raise ForbiddenAttribute(f"the attribute `{name}` is out of reach here")


def offered_vars(thing: Any, /) -> dict[str, Any]:
    if not is_users_own(thing) and type(thing) is not SimpleNamespace:
        raise Forbidden("`vars` works on your own objects only")
    return {name: value for name, value in vars(thing).items() if not name.startswith("__")}


def offered_dir(thing: Any, /) -> list[str]:
    return [name for name in dir(thing) if not name.startswith("_")]


class _TypeOfTypes(type):
    def __call__(cls, thing: Any) -> Any:
        return class_of(thing)

    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, type)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, type)

    def __repr__(cls) -> str:
        return "<class 'type'>"


class OfferedType(metaclass=_TypeOfTypes):
    """What user code sees as `type`.

    The real one makes classes out of names that nobody has checked: type(int)("X", (), {...}).
    """

    def __class_getitem__(cls, parameters: Any) -> types.GenericAlias:
        return types.GenericAlias(cls, parameters)


def class_of(thing: object) -> Any:
    kind = type(thing)
    return OfferedType if issubclass(kind, type) else kind


_OF_OUR_OWN: dict[str, Callable[[Any], Any]] = {
    "__class__": class_of,
    "__init__": _initializer,
    "mro": _mro,
}


def build_class(body: Any, name: str, *bases: Any, **keywords: Any) -> Any:
    if "metaclass" in keywords:
        raise Forbidden("`metaclass=` isn't available; use a decorator, or a base class")
    # Before it is made: hooks are told of a class while it is made, and could keep it.
    for base in bases:
        # Such a one could name other bases when it is asked for them again.
        if type(base) in user_types and not issubclass(type(base), type):
            raise Forbidden("a class's bases must be classes")
    for base in types.resolve_bases(bases):
        # Of an instance, the class statement calls the class with whatever is in the body.
        if not issubclass(type(base), type):
            raise Forbidden("a class's bases must be classes")
        for sealed in SEALED_CLASSES.intersection(base.__mro__):
            raise Forbidden(f"`{sealed.__name__}` can't be a base class here")
    made = builtins.__build_class__(body, name, *bases, **keywords)
    user_types.add(made)
    return made


def _unavailable(name: str, instead: str) -> Callable[..., NoReturn]:
    def refuse(*_arguments: Any, **_keywords: Any) -> NoReturn:
        raise ForbiddenName(f"`{name}` isn't available here: {instead}")

    return refuse


_PLAIN_BUILTINS = """
list dict set tuple frozenset bytes bytearray memoryview sorted reversed zip map filter enumerate
sum min max all any iter next format bin ascii object property staticmethod classmethod super
NotImplemented RecursionError TimeoutError ModuleNotFoundError FileNotFoundError PermissionError
ConnectionError ExceptionGroup
""".split()

# Never a way to end a run: only a program that runs to its end passes.
_NOT_OFFERED = {"SystemExit", "KeyboardInterrupt", "GeneratorExit", "_getattr_"}


def offered_builtins() -> dict[str, Any]:
    """A fresh dict of the builtins that user code gets, but for `print`, `log` and imports."""
    offered = {name: thing for name, thing in safe_builtins.items() if name not in _NOT_OFFERED}
    offered.update((name, getattr(builtins, name)) for name in _PLAIN_BUILTINS)
    offered.update((name, _unavailable(name, why)) for name, why in names.UNAVAILABLE.items())
    offered.update(
        __build_class__=build_class,
        getattr=offered_getattr,
        hasattr=offered_hasattr,
        setattr=offered_setattr,
        delattr=offered_delattr,
        vars=offered_vars,
        dir=offered_dir,
        type=OfferedType,
        _write_=guard_write,
        _getattr_=guard_getattr,
    )
    return offered
