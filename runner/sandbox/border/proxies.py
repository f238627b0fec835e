"""Objects of another process as this one sees them: each operation is asked of their own side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from runner.sandbox.border.asker import Origin
from runner.sandbox.border.dataclass_fields import FIELDS, build_fields
from runner.sandbox.border.parts import parts_in
from runner.sandbox.border.protocol import (
    Operation,
    is_public,
)


class Proxy:
    """An object of another process."""

    __slots__ = ("__weakref__", "_origin")

    def __getattr__(self, name: str) -> Any:
        if name == FIELDS:
            return getattr(type(self), name)
        if not is_public(name):
            raise AttributeError(f"{name} of an object in another process can't be read")
        asker, number, _ = origin_of(self)
        return asker.ask(Operation.GET, number, name)

    def __setattr__(self, name: str, value: Any) -> None:
        asker, number, _ = origin_of(self)
        asker.ask(Operation.SET, number, _settable(name), (value,))

    def __delattr__(self, name: str) -> None:
        asker, number, _ = origin_of(self)
        asker.ask(Operation.DELETE, number, _settable(name))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object>"

    def __dir__(self) -> list[str]:
        return _not_ours(object.__dir__(self))

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        asker, number, _ = origin_of(self)
        content = asker.ask(Operation.SPECIAL, number, "__dict__")
        if type(content) is not dict:
            raise AttributeError("a __dict__ that is none")
        return content

    def __copy__(self) -> Any:
        asker, number, _ = origin_of(self)
        return asker.ask(Operation.SPECIAL, number, "__copy__")

    def __deepcopy__(self, memo: object) -> Any:
        asker, number, _ = origin_of(self)
        return asker.ask(Operation.SPECIAL, number, "__deepcopy__")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(f"{type(self).__name__} is in another process, so it can't be pickled here")


def _settable(name: str) -> str:
    if not is_public(name):
        raise AttributeError(f"{name} of an object in another process can't be changed")
    return name


def _not_ours(names: Iterable[str]) -> list[str]:
    """Return public and special names, without those by which proxies work."""
    return sorted(name for name in names if name[:1] != "_" or name[:2] == "__")


_get_origin: Callable[[Any], Origin] = vars(Proxy)["_origin"].__get__
_set_origin: Callable[[Any, Origin], None] = vars(Proxy)["_origin"].__set__


def is_proxy(value: object) -> bool:
    """Tell whether this is an object of another process, whatever it says of its class."""
    return issubclass(type(value), Proxy)


def origin_of(proxy: Any) -> Origin:
    return _get_origin(proxy)


def keep_watch(proxy: Any, sent: Sequence[Any]) -> None:
    """Remember what was sent with the call that returned a proxy: its iteration may change it."""
    _set_origin(proxy, origin_of(proxy)._replace(watched=sent))


vars_of: Callable[[type], Mapping[str, Any]] = vars(type)["__dict__"].__get__
mro_of: Callable[[type], tuple[type, ...]] = vars(type)["__mro__"].__get__


class Mirror(type):
    """The class of mirrors of classes that cross by handle."""

    _class_origin: Origin | None = None
    _shared_name: tuple[str, ...] = ()
    _decides = False  # what its instances are, beyond what its bases say

    def __new__(
        cls, name: str, bases: tuple[type, ...], space: dict[str, Any], *, origin: Any = None
    ) -> Mirror:
        if origin is None:
            message = f"{bases[0].__name__} is in another process, so it can't be subclassed here"
            raise TypeError(message)
        made = super().__new__(cls, name, bases, space)
        type.__setattr__(made, "_class_origin", origin)
        return made

    def __init__(cls, *given: Any, **_: Any) -> None:
        super().__init__(*given)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        asker, number, _ = class_origin_of(cls)
        return asker.ask(Operation.CALL, number, "", (*args, *kwargs.values()), (*kwargs,))

    def __getattr__(cls, name: str) -> Any:
        if name == FIELDS:
            asker, number, _ = class_origin_of(cls)
            return build_fields(asker.ask(Operation.SPECIAL, number, name))
        if not is_public(name):
            raise AttributeError(f"{name} of a class in another process can't be read")
        asker, number, _ = class_origin_of(cls)
        return asker.ask(Operation.GET, number, name)

    def __getitem__(cls, key: Any) -> Any:
        asker, number, _ = class_origin_of(cls)
        return asker.ask(Operation.SPECIAL, number, "__getitem__", (key,))

    def __iter__(cls) -> Any:
        asker, number, _ = class_origin_of(cls)
        return asker.results.counted(iter(asker.ask(Operation.SPECIAL, number, "__iter__")), number)

    def __len__(cls) -> int:
        asker, number, _ = class_origin_of(cls)
        return asker.ask(Operation.SPECIAL, number, "__len__")  # type: ignore[no-any-return]

    def __bool__(cls) -> bool:
        return True

    def __instancecheck__(cls, instance: Any) -> bool:
        if super().__instancecheck__(instance) or cls._is_shared_by(type(instance)):
            return True
        if not cls._decides:
            return False
        asker, number, _ = class_origin_of(cls)
        return asker.ask(Operation.SPECIAL, number, "__instancecheck__", (instance,)) is True

    def __subclasscheck__(cls, subclass: type) -> bool:
        if super().__subclasscheck__(subclass) or cls._is_shared_by(subclass):
            return True
        if not cls._decides:
            return False
        asker, number, _ = class_origin_of(cls)
        return asker.ask(Operation.SPECIAL, number, "__subclasscheck__", (subclass,)) is True

    def _is_shared_by(cls, other: type) -> bool:
        """Tell whether that class, or a base of it, is the same one of another process."""
        name = cls._shared_name
        return bool(name) and any(getattr(e, "_shared_name", ()) == name for e in other.__mro__)

    @property
    def __mro__(cls) -> tuple[type, ...]:
        return tuple(each for each in mro_of(cls) if each is not Proxy)

    @property  # type: ignore[misc]
    def __dict__(cls) -> Mapping[str, Any]:  # type: ignore[override]
        return _Content(cls)

    @property
    def __doc__(cls) -> Any:  # type: ignore[override]
        return Mirror.__getattr__(cls, "__doc__")

    def __setattr__(cls, name: str, value: Any) -> None:
        asker, number, _ = class_origin_of(cls)
        asker.ask(Operation.SET, number, _settable(name), (value,))

    def __delattr__(cls, name: str) -> None:
        asker, number, _ = class_origin_of(cls)
        asker.ask(Operation.DELETE, number, _settable(name))

    def __dir__(cls) -> list[str]:
        return _not_ours(super().__dir__())


class Member:
    """A public name that a class defines: it is there for who looks at the mirror alone."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, thing: Proxy | None, cls: Mirror) -> Any:
        asker, number, _ = class_origin_of(cls) if thing is None else origin_of(thing)
        return asker.ask(Operation.GET, number, self._name)


class _Content(Mapping[str, Any]):
    """What a mirrored class defines itself: each value is asked for when it is wanted."""

    def __init__(self, cls: Mirror) -> None:
        self._cls = cls

    def __getitem__(self, name: str) -> Any:
        found = vars_of(self._cls)[name]
        if type(found) is not Member:
            return found
        asker, number, _ = class_origin_of(self._cls)
        return asker.ask(Operation.SPECIAL, number, "__dict__", (name,))

    def __iter__(self) -> Iterator[str]:
        return iter(_not_ours(vars_of(self._cls)))

    def __len__(self) -> int:
        return len(_not_ours(vars_of(self._cls)))


def class_origin_of(cls: Mirror) -> Origin:
    origin = cls._class_origin
    if origin is None:
        raise TypeError("this class isn't a mirror of any")
    return origin


def make_proxy(cls: type[Proxy], origin: Origin) -> Proxy:
    """Make a proxy of a mirrored class."""
    _set_origin(made := object.__new__(cls), origin)
    return made


def proxies_in(values: Sequence[Any]) -> Iterator[Any]:
    """Give the proxies in values, and in containers among them."""
    return filter(is_proxy, parts_in(values))
