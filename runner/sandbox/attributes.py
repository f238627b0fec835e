"""Attributes whose safety depends on the object, and all names that are computed at run time."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from runner.sandbox import filling, formatting, names
from runner.sandbox.classes import OfferedABCMeta, OfferedType, class_of, disguised
from runner.sandbox.ownership import (
    Forbidden,
    ForbiddenAttribute,
    SimpleNamespace,
    also_shown,
    check_written_name,
    guard_write,
    is_builtin,
    is_inherited,
    is_module,
    is_users_own,
    owner_of,
    user_types,
)
from runner.sandbox.writing import delete_attribute, write_attribute, written

# Classes that user code may see when it asks what a class is made of, besides its own and the
# builtin ones; those that the modules offer.
visible_classes: set[Any] = {OfferedType, OfferedABCMeta}

Fetch = Callable[[Any, str], Any]


def guard_getattr(thing: Any, name: str) -> Any:
    """What rewritten code calls for what it can't load natively, and `getattr`."""
    return _look_up(thing, name, getattr)


def _look_up(thing: Any, name: str, fetch: Fetch) -> Any:
    if type(name) is not str:
        raise Forbidden("an attribute's name must be a str")
    guard = _GUARDS.get(name)
    if guard is not None:
        return guard(thing, name, fetch)
    if name in names.FORBIDDEN_ATTRIBUTES:
        raise ForbiddenAttribute(names.refusal(name))
    if name.startswith("_"):
        if names.is_dunder(name):
            if name not in names.READABLE_DUNDERS:
                raise ForbiddenAttribute(names.refusal(name))
        elif name not in names.DOCUMENTED_PRIVATES:
            owner = owner_of(thing)
            if not is_users_own(owner) or is_inherited(owner, name):
                raise ForbiddenAttribute(f"`{name}` is private to {type(owner).__name__}")
    return fetch(thing, name)


# --- guards of single names -----------------------------------------------------------------------
#
# Each gets the object, the name, and what natively fetches one by the other. What they give in
# place of something native are closures: what other callables are made of can be read of them.


def _class(thing: Any, _name: str, _fetch: Fetch) -> Any:
    return class_of(thing)


def _format(thing: Any, name: str, fetch: Fetch) -> Any:
    return formatting.guarded(fetch(thing, name), name, guard_getattr)


def _obj(thing: Any, name: str, fetch: Fetch) -> Any:
    # Of an AttributeError: whatever it was missing in, of whatever insides.
    found = fetch(thing, name)
    hidden = issubclass(type(owner_of(thing)), AttributeError) and not is_users_own(found)
    if hidden or type(thing) is super:
        raise ForbiddenAttribute(names.refusal(name))
    return found


def _dict(thing: Any, name: str, fetch: Fetch) -> Any:
    if is_module(thing):
        return {one: getattr(thing, one) for one in dir(thing) if not one.startswith("_")}
    found = fetch(thing, name)
    if type(found) is types.MappingProxyType and is_users_own(thing):
        return _contents(found)
    if is_users_own(thing) or type(thing) in also_shown:
        return found
    if issubclass(type(thing), BaseException) and not issubclass(type(thing), BaseExceptionGroup):
        return found
    if issubclass(type(thing), type):
        return {one: value for one, value in found.items() if _is_harmless(one)}
    raise ForbiddenAttribute("`__dict__` and `vars` work on your own objects and classes only")


