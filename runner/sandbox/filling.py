"""Methods that fill an object: of one's own they do so, the library's only what is one's own."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from runner.sandbox.ownership import (
    Forbidden,
    ForbiddenAttribute,
    guard_write,
    is_users_own,
    user_types,
)


def initializer(thing: Any, name: str, fetch: Callable[[Any, str], Any]) -> Any:
    """`__init__` of a class, tied to its instances, as far as these may be changed.

    One of the library's, or of a dataclass, sets attributes of whatever it is given; that of a
    property, called once more, makes another one of it, whosoever it is.
    """
    found = fetch(thing, name)
    if found is object.__init__ or is_users_own(getattr(found, "__func__", found)):
        return found
    if type(found) in (types.MethodType, types.MethodWrapperType):
        bound = found.__self__

        def initialize(*arguments: Any, **keywords: Any) -> None:
            guard_write(bound)
            found(*arguments, **keywords)

        return initialize
    if not issubclass(type(thing), type):
        raise ForbiddenAttribute("`super().__init__` needs an instance")

    def __init__(self: Any, /, *arguments: Any, **keywords: Any) -> None:  # noqa: N807
        if thing not in type(self).__mro__:
            raise Forbidden(f"`__init__` of {thing.__name__} needs an instance of it")
        found(guard_write(self), *arguments, **keywords)

    return __init__


def state(thing: Any, name: str, fetch: Callable[[Any, str], Any]) -> Any:
    """`__getstate__` and its counterpart, which copies ask for.

    The library's gives away the very dictionary of whatever it gets, also that of a class.
    """
    found = fetch(thing, name)
    if is_users_own(getattr(found, "__func__", found)):
        return found
    if type(found) in (types.BuiltinMethodType, types.MethodType):
        bound = found.__self__
        return lambda *given: (_checked(bound, name), found(*given))[1]
    return lambda owner, /, *given: found(_checked(owner, name), *given)


def _checked(thing: Any, name: str) -> Any:
    if type(thing) not in user_types or issubclass(type(thing), type):
        raise ForbiddenAttribute(f"`{name}` works on objects of your own classes only")
    return thing
