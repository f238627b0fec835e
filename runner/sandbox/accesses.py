"""Attributes and items in the source: native where that is harmless, else by a guard."""

from __future__ import annotations

import ast
from typing import Any

from RestrictedPython.transformer import RestrictingNodeTransformer

from runner.sandbox import formatting, names
from runner.sandbox.programs import Complaint
from runner.sandbox.rewriting import MINE, at, call, held, is_quick, load

_MOST_COMPLAINTS = 20
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

# Allowed, with nothing inside: half of all nodes, which need no visit.
_LEAVES = frozenset(
    kind
    for group in (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
    for kind in group.__subclasses__()
    if hasattr(RestrictingNodeTransformer, f"visit_{kind.__name__}")
)


class Scope:
    """A class body, a function or a comprehension that is being visited."""

    def __init__(self, node: ast.AST, mine: str | None = None) -> None:
        self.node = node
        # The parameter that `_mine_` tells about, if nothing ever assigns to it.
        self.mine = mine
        self.is_mine_used = False

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, ast.ClassDef)

    @property
    def is_comprehension(self) -> bool:
        return isinstance(self.node, _COMPREHENSIONS)


class Accesses(RestrictingNodeTransformer):
    """The part of the policy that is about `.` and `[]`."""

    def __init__(self) -> None:
        super().__init__()
        self.complaints: list[Complaint] = []
        self._scopes: list[Scope] = []
        # Names that the source binds anywhere.
        self._bound: frozenset[str] = frozenset()
        # In an assert, values are explained by their places in the source: one call for each.
        self._calls_only = False

    # What the base class calls when it refuses something.
    def error(self, node: ast.AST, info: str) -> None:
        if len(self.complaints) < _MOST_COMPLAINTS:
            line = getattr(node, "lineno", 1)
            column = getattr(node, "col_offset", 0) + 1
            self.complaints.append(Complaint(line, column, "policy", info))

    def visit(self, node: ast.AST) -> Any:
        return node if type(node) in _LEAVES else super().visit(node)

    def contents(self, node: Any) -> Any:
        return self.node_contents_visit(node)

    def visit_all(self, nodes: list[Any]) -> list[Any]:
        return [self.visit(node) for node in nodes]

    def _in_class_body(self) -> bool:
        return bool(self._scopes) and self._scopes[-1].is_class

    def _mangled(self, name: str) -> str:
        """A class-private `__name` as Python's compiler will spell it."""
        if name.startswith("__") and not name.endswith("__"):
            for scope in reversed(self._scopes):
                node = scope.node
                if isinstance(node, ast.ClassDef) and node.name.strip("_"):
                    return f"_{node.name.lstrip('_')}{name}"
        return name

    # --- attributes ------------------------------------------------------------------------

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        node.attr = self._mangled(node.attr)
        loads = isinstance(node.ctx, ast.Load)
        if not self._is_allowed(node.attr, loads):
            self.error(node, names.refusal(node.attr))
            return node
        is_own_init = node.attr == "__init__" and loads and self._is_super(node.value)
        is_plain_text = node.attr == "format" and loads and _is_plain_template(node.value)
        node = self.node_contents_visit(node)
        if not loads:
            node.value = self._storable(node)
            return node
        return node if is_plain_text else self._loaded(node, is_own_init=is_own_init)

    def _loaded(self, node: ast.Attribute, *, is_own_init: bool) -> ast.AST:
        if node.attr in names.GUARDED_DUNDERS | names.GUARDED_ATTRIBUTES:
            mine = self._mine() if is_own_init else None
            if mine is None:
                return self._by_guard(node, node.value)
            mine.is_mine_used = True
            return at(node, ast.IfExp(load(MINE), node, self._by_guard(node, node.value)))
        if node.attr.startswith("_") and not names.is_dunder(node.attr):
            return self._private(node)
        return node

    def _is_allowed(self, name: str, loads: bool) -> bool:
        if name in names.FORBIDDEN_ATTRIBUTES:
            return False
        if not names.is_dunder(name):
            return True
        if loads:
            return name in names.READABLE_DUNDERS or name in names.GUARDED_DUNDERS
        return name in names.WRITABLE_DUNDERS

    def _by_guard(self, node: ast.Attribute, value: ast.expr) -> ast.expr:
        return at(node, call("_getattr_", value, ast.Constant(node.attr)))

    def _private(self, node: ast.Attribute) -> ast.AST:
        """Natively of the quick types, which have nothing private of the library's."""
        if node.attr in names.DOCUMENTED_PRIVATES:
            return node
        if not self._may_hold(node.value):
            return self._by_guard(node, node.value)
        test, value = self._is_quick(node.value)
        found = at(node, ast.Attribute(value, node.attr, ast.Load()))
        return at(node, ast.IfExp(test, found, self._by_guard(node, value)))

    def _storable(self, node: ast.Attribute) -> ast.expr:
        if names.is_dunder(node.attr) or node.attr == "mro":
            return at(node, call("_dunders_", node.value))
        return self._writable(node.value)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node = self.node_contents_visit(node)
        if not isinstance(node.ctx, ast.Load):
            node.value = self._writable(node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        target = node.target
        if not isinstance(target, ast.Attribute):
            return self.node_contents_visit(node)
        name = target.attr
        node = self.node_contents_visit(node)
        if name in names.GUARDED_ATTRIBUTES and name != "mro":
            # The target is loaded too: by the guard, then.
            written = target.value
            bare = written.orelse if isinstance(written, ast.IfExp) else written
            bare.func = load("_dunders_")  # type: ignore[attr-defined]
            target.value = at(target, bare)
        elif name.startswith("_") and not names.is_dunder(name):
            written = target.value
            asked = written.orelse if isinstance(written, ast.IfExp) else written
            asked.args.append(at(target, ast.Constant(target.attr)))  # type: ignore[attr-defined]
        return node

    # --- what is asked, and how -------------------------------------------------------------

    def _mine(self) -> Scope | None:
        """The method that is being visited, as seen from within its comprehensions."""
        for scope in reversed(self._scopes):
            if not scope.is_comprehension:
                return scope if scope.mine else None
        return None

    def _is_super(self, value: ast.expr) -> bool:
        """Whether it is `super()`, by the name that a source hasn't given to anything else."""
        match value:
            case ast.Call(func=ast.Name("super"), args=[], keywords=[]):
                return "super" not in self._bound
        return False

    def _may_hold(self, value: ast.expr) -> bool:
        """Whether a value can be looked at twice: a name, or what a function keeps in one."""
        if self._calls_only:
            return False
        if isinstance(value, ast.Name):
            return True
        return bool(self._scopes) and isinstance(self._scopes[-1].node, _FUNCTIONS)

    def _is_quick(self, value: ast.expr) -> tuple[ast.expr, ast.expr]:
        mine = self._mine()
        if mine and isinstance(value, ast.Name) and value.id == mine.mine:
            mine.is_mine_used = True
            return load(MINE), value
        first, again = held(value)
        return is_quick(first), again

    def _writable(self, value: ast.expr) -> ast.expr:
        if not self._may_hold(value):
            return at(value, call("_write_", value))
        test, again = self._is_quick(value)
        return at(value, ast.IfExp(test, again, call("_write_", again)))


def _is_plain_template(value: ast.expr) -> bool:
    """A literal without fields that read attributes; Python's own formatting is harmless then."""
    if not isinstance(value, ast.Constant) or type(value.value) is not str:
        return False
    return formatting.is_plain(value.value)
