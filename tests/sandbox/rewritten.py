"""Source with its asserts rewritten, executed right here: for many runs, and for our objects."""

from __future__ import annotations

import ast
from typing import Any

from runner.sandbox.language.assertions import rewrite_assert
from runner.sandbox.report.explanation import WHY, asserting


class _Rewrite(ast.NodeTransformer):
    def __init__(self) -> None:
        self._in_class = False

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        return rewrite_assert(node, in_class=self._in_class)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._within(node, in_class=True)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._within(node, in_class=False)

    def _within(self, node: ast.AST, *, in_class: bool) -> ast.AST:
        before, self._in_class = self._in_class, in_class
        self.generic_visit(node)
        self._in_class = before
        return node


def executed(source: str, **names: Any) -> dict[str, Any]:
    """The globals after it, `names` being there from the start."""
    module = {**names, **asserting(source)}
    exec(compile(_Rewrite().visit(ast.parse(source)), "here", "exec"), module)  # noqa: S102
    return module


def said_of(source: str, **names: Any) -> str:
    """What the assertion that fails in there says."""
    try:
        executed(source, **names)
    except AssertionError as error:
        why = error.__dict__[WHY]
        assert type(why) is str
        return why
    raise ValueError("nothing failed")
