"""How user code makes classes: by statements, by metaclasses of its own, by `type(name, ...)`.

Whichever way, the namespace is looked at before there is a class, and the class counts as the
user's own before any of its hooks hears of it. The real `type` makes classes of names that nobody
has checked, so it is handed out to nobody.
"""

from __future__ import annotations

import abc
import builtins
import types
from collections.abc import Mapping
from typing import Any

from runner.sandbox import names
from runner.sandbox.members import check_bases, checked, finished, home_modules
from runner.sandbox.ownership import user_types


class _TypeOfMetaclasses(type):
    def __call__(cls, *arguments: Any, **keywords: Any) -> Any:
        if cls not in _STANDS_FOR:
            return super().__call__(*arguments, **keywords)
        if cls is OfferedType and len(arguments) == 1 and not keywords:
            return class_of(arguments[0])
        if len(arguments) != 3:
            raise TypeError("type() takes 1 or 3 arguments")
        name, bases, namespace = arguments
        return _Maker(cls)(name, bases, dict(namespace), **keywords)

    def __instancecheck__(cls, thing: Any) -> bool:
        return type.__instancecheck__(_STANDS_FOR.get(cls, cls), thing)

    def __subclasscheck__(cls, kind: Any) -> bool:
        return type.__subclasscheck__(_STANDS_FOR.get(cls, cls), kind)


class OfferedType(type, metaclass=_TypeOfMetaclasses):
    """What user code sees as `type`, and derives its metaclasses from."""

    def __new__(
        cls, name: str, bases: tuple[type, ...], namespace: Mapping[str, Any], /, **keywords: Any
    ) -> Any:
        metaclass: Any = _STANDS_FOR.get(cls, cls)
        body = checked(dict(namespace), bases)
        return finished(type.__new__(metaclass, name, bases, body, **keywords))

    def __class_getitem__(cls, parameters: Any) -> types.GenericAlias:
        return types.GenericAlias(cls, parameters)


class OfferedABCMeta(abc.ABCMeta, OfferedType):
    """What user code sees as `abc.ABCMeta`."""


_STANDS_FOR: dict[Any, type] = {OfferedType: type, OfferedABCMeta: abc.ABCMeta}
_STAND_INS: dict[type, Any] = {real: offered for offered, real in _STANDS_FOR.items()}
for _offered, _real in _STANDS_FOR.items():
    type.__setattr__(_offered, "__name__", _real.__name__)
    type.__setattr__(_offered, "__qualname__", _real.__name__)
    type.__setattr__(_offered, "__module__", _real.__module__)


def class_of(thing: object) -> Any:
    """What `type(thing)` and `thing.__class__` are to user code."""
    kind = type(thing)
    return (
        kind
        if kind in user_types or not issubclass(kind, type)
        else _STAND_INS.get(kind, OfferedType)
    )


def disguised(thing: Any) -> Any:
    """A class as user code may see it."""
    if thing is type or thing is abc.ABCMeta:
        return _STAND_INS[thing]
    return thing


def build_class(
    body: Any, name: str, /, *bases: Any, metaclass: Any = None, **keywords: Any
) -> Any:
    """What a class statement calls."""
    home_modules.add(body.__globals__["__name__"])
    maker: Any = _Maker(metaclass)
    return builtins.__build_class__(body, name, *bases, metaclass=maker, **keywords)


class _Maker:
    """What Python's own class statement takes for a metaclass."""

    __slots__ = ("_wanted",)

    def __init__(self, wanted: Any) -> None:
        self._wanted = wanted

    def __prepare__(self, name: str, bases: tuple[Any, ...], /, **keywords: Any) -> Any:
        maker = self._metaclass(bases)
        namespace = maker.__prepare__(name, bases, **keywords) if maker is not type else {}
        return _Body(namespace) if maker in user_types else namespace

    def __call__(
        self, name: str, bases: tuple[Any, ...], namespace: Any, /, **keywords: Any
    ) -> Any:
        maker = self._metaclass(bases)
        if maker in user_types or not isinstance(maker, type):
            made = maker(name, bases, _names_of(namespace), **keywords)
        else:
            made = maker(name, bases, checked(namespace, bases), **keywords)
        return finished(made) if issubclass(type(made), type) else made

    def _metaclass(self, bases: tuple[Any, ...]) -> Any:
        """As Python finds it: the most derived of what is asked for and what the bases have."""
        check_bases(bases)
        maker = type if self._wanted is None else _STANDS_FOR.get(self._wanted, self._wanted)
        if not isinstance(maker, type):
            return maker
        for kind in map(type, bases):
            if issubclass(kind, maker):
                maker = kind
            elif not issubclass(maker, kind):
                raise TypeError(
                    "metaclass conflict: the metaclass of a derived class must be a (non-strict) "
                    "subclass of the metaclasses of all its bases"
                )
        return maker


_VISIBLE_IN_BODIES = names.DEFINABLE_DUNDERS | names.OF_THE_COMPILER


class _Body:
    """The names of a class body where the user's own mapping keeps them.

    The body's statements are rewritten too, and look our names up here first.
    """

    __slots__ = ("names",)

    def __init__(self, users: Any) -> None:
        self.names = users

    def __iter__(self) -> Any:
        return iter(self.names)

    def __getitem__(self, name: str) -> Any:
        if names.is_private_clash(name) and name not in _VISIBLE_IN_BODIES:
            raise KeyError(name)
        return self.names[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.names[name] = value

    def __delitem__(self, name: str) -> None:
        del self.names[name]


def _names_of(namespace: Any) -> Any:
    return namespace.names if type(namespace) is _Body else namespace
