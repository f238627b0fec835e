"""What user code gets when it imports: read-only stand-ins for modules of the standard library."""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import importlib
import inspect
import operator
import pprint
import sys
import types
import typing
from collections.abc import Callable
from typing import Any

from runner.sandbox import names
from runner.sandbox.guards import (
    Forbidden,
    OfferedType,
    SimpleNamespace,
    guard_write,
    is_users_own,
    user_types,
)
from runner.sandbox.importable import IMPORTABLE, Offer


class Shim:
    """A module's stand-in. It has no `__name__`, or importing from it would try `sys.modules`."""

    __slots__ = ("__dict__", "_title")

    def __init__(self, title: str, contents: dict[str, Any]) -> None:
        if hasattr(self, "_title"):
            raise Forbidden("modules can't be changed")
        object.__setattr__(self, "_title", title)
        self.__dict__.update(contents)

    def __setattr__(self, name: str, value: Any) -> None:
        raise Forbidden("modules can't be changed")

    __delattr__ = __setattr__  # type: ignore[assignment]

    def __str__(self) -> str:
        return str(self._title)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"<module {self}>"

    def __reduce__(self) -> str:
        raise Forbidden("modules can't be copied")


def _wraps(wrapped: Any, *_assigned: Any, **_updated: Any) -> Callable[[Any], Any]:
    """functools.wraps with a fixed list of attributes: `assigned` could name `__code__`."""

    def adopt(function: Any) -> Any:
        if type(function) is types.FunctionType and is_users_own(function):
            for name in ("__name__", "__qualname__", "__doc__"):
                value = getattr(wrapped, name, None)
                if type(value) is str:
                    setattr(function, name, value)
        return function

    return adopt


def _singledispatch(function: Any) -> Any:
    """functools.singledispatch whose `register` takes classes only: annotations are evaluated."""
    dispatching: Any = functools.singledispatch(function)
    register = dispatching.register

    def register_class(kind: Any, implementation: Any = None) -> Any:
        if not isinstance(kind, type):
            raise Forbidden("register needs the class: `@f.register(int)`")
        return register(kind, implementation)

    dispatching.register = register_class
    return dispatching


def _check_fields(fields: Any) -> list[str]:
    named = fields.replace(",", " ").split() if isinstance(fields, str) else [*fields]
    for name in named:
        if type(name) is not str or name in names.FORBIDDEN_ATTRIBUTES | names.GUARDED_ATTRIBUTES:
            raise Forbidden(f"`{name}` can't be a field's name here")
    return named


def _namedtuple(
    typename: str, field_names: Any, *, rename: bool = False, defaults: Any = None
) -> Any:
    """collections.namedtuple; patterns read its fields by position, so their names matter."""
    fields = _check_fields(field_names)
    make: Any = collections.namedtuple  # noqa: PYI024
    made: Any = make(typename, fields, rename=bool(rename), defaults=defaults, module="namedtuple")
    user_types.add(made)
    return made


class _NamedTupleSyntax:
    """typing.NamedTuple as a base class or a call, whose fields are checked either way."""

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        entries: Any = typing.NamedTuple.__mro_entries__  # type: ignore[attr-defined]
        return tuple(entries((typing.NamedTuple,)))

    def __call__(self, typename: str, fields: Any = (), /) -> Any:
        pairs = [(name, kind) for name, kind in fields]
        _check_fields([name for name, _ in pairs])
        made: Any = typing.NamedTuple(typename, pairs)  # type: ignore[misc]
        user_types.add(made)
        return made


def _dataclass(cls: Any = None, /, **options: Any) -> Any:
    def make(users: Any) -> Any:
        if users not in user_types:
            raise Forbidden("`dataclass` works on your own classes only")
        # Those of a TypedDict were never seen by the policy; the names become text that is run.
        for name in _check_fields(inspect.get_annotations(users)):
            if name.startswith("__") or not name.isidentifier():
                raise Forbidden(f"`{name}` can't be a field's name here")
        made = dataclasses.dataclass(users, **options)
        user_types.add(made)
        return made

    return make if cls is None else make(cls)


