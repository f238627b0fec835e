"""What belongs to user code: its classes, functions and objects, and what it may change."""

from __future__ import annotations

import abc
import array
import builtins
import collections
import collections.abc
import decimal
import functools
import itertools
import sys
import types
import typing
from collections.abc import Iterable
from typing import Any

from runner.sandbox import names
from runner.sandbox.names import MARK


class Forbidden(TypeError):
    """User code did what the policy keeps it from."""


class ForbiddenAttribute(AttributeError, Forbidden):
    """User code asked for an attribute that the policy keeps from it."""


class ForbiddenName(NameError, Forbidden):
    """User code used a builtin that isn't offered."""


class ForbiddenImport(ImportError, Forbidden):
    """User code imported what isn't offered."""


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


_WRITABLE = frozenset(
    {
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
        functools.partial,
        type(functools.lru_cache(len)),
    }
)
# The same, of modules that are imported only where programs run.
also_writable: set[type] = set()
# Those of the library whose `__dict__` holds nothing but what is everybody's to see.
also_shown: set[type] = {SimpleNamespace}
# Bases without attributes that are private to the library.
_PLAIN_BASES = frozenset(
    {abc.ABC, typing.Generic, typing.Protocol}
    | {getattr(collections.abc, name) for name in collections.abc.__all__}
)

# Types whose instances the rewritten code stores to, and reads what is private of, without asking
# further. What isn't here may still be allowed; it takes longer.
quick_types: set[type] = set(_WRITABLE)


class _OwnTypes(set[type]):
    """Classes that user code of this run has made. Every run has a process of its own."""

    def add(self, kind: type, /) -> None:
        super().add(kind)
        match_public_fields(kind, kind.__dict__.get("__match_args__", ()))
        if not issubclass(kind, type) and all(
            base in self or base in _PLAIN_BASES or is_builtin(base) for base in kind.__mro__
        ):
            quick_types.add(kind)

    def clear(self) -> None:
        super().clear()
        quick_types.intersection_update(_WRITABLE)


user_types = _OwnTypes()


def match_public_fields(kind: type, fields: Iterable[str]) -> None:
    """Let positional patterns read fields up to the first that leads further.

    They read natively, and of whatever the class says is its instance.
    """
    listed = (*itertools.takewhile(names.is_matchable, fields),)
    if listed != kind.__dict__.get("__match_args__", ()):
        type.__setattr__(kind, "__match_args__", listed)


def is_builtin(kind: type) -> bool:
    """Whether a class is one that everybody has by its name."""
    return getattr(builtins, type.__dict__["__name__"].__get__(kind), None) is kind


def is_users_own(thing: object) -> bool:
    """Whether user code of this run made it: an instance, a class or a function."""
    kind = type(thing)
    if kind in user_types:
        return True
    if kind is types.FunctionType:
        return MARK in thing.__globals__  # type: ignore[attr-defined]
    return issubclass(kind, type) and thing in user_types


def guard_write(thing: Any, changed: str = "") -> Any:
    """What may be written to: containers, exceptions and the user's own.

    `changed` is a private attribute that is going to be read too, to be changed in place.
    """
    is_writable = type(thing) in _WRITABLE or type(thing) in also_writable
    if is_writable or is_users_own(thing) or _is_plain_exception(thing):
        if changed and is_inherited(thing, changed):
            raise ForbiddenAttribute(f"`{changed}` is private to a class that isn't yours")
        return thing
    described = f"module {thing}" if is_module(thing) else type(thing).__name__
    raise Forbidden(f"`{described}` can't be changed here; change an object of your own")


def _is_plain_exception(thing: object) -> bool:
    kind = type(thing)
    # `except*` calls a group's `split`, and trusts what it returns.
    return issubclass(kind, BaseException) and not issubclass(kind, BaseExceptionGroup)


def is_module(thing: object) -> bool:
    """Whether it is one of our stand-ins for modules."""
    return type(thing).__name__ == "Shim" and type(thing) not in user_types


def home_of(thing: Any) -> str:
    """The name of the module that a class or function, or an object's class, is written in."""
    if type(thing) is types.FunctionType:
        return str(thing.__globals__["__name__"])
    kind = thing if issubclass(type(thing), type) else type(thing)
    # What the library has made belongs to whoever has it.
    return str(kind.__dict__["__module__"]) if kind in user_types else calling_module()


def calling_module() -> str:
    """The name of the module that the innermost function of user code belongs to."""
    frame: types.FrameType | None = sys._getframe(1)  # noqa: SLF001
    while frame is not None:
        if MARK in frame.f_globals:
            return str(frame.f_globals["__name__"])
        frame = frame.f_back
    return "__main__"


def owner_of(thing: Any) -> Any:
    """The object itself; of `super()`, the one that it speaks for."""
    return super.__dict__["__self__"].__get__(thing) if type(thing) is super else thing


def is_inherited(thing: Any, name: str) -> bool:
    """Whether an attribute comes from a class, or a metaclass, of the library."""
    kinds: tuple[type, ...] = type(thing).__mro__
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


def check_written_name(name: str) -> None:
    """Names of attributes that nobody but user code reads."""
    if type(name) is not str:
        raise Forbidden("an attribute's name must be a str")
    if names.is_dunder(name) or name in names.FORBIDDEN_ATTRIBUTES:
        raise ForbiddenAttribute(names.refusal(name))
