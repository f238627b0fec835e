"""Which names a module defines itself, and how they reach the modules that bind it."""

from __future__ import annotations

import builtins
from typing import Any

from runner.sandbox.language.defined_tests import DefinedTests


def may_be_given(name: object) -> bool:
    """Tell whether a module may bring a name into another.

    Never that of a builtin or a helper, nor what Python has a meaning for: an implementation's
    `check` or `range` would decide what a test's means.
    """
    if type(name) is not str or not name.isidentifier() or name in vars(builtins):
        return False
    return not (name.startswith("__") and name.endswith("__"))


class Namespace:
    """The globals of one module, and who brought which name into them."""

    def __init__(self, name: str, source: str, binds: tuple[str, ...]) -> None:
        self.name = name
        self.source = source
        self.binds = binds
        self.globals: dict[str, Any] = {}
        self.own: tuple[str, ...] = ()
        self.tests = DefinedTests()
        # What others get of it, once it has been executed.
        self.offered: dict[str, Any] = {}
        self._bound: dict[str, Any] = {}
        self._givers: dict[str, list[str]] = {}

    def settle(self, imported: frozenset[str]) -> None:
        """After execution: what the module defines itself, not imports, is known from now on."""
        self.own = tuple(
            name
            for name, thing in self.globals.items()
            if not name.startswith(("__", "@"))
            and name not in imported
            and self._bound.get(name, self) is not thing
        )

    def public(self) -> dict[str, Any]:
        """What others get: `__all__` where there is one, else what has no leading underscore."""
        listed = self.globals.get("__all__", [n for n in self.own if not n.startswith("_")])
        if not isinstance(listed, list | tuple) or not all(type(name) is str for name in listed):
            raise TypeError("`__all__` must be a list or tuple of names")
        for name in listed:
            if name not in self.globals or name.startswith("@"):
                raise NameError(f"`__all__` lists `{name}`, which {self.name} doesn't define")
        return {name: self.globals[name] for name in listed if may_be_given(name)}

    def receive(self, giver: str, offered: dict[str, Any]) -> None:
        """Take over another module's public names; one that two bring goes to its namesake.

        Who gives them may be another process, which offers whatever it likes.
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
        """Why a name isn't there although somebody brings it."""
        givers = self._givers.get(name, [])
        if len(givers) < 2 or name in givers or name in self.globals:
            return None
        several = f"{', '.join(givers[:-1])} and {givers[-1]}"
        both = "both " if len(givers) == 2 else ""
        return (
            f"`{name}` is defined by {both}{several}; "
            "let all but one of them leave it out of `__all__`, or name it otherwise"
        )
