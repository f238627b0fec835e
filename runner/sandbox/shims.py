"""What user code gets when it imports: read-only stand-ins for modules of the standard library."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from runner.sandbox.guards import ForbiddenAttribute, ForbiddenImport, visible_classes
from runner.sandbox.importable import IMPORTABLE, why_not
from runner.sandbox.offers import Offer
from runner.sandbox.ownership import also_shown, also_writable
from runner.sandbox.standins import repairs, running, streams, table
from runner.sandbox.standins.shim import Copied, Shim

# Of `__future__`: all but the one that changes what `!=` is.
_FEATURES = """
annotations division generator_stop print_function unicode_literals absolute_import with_statement
generators nested_scopes
""".split()


class SystemShim(Shim):
    """The stand-in for `sys`, some of whose names may be assigned: arguments and streams."""

    __slots__ = ("argv", "stderr", "stdin", "stdout")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in SystemShim.__slots__:
            super().__setattr__(name, value)
        object.__setattr__(self, name, value)


def make_shims() -> dict[str, Shim]:
    """A stand-in for every importable module, by its full name.

    To be called in a process that does nothing but run programs: it changes the library itself
    where a stand-in would not be enough.
    """
    repairs.repair()
    replacements = table.replaced()
    shims = {"__future__": _shim("__future__", dict.fromkeys(_FEATURES))}
    # Those within others first.
    for name in sorted(IMPORTABLE, key=lambda name: -name.count(".")):
        within = {
            inner.removeprefix(f"{name}."): shim
            for inner, shim in shims.items()
            if inner.startswith(f"{name}.")
        }
        shims[name] = _make_shim(name, IMPORTABLE[name], replacements.get(name, {}), within)
    running.modules.update(shims)
    streams.use(shims["sys"])
    also_writable.update(table.writable(), {type(shims["sys"])})
    also_shown.update(table.shown())
    return shims


def _make_shim(name: str, offer: Offer, ours: dict[str, Any], within: dict[str, Any]) -> Shim:
    if different := offer.ours ^ ours.keys():
        raise RuntimeError(f"{name}: the table and the stand-ins differ: {different}")
    there = _public(importlib.import_module(name), offer.only) if offer.original else {}
    contents = {
        each: thing
        for each, thing in there.items()
        if (not offer.only or each in offer.only) and each not in offer.without
        if not isinstance(thing, types.ModuleType)
    }
    contents |= ours | within
    refused = {*there, *offer.refused} - contents.keys()
    return _shim(name, contents, refused, SystemShim if name == "sys" else Shim)


def _public(module: types.ModuleType, only: Iterable[str]) -> dict[str, Any]:
    names = {*getattr(module, "__all__", dir(module)), *only}
    return {name: getattr(module, name) for name in names if not name.startswith("_")}


def _shim(
    title: str, contents: dict[str, Any], refused: Iterable[str] = (), kind: type[Shim] = Shim
) -> Shim:
    body: dict[str, Any] = {name: _refusal(title, name) for name in refused}
    body["__all__"] = (*contents,)
    visible_classes.update(thing for thing in contents.values() if isinstance(thing, type))
    for name, thing in contents.items():
        if name not in kind.__slots__:
            body[name] = _attribute(thing)
    shim: Shim = type("Shim", (kind,), {**body, "_title": title, "__slots__": ()})()
    for name in kind.__slots__:
        setattr(shim, name, contents[name])
    return shim


def _attribute(thing: Any) -> Any:
    if type(thing) in (list, dict, set):
        return Copied(thing)
    return staticmethod(thing) if hasattr(type(thing), "__get__") else thing


def _refusal(title: str, name: str) -> property:
    def refuse(_shim: Shim) -> NoReturn:
        raise ForbiddenAttribute(why_not(title, (name,)) or f"`{title}` has no `{name}` here")

    return property(refuse)


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
            return Shim()
        if shim is None or level:
            raise ImportError(f"`{name}` can't be imported here")
        for wanted in fromlist or ():
            try:
                getattr(shim, "__all__" if wanted == "*" else wanted)
            except ForbiddenAttribute as error:
                raise ForbiddenImport(str(error)) from None
            except AttributeError:
                raise ImportError(f"cannot import name '{wanted}' from '{name}'") from None
        return shim if fromlist else shims[name.partition(".")[0]]

    return offered_import
