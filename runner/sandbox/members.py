"""What may be in a class: its bases, its names, and what some of these stand for."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable
from typing import Any

from runner.sandbox import names
from runner.sandbox.exhaustion import caught
from runner.sandbox.ownership import Forbidden, calling_module, user_types

# A subclass of these could choose names that nobody checks: the text of a dataclass's methods is
# made of its fields' names, a cached property is kept under a name of its own, aliases hand on
# what is read from them and written to them, references run their text; and `except*` trusts what
# the methods of a group return.
SEALED_CLASSES: frozenset[type] = frozenset(
    {
        dataclasses.Field,
        functools.cached_property,
        super,
        types.GenericAlias,
        vars(typing)["_Final"],
        BaseExceptionGroup,
    }
)

# What Python itself puts into a class body's namespace.
_OF_THE_COMPILER = names.OF_THE_COMPILER | {"__orig_bases__"}
# Asked in our own code too, of the classes that we keep in sets.
_NOT_OF_METACLASSES = frozenset({"__getattribute__", "__hash__", "__eq__", "__ne__", "mro"})
_NOT_OF_INSTANCES = names.REFUSED_DUNDERS.keys() | {"__dataclass_fields__"}
_SAFE_SLOTS = frozenset({"__dict__", "__weakref__"})
_ADOPTED = "_adopted_"

# Where classes of this run say that they are from: a name of another module would have the
# library look into that one.
home_modules: set[str] = set()


class _Adopt:
    """In a namespace: told of the class before any other hook, counts it as the user's own."""

    def __set_name__(self, owner: type, name: str) -> None:
        user_types.add(owner)
        type.__delattr__(owner, name)


def finished(made: Any) -> Any:
    if _ADOPTED in made.__dict__:
        type.__delattr__(made, _ADOPTED)
    user_types.add(made)
    return made


def checked(namespace: Any, bases: tuple[Any, ...]) -> Any:
    """The namespace of a class to be, with everything in it looked at."""
    check_bases(bases)
    makes_classes = False
    for base in bases:
        for sealed in SEALED_CLASSES.intersection(base.__mro__):
            raise Forbidden(f"`{sealed.__name__}` can't be a base class here")
        makes_classes = makes_classes or issubclass(base, type)
    if makes_classes and not all(issubclass(base, type) for base in bases):
        raise Forbidden("a metaclass's bases must be metaclasses too")
    for name, value in [*dict.items(namespace)]:
        dict.__setitem__(namespace, name, _entry(name, value, makes_classes=makes_classes))
    namespace.setdefault("__module__", calling_module())
    everything = {_ADOPTED: _Adopt(), **namespace}
    if type(namespace) is dict:
        return everything
    # Of an enum, which makes its members in the order of the names.
    dict.clear(namespace)
    dict.update(namespace, everything)
    return namespace


def check_bases(bases: Any) -> None:
    # Of an instance, Python calls the class with whatever is in the body; and a tuple of the
    # user's own could list others when it is asked again.
    if type(bases) is not tuple or not all(issubclass(type(base), type) for base in bases):
        raise Forbidden("a class's bases must be classes, in a tuple")


def entry_of(kind: type, name: str, value: Any) -> Any:
    """What may be set on a class that exists, as it is to be set."""
    return _entry(name, value, makes_classes=issubclass(kind, type))


def _entry(name: Any, value: Any, *, makes_classes: bool) -> Any:
    if type(name) is not str:
        raise Forbidden("a name in a class must be a str")
    if makes_classes and name in _NOT_OF_METACLASSES:
        raise Forbidden(f"a metaclass can't define `{name}` here; define it in its classes")
    if names.is_dunder(name) and name not in names.DEFINABLE_DUNDERS | _OF_THE_COMPILER:
        raise Forbidden(names.refusal(name, "definition"))
    check = _CHECKS.get(name)
    return check(value, makes_classes) if check is not None else value


def _module(value: Any, _makes_classes: bool) -> Any:
    if type(value) is not str or value not in home_modules | {calling_module()}:
        raise Forbidden("a class's `__module__` is the module that it is written in")
    return value


def _annotations(value: Any, _makes_classes: bool) -> dict[str, Any]:
    """A copy: a dataclass makes text of these names, and runs it."""
    if type(value) is not dict:
        raise Forbidden("`__annotations__` of a class must be a dict")
    for name in value:
        check_field_name(name)
    return dict(value)


def check_field_name(name: Any) -> None:
    if type(name) is not str or not name.isidentifier() or names.is_dunder(name):
        raise Forbidden(f"`{name}` can't be a field's name here; choose an ordinary name")
    if name in names.FORBIDDEN_ATTRIBUTES:
        raise Forbidden(f"`{name}` can't be a field's name here; choose another")


def _slots(value: Any, _makes_classes: bool) -> Any:
    # An empty slot is asked of `__getattr__`: named `__reduce_ex__`, it would decide how `copy`
    # makes an object, and what it sets.
    listed = value if type(value) in (str, list, tuple, dict) else tuple(value)
    for name in (listed,) if type(listed) is str else listed:
        if type(name) is not str or (names.is_dunder(name) and name not in _SAFE_SLOTS):
            raise Forbidden("`__slots__` must be ordinary names")
    return (
        listed
        if type(listed) is str
        else tuple(listed)
        if type(listed) is not dict
        else dict(listed)
    )


def _match_args(value: Any, _makes_classes: bool) -> Any:
    """Patterns read what these name, of whatever the class says is its instance."""
    if type(value) is not tuple:
        raise Forbidden("`__match_args__` must be a tuple of names")
    for name in value:
        if type(name) is not str or not names.is_matchable(name):
            raise Forbidden(f"`__match_args__` can't list `{name}` here; name public attributes")
    return value


def _getattribute(users: Any, _makes_classes: bool) -> Any:
    """The library asks objects by such names how to treat them, and does as it is told."""

    def __getattribute__(self: Any, name: str, /) -> Any:  # noqa: N807
        if type(name) is str and name in _NOT_OF_INSTANCES:
            return object.__getattribute__(self, name)
        return users(self, name)

    return __getattribute__


def _getattr(users: Any, makes_classes: bool) -> Any:
    if not makes_classes:
        return users

    def __getattr__(cls: Any, name: str, /) -> Any:  # noqa: N807
        # A dataclass asks its bases for the fields that its text is made of.
        if names.is_dunder(name):
            raise AttributeError(f"type object '{cls.__name__}' has no attribute '{name}'")
        return users(cls, name)

    return __getattr__


def _exit(users: Any, _makes_classes: bool) -> Any:
    """Functions of this name ask first whether memory ran out; others are made to."""
    if type(users) is not types.FunctionType or users.__code__.co_name in ("__exit__", "__aexit__"):
        return users

    def __exit__(*arguments: Any) -> Any:  # noqa: N807
        caught()
        return users(*arguments)

    return __exit__


_CHECKS: dict[str, Callable[[Any, bool], Any]] = {
    "__module__": _module,
    "__annotations__": _annotations,
    "__slots__": _slots,
    "__match_args__": _match_args,
    "__getattribute__": _getattribute,
    "__getattr__": _getattr,
    "__exit__": _exit,
    "__aexit__": _exit,
}
