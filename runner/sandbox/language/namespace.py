"""Namespaces of modules: the names that a module defines, and those that it receives."""

from __future__ import annotations

import builtins
from typing import Any

from runner.sandbox.language.defined_tests import DefinedTests


def may_be_given(name: object) -> bool:
    """Return whether a module may bind this name in another one.

    Not the names of builtins and helpers, nor special names: an implementation's `check` or `range`
    would replace those of a test.
    """
    if type(name) is not str or not name.isidentifier() or name in vars(builtins):
        return False
    return not (name.startswith("__") and name.endswith("__"))


class Namespace:
    """The globals of a module, and the modules that received names come from."""

    def __init__(self, name: str, source: str, binds: tuple[str, ...]) -> None:
        self.name = name
        self.source = source
        self.binds = binds
        self.globals: dict[str, Any] = {}
        self.own: tuple[str, ...] = ()
        self.tests = DefinedTests()
        # The public names for other modules, set after execution.
        self.offered: dict[str, Any] = {}
        self._bound: dict[str, Any] = {}
        self._givers: dict[str, list[str]] = {}

    @property
    def received(self) -> list[str]:
        """The names that other modules have given so far."""
        return [*self._bound]

    def settle(self, imported: frozenset[str]) -> None:
        """Determine the names that the module defines itself; called after its execution."""
        self.own = tuple(
            name
            for name, thing in self.globals.items()
            if not name.startswith(("__", "@"))
            and name not in imported
            and self._bound.get(name, self) is not thing
        )

    def public(self) -> dict[str, Any]:
        """Return the names in `__all__`, or else own names without a leading underscore.

        Raises TypeError and NameError for a wrong `__all__`.
        """
        listed = self.globals.get("__all__", [n for n in self.own if not n.startswith("_")])
        if not isinstance(listed, list | tuple) or not all(type(name) is str for name in listed):
            raise TypeError("`__all__` must be a list or tuple of names")
        for name in listed:
            if name not in self.globals or name.startswith("@"):
                raise NameError(f"`__all__` lists `{name}`, which {self.name} doesn't define")
        return {name: self.globals[name] for name in listed if may_be_given(name)}

    def receive(self, giver: str, offered: dict[str, Any]) -> None:
        """Bind another module's public names; a name offered by two is bound for its namesake only.

        `offered` may come from another process, so its names are checked.
        """
        for name, thing in offered.items():
            if not may_be_given(name):
                continue
            givers = self._givers.setdefault(name, [])
            givers.append(giver)
            if name in self.own:
                continue
            if len(givers) == 1 or giver == name:
                self._bound[name] = self.globals[name] = thing
            elif name not in givers and name in self._bound:
                del self._bound[name], self.globals[name]

    def explain(self, name: str) -> str | None:
        """Return why a name offered by several modules isn't bound; None for other names."""
        givers = self._givers.get(name, [])
        if len(givers) < 2 or name in givers or name in self.globals:
            return None
        several = f"{', '.join(givers[:-1])} and {givers[-1]}"
        both = "both " if len(givers) == 2 else ""
        return (
            f"`{name}` is defined by {both}{several}; "
            "let all but one of them leave it out of `__all__`, or name it otherwise"
        )
