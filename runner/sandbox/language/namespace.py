"""Which names a module defines itself, and how they reach the modules that bind it."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from typing import Any

_OWN_SCOPE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def merely_imported(tree: ast.Module) -> frozenset[str]:
    """Names that the module's top level binds by imports and by nothing else."""
    imported: set[str] = set()
    assigned: set[str] = set()
    for node in _top_level(tree.body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imported.update(a.asname or a.name.partition(".")[0] for a in node.names)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            assigned.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            assigned.add(node.id)
    return frozenset(imported - assigned)


def _top_level(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    pending = list(nodes)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, _OWN_SCOPE + _COMPREHENSIONS):
            pending.extend(ast.iter_child_nodes(node))


def is_public_name(name: object) -> bool:
    """Tell whether a module may give others something of this name.

    Never of that of a builtin or a helper: an implementation's `check` or `range` would decide what
    a test's means.
    """
    return (
        type(name) is str
        and name.isidentifier()
        and not name.startswith("__")
        and not hasattr(builtins, name)
    )


class Namespace:
    """The globals of one module, and who brought which name into them."""

    def __init__(
        self, name: str, source: str, binds: tuple[str, ...], home: dict[str, Any]
    ) -> None:
        self.name = name
        self.source = source
        self.binds = binds
        self.globals = home
        self.own: tuple[str, ...] = ()
        # What others get of it, once it has been executed.
        self.offered: dict[str, Any] | None = None
        self.withheld: dict[str, str] = {}  # names that others offer and it doesn't get, and why
        self._bound: dict[str, Any] = {}
        self._brought_by: dict[str, list[str]] = {}

    def settle(self, imported: frozenset[str]) -> None:
        """After execution: what the module defines itself, not imports, is known from now on."""
        own = []
        for name, thing in self.globals.items():
            if name.startswith(("__", "@")):
                continue
            if name in imported or (name in self._bound and self._bound[name] is thing):
                continue
            own.append(name)
        self.own = tuple(own)

    def public(self) -> dict[str, Any]:
        """What others get: `__all__` where there is one, else what has no leading underscore."""
        if "__all__" not in self.globals:
            own = [name for name in self.own if not name.startswith("_")]
            return {name: self.globals[name] for name in own if is_public_name(name)}
        listed = self.globals["__all__"]
        if not isinstance(listed, list | tuple) or not all(type(name) is str for name in listed):
            raise TypeError("`__all__` must be a list or tuple of names")
        for name in listed:
            if name not in self.globals or name.startswith("@"):
                raise NameError(f"`__all__` lists `{name}`, which {self.name} doesn't define")
        return {name: self.globals[name] for name in listed if is_public_name(name)}

    def receive(self, giver: str, offered: dict[str, Any]) -> None:
        """Take over another module's public names; one that two bring goes to its namesake."""
        for name, thing in offered.items():
            givers = self._brought_by.setdefault(name, [])
            givers.append(giver)
            if name in self.own:
                continue
            if len(givers) == 1 or giver == name:
                self._bind(name, thing)
            elif name not in givers:
                self._unbind(name)

    def _bind(self, name: str, thing: Any) -> None:
        self._bound[name] = thing
        self.globals[name] = thing

    def _unbind(self, name: str) -> None:
        if name in self._bound:
            del self._bound[name]
            del self.globals[name]

    def explain(self, name: str) -> str | None:
        """Why a name isn't there although somebody brings it."""
        if name in self.withheld:
            return self.withheld[name]
        givers = self._brought_by.get(name, [])
        if len(givers) < 2 or name in givers or name in self.globals:
            return None
        several = f"{', '.join(givers[:-1])} and {givers[-1]}"
        both = "both " if len(givers) == 2 else ""
        return (
            f"`{name}` is defined by {both}{several}; "
            "let all but one of them leave it out of `__all__`, or name it otherwise"
        )
