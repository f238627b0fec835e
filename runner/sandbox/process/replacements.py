"""What a test puts in place of functions of the standard library, such as `input` and `time.sleep`.

In one process an implementation calls what is there instead. So the judge tells the others, which
put the same in place. `os.environ` is followed as well.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterator
from typing import Any

_NAMES = {"builtins": ("input", "print"), "sys": ("stdin",)}
_MODULES = ("random", "secrets", "time", "uuid")
_ENVIRONMENT = "os.environ"
# What replaces something has one of these in it.
_ABOUT = re.compile(
    r"\b(patch|monkeypatch|setattr|environ|putenv)\b"
    rf"|\b({'|'.join((*_NAMES, *_MODULES))})\.\w+ *=[^=]"
)


class Replacements:
    """In the judge: finds what is in the place of what was there when the test began."""

    def __init__(self, test: str) -> None:
        self._own = dict(_followed()) if _ABOUT.search(test) else {}
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
        if os.environ:
            found[_ENVIRONMENT] = {**os.environ}
        if found.keys() == self._told.keys() and all(
            map(_is_same, found.values(), map(self._told.get, found))
        ):
            return None
        self._told = found
        return found


def _is_same(one: Any, other: Any) -> bool:
    return one is other or (type(one) is type(other) is dict and one == other)


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
    if name == _ENVIRONMENT:
        before = {**os.environ}
        os.environ.clear()
        os.environ.update(thing)
        return before
    module: Any = importlib.import_module(name.rpartition(".")[0])
    attribute = name.rpartition(".")[2]
    before = getattr(module, attribute)
    setattr(module, attribute, thing)
    return before
