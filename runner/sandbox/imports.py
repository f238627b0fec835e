"""Imports in the source: refused, unless the program is prepared to see them fail."""

from __future__ import annotations

import ast
from typing import Any

from runner.sandbox.importable import why_not
from runner.sandbox.patterns import Patterns
from runner.sandbox.rewriting import at, call

_FAILED_IMPORTS = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


class Imports(Patterns):
    """The part of the policy that is about imports."""

    def __init__(self) -> None:
        super().__init__()
        # In the body of a `try` that is there to catch an import which fails.
        self._imports_may_fail = False

    def visit_tried(self, node: Any) -> list[Any]:
        """The body of a `try`."""
        outer = self._imports_may_fail
        if any(_catches_failing_imports(handler.type) for handler in node.handlers):
            self._imports_may_fail = True
        body = self.visit_all(node.body)
        self._imports_may_fail = outer
        return body

    def visit_later(self, body: list[Any]) -> list[Any]:
        """The body of a function, which runs when no `try` around it does."""
        outer, self._imports_may_fail = self._imports_may_fail, False
        body = self.visit_all(body)
        self._imports_may_fail = outer
        return body

    def visit_Import(self, node: ast.Import) -> ast.AST:
        for alias in node.names:
            self.check_name(node, alias.asname)
        return self._unless_refused(node, [(why_not(each.name), each.name) for each in node.names])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        for alias in node.names:
            self.check_name(node, alias.asname)
        if node.level or node.module is None:
            why = "relative imports aren't available; name the function as <<Name>>"
            return self._unless_refused(node, [(why, "")])
        for alias in node.names:
            if alias.name.startswith("_"):
                self.error(node, f"`{alias.name}` is private to {node.module}")
        # Other rules speak of what is private, and of `*`.
        wanted = [alias.name for alias in node.names if alias.name[0] not in "_*"]
        return self._unless_refused(node, [(why_not(node.module, wanted), node.module)])

    def _unless_refused(self, node: ast.stmt, refused: list[tuple[str, str]]) -> ast.AST:
        """An import as it is; one that can't be fails where the program is prepared for that."""
        for why, module in refused:
            if why and self._imports_may_fail:
                return _failing_import(node, why, module)
            if why:
                self.error(node, why)
        return node


def _catches_failing_imports(kind: ast.expr | None) -> bool:
    """Whether an `except` of this is one for imports that fail, too."""
    if isinstance(kind, ast.Tuple):
        return any(map(_catches_failing_imports, kind.elts))
    return kind is None or (isinstance(kind, ast.Name) and kind.id in _FAILED_IMPORTS)


def _failing_import(statement: ast.stmt, why: str, module: str) -> ast.stmt:
    """What raises in place of the import, which stays: its scope has the names that it binds."""
    failure = call("_no_import_", ast.Constant(why), ast.Constant(module))
    return at(statement, ast.If(failure, [statement], []))
