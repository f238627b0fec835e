"""The language layer for texts that a program makes and runs."""

from __future__ import annotations

import ast

from runner.sandbox.policy import RUNNING_TEXT, Policy
from runner.sandbox.scopes import bound_names


class TextPolicy(Policy):
    """Rewrites a text to be run among names that others have given their meaning.

    So none is taken for the builtin of that name, asserts are plain, and no end is softened.
    """

    def visit_Module(self, node: ast.Module) -> ast.AST:
        self.look_at(node)
        self._mean_anything(node)
        return self.node_contents_visit(node)

    def visit_Expression(self, node: ast.Expression) -> ast.AST:
        self._assigned, _ = bound_names(node)
        self._mean_anything(node)
        return self.node_contents_visit(node)

    def _mean_anything(self, tree: ast.AST) -> None:
        names_in_it = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        self._bound |= names_in_it - {"__doc__"} - {*RUNNING_TEXT}

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        return self.node_contents_visit(node)
