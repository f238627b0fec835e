"""What a test puts in place of functions of the standard library, such as `input` and `time.sleep`.

In one process an implementation calls what is there instead. So the judge tells the others, which
put the same in place. Settings of the process are followed as well, such as `os.environ`.
"""

from __future__ import annotations

import decimal
import importlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

_NAMES = {"builtins": ("input", "print"), "sys": ("argv", "stdin")}
_MODULES = ("random", "secrets", "time", "uuid")
# What replaces or sets something has one of these in it.
_ABOUT = re.compile(
    r"\b(patch|monkeypatch|setattr|environ|putenv|setrecursionlimit|decimal)\b"
    rf"|\b({'|'.join((*_NAMES, *_MODULES))})\.\w+ *=[^=]"
)


def _set_environment(content: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(content)


_OF_CONTEXTS = ("prec", "rounding", "Emin", "Emax", "capitals", "clamp")


def _context() -> list[Any]:
    context = decimal.getcontext()
    traps = [signal.__name__ for signal, is_set in context.traps.items() if is_set]
    return [*(getattr(context, name) for name in _OF_CONTEXTS), traps]


def _set_context(content: list[Any]) -> None:
    *parts, traps = content
    signals = [getattr(decimal, name) for name in traps]
    given = dict(zip(_OF_CONTEXTS, parts, strict=True))
    decimal.setcontext(decimal.Context(**given, traps=signals))


def _set_recursion_limit(limit: int) -> None:
    sys.setrecursionlimit(limit)  # which is replaced when a program begins


# How each is read, as plain data, and set.
_SETTINGS: dict[str, tuple[Callable[[], Any], Callable[[Any], None]]] = {
    "environment": (lambda: {**os.environ}, _set_environment),
    "recursion limit": (sys.getrecursionlimit, _set_recursion_limit),
    "decimal context": (_context, _set_context),
}


class Replacements:
    """In the judge: finds what is in the place of what was there when the test began."""

    def __init__(self, test: str) -> None:
        self._own = dict(_followed()) if _ABOUT.search(test) else {}
        self._settings = {name: read() for name, (read, _) in _SETTINGS.items()}
        self._told: dict[str, Any] = {}

    def news(self) -> dict[str, Any] | None:
        """Return all that is replaced, by name; None where that has been told."""
        if not self._own:
            return None
        found = {
            f"{module}.{name}": now
            for (module, name), own in self._own.items()
            if (now := vars(sys.modules[module]).get(name)) is not own
        }
        for name, (read, _) in _SETTINGS.items():
            if (now := read()) != self._settings[name]:
                found[name] = now
        if found.keys() == self._told.keys() and all(
            found[name] == told if name in _SETTINGS else found[name] is told
            for name, told in self._told.items()
        ):
            return None
        self._told = found
        return found


def _followed() -> Iterator[tuple[tuple[str, str], Any]]:
    for module, names in _NAMES.items():
        yield from (((module, name), vars(sys.modules[module])[name]) for name in names)
    for module in _MODULES:
        for name, thing in vars(importlib.import_module(module)).items():
            if callable(thing) and not isinstance(thing, type) and name[:1] != "_":
                yield (module, name), thing


class Replaced:
    """In the others: puts the same in place."""

    def __init__(self) -> None:
        self._own: dict[str, Any] = {}

    def follow(self, found: dict[str, Any]) -> None:
        """Replace what is in this, and nothing else."""
        for name in self._own.keys() - found.keys():
            _put(name, self._own.pop(name))
        for name, thing in found.items():
            before = _put(name, thing)
            self._own.setdefault(name, before)


def _put(name: str, thing: Any) -> Any:
    """Put something in the place of this name; returns what was there."""
    if name in _SETTINGS:
        read, set_to = _SETTINGS[name]
        before = read()
        set_to(thing)
        return before
    module: Any = importlib.import_module(name.rpartition(".")[0])
    attribute = name.rpartition(".")[2]
    before = getattr(module, attribute)
    setattr(module, attribute, thing)
    return before
