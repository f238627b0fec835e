"""Patterns of `match` in the source: they read attributes without asking a guard."""

from __future__ import annotations

import ast

from runner.sandbox import names
from runner.sandbox.accesses import Accesses


class Patterns(Accesses):
    """The part of the policy that is about `case`."""

    visit_Match = visit_match_case = visit_MatchSingleton = Accesses.contents
    visit_MatchSequence = visit_MatchOr = Accesses.contents

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> ast.AST:
        self.check_name(node, node.name)
        return self.node_contents_visit(node)

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node: ast.MatchMapping) -> ast.AST:
        self.check_name(node, node.rest)
        for key in node.keys:
            self._check_matched(key)
        node.patterns = self.visit_all(node.patterns)
        return node

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        self._check_matched(node.value)
        return node

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.AST:
        self._check_matched(node.cls)
        for attribute in node.kwd_attrs:
            self._check_matched_name(node, attribute)
        node.patterns = self.visit_all(node.patterns)
        node.kwd_patterns = self.visit_all(node.kwd_patterns)
        return node

    def _check_matched(self, value: ast.expr) -> None:
        for node in ast.walk(value):
            if isinstance(node, ast.Attribute):
                self._check_matched_name(node, node.attr)
            elif isinstance(node, ast.Name):
                self.visit(node)

    def _check_matched_name(self, node: ast.AST, name: str) -> None:
        guarded = name.startswith("_") or name in names.GUARDED_ATTRIBUTES
        if guarded or name in names.FORBIDDEN_ATTRIBUTES:
            self.error(
                node, f"a pattern can't look at the attribute `{name}`; compare it after `if`"
            )
