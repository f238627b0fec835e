"""Objects of another process as this one sees them: each operation is asked of their own side.

In the judge of a function, proxies are *strict*: none is equal to plain data, or calculates with
it, so that no object of an implementation passes for the value that a test expects.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from runner.sandbox.border.protocol import (
    ARITHMETIC,
    ASYNCHRONOUS,
    COMPARISONS,
    OF_CLASSES,
    RESUMING,
    SPECIAL,
    Operation,
    is_public,
)
from runner.sandbox.border.results import Results
from runner.sandbox.border.suppression import failing, may_suppress


class Asker(Protocol):
    """The end of a border that reaches the objects' own side."""

    is_judge: bool
    is_strict: bool
    results: Results
    mediator: Any  # between this process and others, if there are any

    def ask(
        self,
        operation: Operation,
        number: int,
        name: str,
        args: Sequence[Any] = (),
        keywords: Sequence[str] = (),
        watched: Sequence[Any] = (),
    ) -> Any:
        """Return what the operation on the object of this number gives, or raise what it raises.

        The last of `args` belong to the keywords. `watched` are objects that were sent earlier, and
        are changed here if they were changed there.
        """

    def abandon(self, number: int, watched: Sequence[Any]) -> None:
        """Close a generator that nobody here has any more."""

    def awaiting(
        self,
        number: int,
        name: str,
        args: Sequence[Any] = (),
        watched: Sequence[Any] = (),
        owner: object = None,
    ) -> Coroutine[Any, Any, Any]:
        """Return a coroutine that has what a special method returns awaited on its own side.

        Of `__await__`, the object itself. `owner` is the proxy, which is needed as long.
        """


class Origin(NamedTuple):
    """Where a proxy's object is."""

    asker: Asker
    number: int
    watched: Sequence[Any]  # what was sent with the call that returned it