def _contents(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of a class of one's own, without what only a guard may hand out.

    A copy, since a proxy hands the real dictionary to whatever it is compared with.
    """
    shown = {
        name: value
        for name, value in found.items()
        if name not in _GUARDS or is_users_own(getattr(value, "__func__", value))
    }
    if "__annotations__" in found:
        shown["__annotations__"] = dict(found["__annotations__"])
    return types.MappingProxyType(shown)


def _is_harmless(name: str) -> bool:
    if name.startswith("_"):
        return name in names.READABLE_DUNDERS
    return name not in names.GUARDED_ATTRIBUTES | names.FORBIDDEN_ATTRIBUTES


def _lineage(thing: Any, name: str, fetch: Fetch) -> Any:
    """What a class is made of, as far as user code may see it."""
    found = fetch(thing, name)
    if name == "mro":
        bound = type(found) is types.BuiltinMethodType and issubclass(type(found.__self__), type)
        if bound or found is type.mro:
            return lambda *kind: list(_visible(found(*kind)))
        return found
    return _visible(found) if type(found) is tuple else next(iter(_visible((found,))), object)


def _visible(kinds: Iterable[type]) -> tuple[type, ...]:
    shown = (
        kind
        for kind in kinds
        if kind in user_types or kind in visible_classes or (kind is not type and is_builtin(kind))
    )
    return tuple(shown)


def _subclasses(thing: Any, name: str, fetch: Fetch) -> Any:
    found = fetch(thing, name)
    if not is_users_own(thing) and thing is not OfferedType:
        raise ForbiddenAttribute(f"`{name}` works on your own classes only")
    return lambda *kind: [one for one in found(*kind) if one in user_types]


def _disguised(thing: Any, name: str, fetch: Fetch) -> Any:
    """Of generic aliases: the types that they were made of."""
    found = fetch(thing, name)
    return tuple(map(disguised, found)) if type(found) is tuple else disguised(found)


def _of_own(thing: Any, name: str, fetch: Fetch) -> Any:
    """Of functions and classes of one's own; a copy of what could be changed."""
    found = fetch(thing, name)
    if not is_users_own(thing.__func__ if type(thing) is types.MethodType else thing):
        raise ForbiddenAttribute(f"`{name}` can be read of your own functions and classes only")
    return dict(found) if type(found) is dict else found


def _code(thing: Any, name: str, fetch: Fetch) -> Any:
    """What a function's code tells of its parameters; the code itself makes other functions."""
    method = thing.__func__ if type(thing) is types.MethodType else thing
    if type(method) is not types.FunctionType or not is_users_own(method):
        raise ForbiddenAttribute(names.refusal(name))
    code = fetch(method, name)
    return SimpleNamespace(**{fact: getattr(code, fact) for fact in _CODE_FACTS})


_CODE_FACTS = (
    "co_argcount co_posonlyargcount co_kwonlyargcount co_name co_qualname co_varnames "
    "co_freevars co_flags co_firstlineno"
).split()


def _of_method(thing: Any, name: str, fetch: Fetch) -> Any:
    found = fetch(thing, name)
    if type(thing) in (types.MethodType, staticmethod, classmethod) and is_users_own(
        thing.__func__
    ):
        return found
    raise ForbiddenAttribute(f"`{name}` can be read of your own methods only")


def _new(thing: Any, name: str, fetch: Fetch) -> Any:
    found = fetch(thing, name)
    if type(found) is types.BuiltinMethodType and found.__self__ is type:
        return OfferedType.__new__
    return found


def _copied(thing: Any, name: str, fetch: Fetch) -> Any:
    """Members and fields: the library reads them too, so they are kept from being changed."""
    found = fetch(thing, name)
    if type(found) is types.MappingProxyType:
        return types.MappingProxyType(dict(found))
    return dict(found) if type(found) is dict else found


# Binding by these calls what user code has given them, or nothing at all.
_BINDING = (types.FunctionType, types.MethodType, property, staticmethod)


def _descriptor(thing: Any, name: str, fetch: Fetch) -> Any:
    """Of slots and cached properties, these read and write whatever they are given."""
    found = fetch(thing, name)
    kind = type(found)
    if kind is types.FunctionType or kind is types.MethodType:
        if is_users_own(getattr(found, "__func__", found)):
            return found
    elif kind is types.WrapperDescriptorType:
        if found.__objclass__ in _BINDING:
            return found
    elif kind is types.MethodWrapperType:
        bound = found.__self__
        if issubclass(type(bound), _BINDING):
            return found
        if issubclass(type(bound), classmethod) and is_users_own(bound.__func__):
            return found
        if type(bound) is types.MemberDescriptorType and bound.__objclass__ in user_types:
            return found
    raise ForbiddenAttribute(f"`{name}` of a {type(owner_of(thing)).__name__} is out of reach here")


def _access(thing: Any, name: str, fetch: Fetch) -> Any:
    """`object.__setattr__` and its like: what they would do natively, by the guard.

    Bound to an object, also by `super()`, or taken from a class, to be given one.
    """
    found = fetch(thing, name)
    if is_users_own(getattr(found, "__func__", found)):
        return found
    access = _ACCESSES[name]
    if type(found) in (types.MethodType, types.MethodWrapperType):
        # The object needn't be given; it is known.
        return lambda *rest: access(lambda _thing, *more: found(*more), found.__self__, *rest)
    return lambda *given: access(found, *given)


def _set(native: Callable[..., Any], thing: Any, name: Any, value: Any, /) -> None:
    shared = type(thing) is types.FunctionType or issubclass(type(thing), type)
    if type(name) is str and names.is_dunder(name) and (shared or name == "__class__"):
        # Whoever made this call, anybody may have it called: an iterator, a callback.
        raise ForbiddenAttribute(f"`{name}` is set by an assignment or `setattr` only")
    native(thing, name, written(thing, name, value))


def _delete(native: Callable[..., Any], thing: Any, name: Any, /) -> None:
    check_written_name(name)
    native(guard_write(thing), name)


def _get(native: Callable[..., Any], thing: Any, name: Any, /) -> Any:
    return _look_up(thing, name, native)


_ACCESSES: dict[str, Callable[..., Any]] = {
    "__setattr__": _set,
    "__delattr__": _delete,
    "__getattribute__": _get,
    "__getattr__": _get,
}

_GUARDS: dict[str, Callable[[Any, str, Fetch], Any]] = {
    "__class__": _class,
    "format": _format,
    "format_map": _format,
    "obj": _obj,
    "__dict__": _dict,
    "__init__": filling.initializer,
    "__new__": _new,
    "__code__": _code,
    "__subclasses__": _subclasses,
    **dict.fromkeys(("mro", "__mro__", "__bases__", "__base__"), _lineage),
    **dict.fromkeys(
        ("__origin__", "__args__", "__parameters__", "__orig_bases__", "__orig_class__"),
        _disguised,
    ),
    **dict.fromkeys(("__annotations__", "__defaults__", "__kwdefaults__"), _of_own),
    **dict.fromkeys(("__self__", "__func__"), _of_method),
    **dict.fromkeys(("__getstate__", "__setstate__"), filling.state),
    **dict.fromkeys(("__members__", "__dataclass_fields__"), _copied),
    **dict.fromkeys(("__get__", "__set__", "__delete__"), _descriptor),
    **dict.fromkeys(_ACCESSES, _access),
}


class ByTheGuard:
    """Stands for an object in a statement that stores to it under a name that a guard knows."""

    __slots__ = ("_thing",)

    def __init__(self, thing: Any) -> None:
        object.__setattr__(self, "_thing", thing)

    def __getattribute__(self, name: str) -> Any:
        return guard_getattr(_stood_for(self), name)

    def __setattr__(self, name: str, value: Any) -> None:
        write_attribute(_stood_for(self), name, value)

    def __delattr__(self, name: str) -> None:
        delete_attribute(_stood_for(self), name)


_stood_for: Callable[[ByTheGuard], Any] = ByTheGuard.__dict__["_thing"].__get__
