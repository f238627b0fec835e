"""Mirrors of classes whose objects cross by handle: which special methods are passed on, and how.

In the judge of a function, proxies are *strict*: none is equal to plain data, or calculates with
it, so that no object of an implementation passes for the value that a test expects.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from runner.sandbox.border.asker import Origin
from runner.sandbox.border.protocol import (
    ARITHMETIC,
    ASYNCHRONOUS,
    COMPARISONS,
    OF_CLASSES,
    RESUMING,
    SPECIAL,
    Operation,
)
from runner.sandbox.border.proxies import (
    Mirror,
    Proxy,
    is_proxy,
    origin_of,
)
from runner.sandbox.border.suppression import failing, may_suppress, throwing


def make_proxy_class(
    name: str,
    bases: Iterable[type],
    specials: Collection[str],
    origin: Origin,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> type[Proxy]:
    """Make the mirror of a class whose objects cross by handle, with `more` attributes."""
    is_strict = origin.asker.is_strict
    space: dict[str, Any] = {
        **more,
        "__slots__": (),
        "__qualname__": name,
        "__doc__": property(_doc),
    }
    for special in specials:
        if special in SPECIAL - OF_CLASSES and special not in more:
            space[special] = _METHODS.get(special) or _forwarder(special)
            if is_strict and special in COMPARISONS | ARITHMETIC:
                space[special] = _strict(special)
    if is_strict and "__contains__" in space:
        space["__contains__"] = _contains
    if is_strict and "__eq__" in space:
        space["__ne__"] = object.__ne__  # so that nothing is both
    if is_strict and "__len__" in space and not space.keys().isdisjoint(_ITERATED):
        space["__iter__"] = _counting("__iter__")
        if "__reversed__" in space:
            space["__reversed__"] = _counting("__reversed__")
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


# An object with one of these can be iterated over.
_ITERATED = frozenset({"__iter__", "__getitem__"})


def _counting(name: str) -> Callable[[Proxy], Any]:
    def iterate(self: Proxy) -> Any:
        asker, number, _ = origin_of(self)
        if number in asker.results.sized:
            asker.ask(Operation.SPECIAL, number, "__len__")  # it may have changed
        return asker.results.counted(asker.ask(Operation.SPECIAL, number, name), number)

    iterate.__name__ = name
    return iterate


def _call(self: Proxy, *args: Any, **kwargs: Any) -> Any:
    asker, number, _ = origin_of(self)
    return asker.ask(Operation.CALL, number, "", (*args, *kwargs.values()), (*kwargs,))


def expect_plain(function: Any, said: str) -> None:
    """Refuse results of a function's that aren't plain data; `said` is the annotation.

    A class that is called as a function is one, too.
    """
    is_one = is_proxy(function)
    origin = origin_of(function) if is_one else getattr(function, "_class_origin", None)
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


def _throw(self: Proxy, *given: Any) -> Any:
    asker, number, watched = origin_of(self)
    with throwing(_thrown(given), is_judge=asker.is_judge):
        return asker.ask(Operation.SPECIAL, number, "throw", given, watched=watched)


async def _athrow(self: Proxy, *given: Any) -> Any:
    asker, number, watched = origin_of(self)
    with throwing(_thrown(given), is_judge=asker.is_judge):
        return await asker.awaiting(number, "athrow", given, watched, self)


def _thrown(given: Sequence[Any]) -> Any:
    """Return the exception of what `throw` is given: it, or its class and perhaps it."""
    return next((each for each in given[1::-1] if each is not None), None)


_METHODS: dict[str, Callable[..., Any]] = {
    "__call__": _call,
    "__await__": _await,
    **{name: _awaiting(name) for name in ASYNCHRONOUS},
    "__exit__": _exit,
    "__aexit__": _aexit,
    "throw": _throw,
    "athrow": _athrow,
}
