"""Proxies of objects in another process, which forward each operation to it."""

from __future__ import annotations

import contextlib
import functools
from abc import ABCMeta
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple, NoReturn, Protocol

from runner.sandbox.border.protocol import RESUMING, Operation, is_public
from runner.sandbox.border.states import FIELDS, build_fields, parts_in


class Asker(Protocol):
    """The interface of a border's end for proxies."""

    is_judge: bool
    is_strict: bool
    results: Any  # `rules.Results`
    mediator: Any  # `references.Mediator`, if several processes share classes
    awaiting: Callable[..., Coroutine[Any, Any, Any]]

    def ask(self, *args: Any, **keywords: Any) -> Any: ...
    def abandon(self, number: int, watched: Sequence[Any]) -> None: ...


class Origin(NamedTuple):
    """The place of the object behind a proxy, or of the class behind a mirror."""

    asker: Asker
    number: int
    watched: Sequence[Any] = ()  # objects sent with the call that returned it

    def get(self, name: str) -> Any:
        if not is_public(name):
            raise AttributeError(f"{name} of an object in another process can't be read")
        return self.asker.ask(Operation.GET, self.number, name)

    def call(self, args: Sequence[Any], keywords: Mapping[str, Any], method: str = "") -> Any:
        """Call the object; or with `method`, call that of a class on the first argument."""
        operation = Operation.METHOD if method else Operation.CALL
        values = (*args, *keywords.values())
        return self.asker.ask(operation, self.number, method, values, (*keywords,))

    def special(self, name: str, *args: Any) -> Any:
        """Call a special method of the object."""
        watched = self.watched if name in RESUMING else ()
        return self.asker.ask(Operation.SPECIAL, self.number, name, args, watched=watched)

    def awaiting(self, name: str, args: Sequence[Any], owner: object) -> Coroutine[Any, Any, Any]:
        """Return a coroutine that awaits the result of a special method."""
        return self.asker.awaiting(self.number, name, args, self.watched, owner)


def is_proxy(value: object) -> bool:
    """Return whether this is a proxy; not misled by `__class__`."""
    return issubclass(type(value), Proxy)


def origin_of(thing: Any) -> Origin:
    """Return the origin of a proxy or of a mirrored class."""
    return _get_origin(thing) if is_proxy(thing) else thing._class_origin  # noqa: SLF001


def _set(self: Any, name: str, value: Any) -> None:
    origin = origin_of(self)
    origin.asker.ask(Operation.SET, origin.number, name, (value,))


def _delete(self: Any, name: str) -> None:
    origin = origin_of(self)
    origin.asker.ask(Operation.DELETE, origin.number, name)


def _not_ours(names: Iterable[str]) -> list[str]:
    """Return public and special names, without the private names of proxies."""
    return sorted(name for name in names if name[:1] != "_" or name[:2] == "__")


def call(self: Any, *args: Any, **keywords: Any) -> Any:
    return origin_of(self).call(args, keywords)


def shared_name(mirror: Any) -> tuple[str, ...]:
    """Return module and name of a shared class; empty if the mirrored class isn't shared."""
    return getattr(mirror, "_shared_name", ())


@functools.cache
def forward(name: str) -> Callable[..., Any]:
    return lambda self, *args: origin_of(self).special(name, *args)


doc = property(lambda self: origin_of(self).get("__doc__"))


class Proxy:
    """An object of another process."""

    def __init_subclass__(cls) -> None:
        """Do nothing, so that hooks of abstract base classes don't run for mirrors."""

    __slots__ = ("__weakref__", "_origin")
    __setattr__ = _set
    __delattr__ = _delete
    __copy__ = forward("__copy__")

    def __getattr__(self, name: str) -> Any:
        return getattr(type(self), name) if name == FIELDS else origin_of(self).get(name)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return vars_of(type(self)).get("_face", type(self))

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        content = origin_of(self).special("__dict__")
        if type(content) is not dict:
            raise AttributeError("a __dict__ that is none")
        return content

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object>"

    def __dir__(self) -> list[str]:
        return _not_ours(object.__dir__(self))

    def __deepcopy__(self, memo: object) -> Any:
        return origin_of(self).special("__deepcopy__")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(f"{type(self).__name__} is in another process, so it can't be pickled here")


class Remote(BaseException):
    """The base of mirrored exception classes of the other process.

    Their instances are real exceptions here, which forward other attributes to their original.
    """

    border_origin: Any = None
    border_text: str | None = None

    def __str__(self) -> str:
        return super().__str__() if self.border_text is None else self.border_text

    def __getattr__(self, name: str) -> Any:
        return self.border_origin.get(name)


_get_origin: Callable[[Any], Origin] = vars(Proxy)["_origin"].__get__
_set_origin: Callable[[Any, Origin], None] = vars(Proxy)["_origin"].__set__


def make_proxy(cls: type[Proxy], origin: Origin) -> Proxy:
    """Make a proxy of a mirrored class."""
    _set_origin(made := object.__new__(cls), origin)
    return made


def keep_watch(proxy: Any, sent: Sequence[Any]) -> None:
    """Store the objects sent with the call that returned a proxy, which it may change later."""
    _set_origin(proxy, origin_of(proxy)._replace(watched=sent))