def _get_origin(kind: Any) -> Any:
    origin = typing.get_origin(kind)
    return OfferedType if origin is type else origin


def _total_ordering(cls: Any) -> Any:
    return functools.total_ordering(guard_write(cls))


def _setitem(thing: Any, key: Any, value: Any) -> None:
    operator.setitem(guard_write(thing), key, value)


def _delitem(thing: Any, key: Any) -> None:
    operator.delitem(guard_write(thing), key)


class _ClassSyntaxOnly(enum.EnumMeta):
    """Enum's functional interface would define names that nobody has checked."""

    def __call__(cls, value: Any, *arguments: Any, **keywords: Any) -> Any:
        if arguments or keywords:
            raise Forbidden("define an enum with `class`, not by calling one")
        return super().__call__(value)


def _enum(base: type) -> Any:
    name = base.__name__
    bases = (base,)
    return _ClassSyntaxOnly(name, bases, _ClassSyntaxOnly.__prepare__(name, bases))


def _pprint(thing: Any, stream: None = None, **options: Any) -> None:
    """pprint.pprint onto what `print` writes to, which it gives to nobody."""
    if stream is not None:
        raise Forbidden("`pprint` prints to the log; pprint.pformat gives the text")
    sys.stdout.write(pprint.pformat(thing, **options) + "\n")


_REPLACED: dict[str, dict[str, Any]] = {
    "collections": {"namedtuple": _namedtuple},
    "dataclasses": {"dataclass": _dataclass},
    "enum": {
        base.__name__: _enum(base)
        for base in (enum.Enum, enum.IntEnum, enum.StrEnum, enum.Flag, enum.IntFlag)
    },
    "functools": {
        "wraps": _wraps,
        "singledispatch": _singledispatch,
        "total_ordering": _total_ordering,
    },
    "operator": {"setitem": _setitem, "delitem": _delitem},
    "pprint": {
        "pprint": _pprint,
        "pp": functools.partial(_pprint, sort_dicts=False),
    },
    "types": {"SimpleNamespace": SimpleNamespace},
    "typing": {"get_origin": _get_origin, "NamedTuple": _NamedTupleSyntax()},
}


def _make_shim(name: str, offer: Offer) -> Shim:
    module = importlib.import_module(name)
    public = getattr(module, "__all__", None) or dir(module)
    contents = {
        attribute: getattr(module, attribute)
        for attribute in (offer.only or public)
        if not attribute.startswith("_") and attribute not in offer.without
    }
    contents = {
        attribute: thing
        for attribute, thing in contents.items()
        if not isinstance(thing, types.ModuleType)
    }
    contents.update(_REPLACED.get(name, {}))
    return Shim(name, contents)


def make_shims() -> dict[str, Shim]:
    """A stand-in for every importable module, by its full name."""
    shims = {name: _make_shim(name, offer) for name, offer in IMPORTABLE.items()}
    shims["collections"].__dict__["abc"] = shims["collections.abc"]
    shims["__future__"] = Shim("__future__", {"annotations": None, "division": None})
    return shims


def make_import(shims: dict[str, Shim]) -> Callable[..., Shim]:
    """The `__import__` of user code."""

    def offered_import(
        name: str,
        _globals: Any = None,
        _locals: Any = None,
        fromlist: tuple[str, ...] | None = (),
        level: int = 0,
    ) -> Shim:
        shim = shims.get(name)
        if shim is None and name in sys.modules and not level:
            # The interpreter's own C code imports by the running frame's `__import__`, and takes
            # the module from elsewhere. User code has its import statements checked beforehand.
            return Shim(name, {})
        if shim is None or level:
            raise ImportError(f"`{name}` can't be imported here")
        for wanted in fromlist or ():
            if wanted not in shim.__dict__:
                raise ImportError(f"`{name}` has no `{wanted}` here")
        return shim if fromlist else shims[name.partition(".")[0]]

    return offered_import