class Proxy:
    """An object of another process."""

    __slots__ = ("__weakref__", "_origin")

    def __getattr__(self, name: str) -> Any:
        if not is_public(name):
            raise AttributeError(f"{name} of an object in another process can't be read")
        asker, number, _ = origin_of(self)
        return asker.ask(Operation.GET, number, name)

    def __setattr__(self, name: str, value: Any) -> None:
        asker, number, _ = origin_of(self)
        asker.ask(Operation.SET, number, name, (value,))

    def __delattr__(self, name: str) -> None:
        asker, number, _ = origin_of(self)
        asker.ask(Operation.DELETE, number, name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object>"

    def __dir__(self) -> list[str]:
        return sorted(name for name in object.__dir__(self) if name.startswith("__"))


_get_origin: Callable[[Any], Origin] = Proxy.__dict__["_origin"].__get__
_set_origin: Callable[[Any, Origin], None] = Proxy.__dict__["_origin"].__set__


def is_proxy(value: object) -> bool:
    """Tell whether this is an object of another process, whatever it says of its class."""
    return issubclass(type(value), Proxy)


def origin_of(proxy: Any) -> Origin:
    return _get_origin(proxy)


def keep_watch(proxy: Any, sent: Sequence[Any]) -> None:
    """Remember what was sent with the call that returned a proxy: its iteration may change it."""
    _set_origin(proxy, origin_of(proxy)._replace(watched=sent))


_get_mro: Callable[[type], tuple[type, ...]] = vars(type)["__mro__"].__get__


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
        return tuple(each for each in _get_mro(cls) if each is not Proxy)

    @property
    def __doc__(cls) -> Any:  # type: ignore[override]
        return cls.__getattr__("__doc__")

    def __setattr__(cls, name: str, value: Any) -> None:
        asker, number, _ = class_origin_of(cls)
        asker.ask(Operation.SET, number, name, (value,))


def class_origin_of(cls: Mirror) -> Origin:
    origin = cls._class_origin
    if origin is None:
        raise TypeError("this class isn't a mirror of any")
    return origin


def make_proxy(cls: type[Proxy], origin: Origin) -> Proxy:
    """Make a proxy of a mirrored class."""
    _set_origin(made := object.__new__(cls), origin)
    return made


def make_proxy_class(
    name: str, bases: Iterable[type], specials: Collection[str], origin: Origin
) -> type[Proxy]:
    """Make the mirror of a class whose objects cross by handle."""
    is_strict = origin.asker.is_strict
    space: dict[str, Any] = {"__slots__": (), "__qualname__": name, "__doc__": property(_doc)}
    for special in specials:
        if special in SPECIAL - OF_CLASSES:
            space[special] = _METHODS.get(special) or _forwarder(special)
            if is_strict and special in COMPARISONS | ARITHMETIC:
                space[special] = _strict(special)
    if is_strict and "__contains__" in space:
        space["__contains__"] = _contains
    if is_strict and "__eq__" in space:
        space["__ne__"] = object.__ne__  # so that nothing is both
    if "__len__" in space and not space.keys().isdisjoint(_ITERATED):
        space["__iter__"] = _iter
    if "__eq__" in space and "__hash__" not in space:
        space["__hash__"] = None
    above = tuple(base for base in bases if issubclass(base, Proxy)) or (Proxy,)
    make: Any = Mirror
    short = name.rpartition(".")[2]
    try:
        made = make(short, above, space, origin=origin)
    except TypeError:
        # Its bases have no common order without those that aren't mirrored.
        made = make(short, (Proxy,), space, origin=origin)
    type.__setattr__(made, "_decides", "__instancecheck__" in specials)
    return made  # type: ignore[no-any-return]


def _doc(self: Proxy) -> Any:
    return self.__getattr__("__doc__")


# --- special methods ------------------------------------------------------------------------------


def _forwarder(name: str) -> Callable[..., Any]:
    def forward(self: Proxy, *args: Any) -> Any:
        asker, number, watched = origin_of(self)
        if name not in RESUMING:
            watched = ()
        return asker.ask(Operation.SPECIAL, number, name, args, watched=watched)

    forward.__name__ = name
    return forward


def _strict(name: str) -> Callable[..., Any]:
    """Let the own side compare or calculate with its own objects only."""

    def compare(self: Proxy, *args: Any) -> Any:
        asker, number, _ = origin_of(self)
        if all(is_proxy(other) and origin_of(other).asker is asker for other in args):
            return asker.ask(Operation.SPECIAL, number, name, args)
        if asker.mediator and len(args) == 1 and is_proxy(args[0]):
            compared = asker.mediator.compare(name, self, args[0])
            if compared is not NotImplemented:
                return compared
        if name in ("__eq__", "__ne__"):
            return name == "__ne__"
        message = (
            f"{type(self).__name__} is a class of the implementation's; its objects can't be "
            "compared or calculated with, as plain data can"
        )
        raise TypeError(message)

    compare.__name__ = name
    return compare


def _contains(self: Any, sought: Any) -> bool:
    return any(each is sought or each == sought for each in self)


# What can be iterated over has one of these.
_ITERATED = frozenset({"__iter__", "__getitem__"})


def _iter(self: Proxy) -> Any:
    asker, number, _ = origin_of(self)
    return asker.results.counted(asker.ask(Operation.SPECIAL, number, "__iter__"), number)


def _call(self: Proxy, *args: Any, **kwargs: Any) -> Any:
    asker, number, _ = origin_of(self)
    return asker.ask(Operation.CALL, number, "", (*args, *kwargs.values()), (*kwargs,))


def expect_plain(function: Any, said: str) -> None:
    """Refuse results of a function's that aren't plain data; `said` is the annotation.

    A class that is called as a function is one, too.
    """
    origin = origin_of(function) if is_proxy(function) else vars(function).get("_class_origin")
    if origin is not None:
        origin.asker.results.plain[origin.number] = said


def _await(self: Proxy) -> Any:
    asker, number, watched = origin_of(self)
    return asker.awaiting(number, "__await__", (), watched, self).__await__()


def _awaiting(name: str) -> Callable[..., Any]:
    def forward(self: Proxy, *args: Any) -> Any:
        asker, number, watched = origin_of(self)
        return asker.awaiting(number, name, args, watched, self)

    forward.__name__ = name
    return forward


def _exit(self: Proxy, kind: Any, error: Any, _: Any) -> bool:
    # A traceback stays on its side.
    asker, number, watched = origin_of(self)
    wanted, asked = False, (kind, error, None)
    with failing(error, is_judge=asker.is_judge):
        wanted = bool(asker.ask(Operation.SPECIAL, number, "__exit__", asked, watched=watched))
    return wanted and (not asker.is_judge or may_suppress(error))


async def _aexit(self: Proxy, kind: Any, error: Any, _: Any) -> bool:
    asker, number, watched = origin_of(self)
    wanted, asked = False, (kind, error, None)
    with failing(error, is_judge=asker.is_judge):
        wanted = bool(await asker.awaiting(number, "__aexit__", asked, watched, self))
    return wanted and (not asker.is_judge or may_suppress(error))


_METHODS: dict[str, Callable[..., Any]] = {
    "__call__": _call,
    "__await__": _await,
    **{name: _awaiting(name) for name in ASYNCHRONOUS},
    "__exit__": _exit,
    "__aexit__": _aexit,
}