def proxies_in(values: Sequence[Any]) -> Iterator[Any]:
    """Yield the proxies in values, and in containers among them."""
    return filter(is_proxy, parts_in(values))


# --- classes --------------------------------------------------------------------------------------

vars_of: Callable[[type], Mapping[str, Any]] = vars(type)["__dict__"].__get__


def _shown(attribute: str) -> Any:
    """Return a property for `__mro__` or `__bases__` that hides the classes of this module."""
    get = vars(type)[attribute].__get__

    def shown(cls: type) -> tuple[type, ...]:
        found = [each for each in get(cls) if each not in (Proxy, Remote)] or [object]
        return (*dict.fromkeys(vars_of(each).get("_seen_as") or each for each in found),)

    return property(shown)


_get_mro: Callable[[type], tuple[type, ...]] = vars(type)["__mro__"].__get__
_layout = attrgetter("__basicsize__", "__dictoffset__", "__weakrefoffset__")


class Mirror(type):
    """The metaclass of mirrors, except of classes whose objects cross by value."""

    _class_origin: Origin
    _shared_name: tuple[str, ...] = ()
    _decides = False  # the class has its own `__instancecheck__`

    def __new__(
        cls, name: str, bases: tuple[type, ...], space: dict[str, Any], *, origin: Any = None
    ) -> Mirror:
        if origin is None:
            message = f"{bases[0].__name__} is in another process, so it can't be subclassed here"
            raise TypeError(message)
        return super().__new__(cls, name, bases, space | {"_class_origin": origin})

    def mro(cls) -> list[type]:
        """Add an abstract class that both processes have after its mirror, for `issubclass`."""
        found, seen_as = super().mro(), vars_of(cls).get("_seen_as", object)
        # It must not change the memory layout of objects.
        is_bare = type(seen_as) is ABCMeta and _layout(seen_as) == _layout(object)
        mirrors = [each for each in found if issubclass(each, Proxy)]
        return [*mirrors, *_get_mro(seen_as)] if is_bare else found

    __call__ = call
    __setattr__ = _set
    __delattr__ = _delete
    __getitem__ = forward("__getitem__")
    __len__ = forward("__len__")
    __reversed__ = forward("__reversed__")
    __doc__ = doc
    __mro__ = _shown("__mro__")
    __bases__ = _shown("__bases__")

    def __iter__(cls) -> Any:
        origin = origin_of(cls)
        return origin.asker.results.counted(origin.special("__iter__"), origin.number)

    def __getattr__(cls, name: str) -> Any:
        origin = origin_of(cls)
        return build_fields(origin.special(name)) if name == FIELDS else origin.get(name)

    def __contains__(cls, sought: Any) -> bool:
        origin = origin_of(cls)
        if origin.asker.is_strict:
            return any(each is sought or each == sought for each in cls)
        return bool(origin.special("__contains__", sought))

    @property  # type: ignore[misc]
    def __dict__(cls) -> Mapping[str, Any]:  # type: ignore[override]
        return _Content(cls)

    def __dir__(cls) -> list[str]:
        return _not_ours(super().__dir__())

    def __bool__(cls) -> bool:
        return True

    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or cls._includes(type(instance), instance)

    def __subclasscheck__(cls, kind: type) -> bool:
        return super().__subclasscheck__(kind) or cls._includes(kind)

    def _includes(cls, kind: type, *instance: Any) -> bool:
        """Return whether a class is the same shared class, or is accepted by the class's check."""
        name, check = cls._shared_name, "__instancecheck__" if instance else "__subclasscheck__"
        if name and any(getattr(each, "_shared_name", ()) == name for each in kind.__mro__):
            return True
        return cls._decides and origin_of(cls).special(check, *(instance or (kind,))) is True


def make_mirrored(name: str, mirrors: Iterable[type], space: dict[str, Any], origin: Origin) -> Any:
    """Make the mirror of a class; `space["_seen_as"]` is the class that both sides have, if any.

    The `__class__` of its objects is that class; for derived classes, it is a new class with their
    name that extends it.
    """
    above = (*mirrors,) or (Proxy,)
    try:
        made = Mirror(name, above, space, origin=origin)
    except TypeError:
        # The bases have no consistent order without those that aren't mirrored.
        made = Mirror(name, (Proxy,), space, origin=origin)
    face = space.get("_seen_as")
    if face is None:
        faces = [*filter(None, (vars_of(each).get("_face") for each in above))]
        with contextlib.suppress(TypeError):
            face = type(name, (*faces,), {"__slots__": ()}) if faces else None
    if face is not None:
        type.__setattr__(made, "_face", face)
    return made


class Member:
    """A public name that a class defines, so that it is in the mirror's `__dict__`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, thing: Proxy | None, cls: Mirror) -> Any:
        return origin_of(cls if thing is None else thing).get(self._name)


class _Content(Mapping[str, Any]):
    """The `__dict__` of a mirrored class, whose values are fetched on access."""

    def __init__(self, cls: Mirror) -> None:
        self._cls, self._names = cls, _not_ours(vars_of(cls))

    def __getitem__(self, name: str) -> Any:
        found = vars_of(self._cls)[name]
        if type(found) is Member:
            return origin_of(self._cls).special("__dict__", name)
        return found.__get__(None, self._cls) if isinstance(found, Member) else found

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
