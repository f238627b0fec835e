"""Stand-ins for what makes and adapts functions: functools, operator."""

from __future__ import annotations

import functools
import inspect
import operator
import types
from collections.abc import Callable
from typing import Any

from runner.sandbox.guards import (
    Forbidden,
    check_written_name,
    guard_getattr,
    guard_write,
    is_users_own,
)
from runner.sandbox.ownership import calling_module, home_of

_ASSIGNED = ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__")
_UPDATED = ("__dict__",)


def update_wrapper(
    wrapper: Any, wrapped: Any, assigned: Any = _ASSIGNED, updated: Any = _UPDATED
) -> Any:
    """functools.update_wrapper of no other attributes than usual: `__code__` is one, too.

    What isn't the user's own is given back as it is.
    """
    assigned, updated = _chosen(assigned, _ASSIGNED), _chosen(updated, _UPDATED)
    if not is_users_own(wrapper) and type(wrapper) is not functools.partial:
        return wrapper
    for name in assigned:
        value = getattr(wrapped, name, None)
        if type(value) is str:
            setattr(wrapper, name, value)
    if type(wrapper) is type(wrapped) is types.FunctionType and "__annotations__" in assigned:
        wrapper.__annotations__ = dict(wrapped.__annotations__)
    if is_users_own(wrapped) and updated:
        for name, value in getattr(wrapped, "__dict__", {}).items():
            if type(name) is str and not name.startswith("__"):
                check_written_name(name)
                setattr(wrapper, name, value)
    wrapper.__wrapped__ = wrapped
    return wrapper


def _chosen(given: Any, usual: tuple[str, ...]) -> tuple[str, ...]:
    given = (*given,)
    for name in given:
        if type(name) is not str or name not in usual:
            raise Forbidden(f"a wrapper's `{name}` can't be set here")
    return tuple(name for name in usual if name in given)


def wraps(wrapped: Any, assigned: Any = _ASSIGNED, updated: Any = _UPDATED) -> Callable[[Any], Any]:
    return lambda wrapper: update_wrapper(wrapper, wrapped, assigned, updated)


def total_ordering(cls: Any) -> Any:
    return functools.total_ordering(guard_write(cls))


def setitem(thing: Any, key: Any, value: Any, /) -> None:
    operator.setitem(guard_write(thing), key, value)


def delitem(thing: Any, key: Any, /) -> None:
    operator.delitem(guard_write(thing), key)


class attrgetter:
    """operator.attrgetter that asks the guard for each attribute."""

    def __init__(self, attribute: str, /, *more: str) -> None:
        self._names = (attribute, *more)
        if not all(type(name) is str for name in self._names):
            raise TypeError("attribute name must be a string")

    def __call__(self, thing: Any, /) -> Any:
        found = tuple(_dotted(thing, name) for name in self._names)
        return found if len(found) > 1 else found[0]

    def __repr__(self) -> str:
        return f"operator.attrgetter({', '.join(map(repr, self._names))})"


def _dotted(thing: Any, name: str) -> Any:
    for part in name.split("."):
        thing = guard_getattr(thing, part)
    return thing


class methodcaller:
    """operator.methodcaller that asks the guard for the method."""

    def __init__(self, name: str, /, *arguments: Any, **keywords: Any) -> None:
        if type(name) is not str:
            raise TypeError("method name must be a string")
        self._name, self._arguments, self._keywords = name, arguments, keywords

    def __call__(self, thing: Any, /) -> Any:
        return guard_getattr(thing, self._name)(*self._arguments, **self._keywords)

    def __repr__(self) -> str:
        given = [repr(self._name), *map(repr, self._arguments)]
        given += [f"{name}={value!r}" for name, value in self._keywords.items()]
        return f"operator.methodcaller({', '.join(given)})"


def no_type_check(thing: Any) -> Any:
    """typing.no_type_check, which marks everything that it finds in a class."""
    if not is_users_own(thing):
        raise Forbidden("`no_type_check` works on your own functions and classes only")
    return thing


def coroutine(func: Any) -> Any:
    """types.coroutine, which changes the function that it is given."""
    is_own = type(func) is types.FunctionType and is_users_own(func)
    if not is_own or home_of(func) != calling_module():
        raise Forbidden("`types.coroutine` works on generator functions of your own only")
    if not (inspect.isgeneratorfunction(func) or inspect.iscoroutinefunction(func)):
        raise Forbidden("`types.coroutine` works on generator functions only; write `async def`")
    return types.coroutine(func)
