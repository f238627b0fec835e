"""The language layer: which Python is accepted, and how it is rewritten before it is compiled.

It leaves ordinary loads native and checks names when compiling; only what depends on the object
at hand is guarded at run time. It makes accidents polite; the process layer is the boundary.
"""

from __future__ import annotations

import ast
from typing import Any

from runner.sandbox import names
from runner.sandbox.accesses import Accesses, Scope
from runner.sandbox.assertions import rewrite_assert
from runner.sandbox.imports import Imports
from runner.sandbox.rewriting import (
    MINE,
    ask_memory,
    at,
    call,
    is_quick,
    load,
    may_catch_the_end,
    soften_ending,
    telling_memory,
)
from runner.sandbox.scopes import bound_names, swallows

# More than Python itself has room for, once each is a block of its own.
_MOST_MANAGERS = 20
_EXITS = ("__exit__", "__aexit__")
# Refused by name beforehand: what these make would not have been looked at.
RUNNING_TEXT = ("compile", "__import__")


class Policy(Imports):
    """Rewrites one module; everything it refuses is collected in `complaints`."""

    def __init__(self) -> None:
        super().__init__()
        self._assigned: frozenset[str] = frozenset()
        self._keeps_annotations_as_text = False

    def visit_Module(self, node: ast.Module) -> ast.AST:
        self.look_at(node)
        node = self.node_contents_visit(node)
        soften_ending(node.body, self._bound)
        return node

    def look_at(self, node: ast.Module) -> None:
        self._assigned, parameters = bound_names(node)
        self._bound = self._assigned | parameters
        if ast.get_docstring(node, clean=False) is not None:
            self._bound |= {"__doc__"}
        self._keeps_annotations_as_text = any(
            isinstance(statement, ast.ImportFrom)
            and statement.module == "__future__"
            and any(alias.name == "annotations" for alias in statement.names)
            for statement in node.body
        )

    # --- names ---------------------------------------------------------------------------

    def check_name(
        self,
        node: ast.AST,
        name: str | None,
        allow_magic_methods: bool = False,  # noqa: ARG002
    ) -> None:
        if name is None or not name.startswith("_") or not names.is_private_clash(name):
            return
        if self._is_allowed_name(node, name):
            return
        if names.is_dunder(name):
            what = "method" if self._in_class_body() else "name"
            self.error(node, names.refusal(name, what))
        else:
            self.error(node, f"`{name}` is reserved; choose a name without the underscores")

    def _is_allowed_name(self, node: ast.AST, name: str) -> bool:
        if isinstance(node, ast.Name):
            loads = isinstance(node.ctx, ast.Load)
            if loads and name in ("__name__", "__debug__", "__class__"):
                return name != "__class__" or self._is_in_method()
            if name in names.MODULE_DUNDERS and (loads or not self._scopes):
                return True
            if loads and self._in_class_body() and name in ("__qualname__", "__module__"):
                return True
        # Functions for a class may be written before there is one.
        definable = name in names.DEFINABLE_DUNDERS and name != "__doc__"
        return definable or (self._in_class_body() and name in {*names.ENUM_HOOKS, "__doc__"})

    def _is_in_method(self) -> bool:
        return any(scope.is_class for scope in self._scopes) and not self._in_class_body()

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if self._in_class_body():
            node.id = self._mangled(node.id)
        loads = isinstance(node.ctx, ast.Load)
        if loads and node.id in RUNNING_TEXT and node.id not in self._bound:
            instead = names.UNAVAILABLE[node.id]
            self.error(node, f"`{node.id}` isn't available here: {instead}")
        elif loads and node.id == "__doc__" and node.id not in self._bound:
            return at(node, ast.Constant(None))
        else:
            self.check_name(node, node.id)
        return node

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> ast.AST:
        for name in node.names:
            self.check_name(node, name)
        return node

    visit_Nonlocal = visit_Global

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node = self.node_contents_visit(node)
        # The usual case of what `type` can do, without the way there.
        match node:
            case ast.Call(func=ast.Name("type"), args=[one], keywords=[]):
                if "type" not in self._bound and not isinstance(one, ast.Starred):
                    return self._class_of(node, one)
        return node

    def _class_of(self, node: ast.Call, one: ast.expr) -> ast.AST:
        node.func = at(node.func, load("_class_of_"))
        if self._calls_only or not isinstance(one, ast.Name):
            return node
        test, _ = self._is_quick(one)
        return at(node, ast.IfExp(test, call("_type_", one), node))

    # --- what the base class guards and we needn't, since iteration and calls are native ----

    def guard_iter(self, node: Any) -> Any:
        return self.node_contents_visit(node)

    visit_For = visit_AsyncFor = visit_comprehension = visit_Assign = Accesses.contents
    visit_NamedExpr = visit_Await = Accesses.contents

    def _visit_comprehension_scope(self, node: Any) -> Any:
        self._scopes.append(Scope(node))
        node = self.node_contents_visit(node)
        self._scopes.pop()
        return node

    visit_ListComp = visit_SetComp = _visit_comprehension_scope
    visit_DictComp = visit_GeneratorExp = _visit_comprehension_scope

    # --- functions and classes -------------------------------------------------------------

    def visit_FunctionDef(self, node: Any) -> ast.AST:
        is_method = self._in_class_body()
        if is_method:
            node.name = self._mangled(node.name)
        self.check_name(node, node.name)
        node.decorator_list = self.visit_all(node.decorator_list)
        node.returns = self._annotation(node.returns)
        self._visit_parameters(node.args)
        scope = Scope(node, self._own_parameter(node) if is_method else None)
        self._scopes.append(scope)
        node.body = self.visit_later(node.body)
        self._scopes.pop()
        beginning: list[ast.stmt] = []
        if scope.is_mine_used:
            mine = ast.Assign([ast.Name(MINE, ast.Store())], is_quick(load(scope.mine or "")))
            beginning.append(at(node.body[0], mine))
        if is_method and node.name in _EXITS:
            beginning.append(at(node.body[0], ask_memory()))
        start = 1 if ast.get_docstring(node, clean=False) is not None else 0
        node.body[start:start] = beginning
        return node  # type: ignore[no-any-return]

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self._visit_parameters(node.args)
        self._scopes.append(Scope(node))
        node.body = self.visit(node.body)
        self._scopes.pop()
        return node

    def _visit_parameters(self, parameters: ast.arguments) -> None:
        for parameter in _parameters(parameters):
            self.check_name(parameter, parameter.arg)
            parameter.annotation = self._annotation(parameter.annotation)
        parameters.defaults = self.visit_all(parameters.defaults)
        parameters.kw_defaults = [
            default and self.visit(default) for default in parameters.kw_defaults
        ]

    def _own_parameter(self, node: Any) -> str | None:
        """Of a method: the name of its first parameter, unless it may come to mean another."""
        positional = [*node.args.posonlyargs, *node.args.args]
        name = positional[0].arg if positional else None
        return None if name in self._assigned else name

    def _annotation(self, annotation: ast.expr | None) -> Any:
        """As it is where Python only keeps its text."""
        if annotation is None or self._keeps_annotations_as_text:
            return annotation
        return self.visit(annotation)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if self._in_class_body() and isinstance(node.target, ast.Name):
            # A dataclass makes a part of its text of the name.
            name = node.target.id
            if names.is_dunder(name) and name in ("__slots__", "__match_args__", "__doc__"):
                node.annotation = at(node, ast.Constant(None))
                node.simple = 0
            elif names.is_dunder(name) or name in names.FORBIDDEN_ATTRIBUTES:
                self.error(node, f"`{name}` can't be a field's name here; choose another")
        node.annotation = self._annotation(node.annotation)
        node.target = self.visit(node.target)
        node.value = node.value and self.visit(node.value)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        if self._in_class_body():
            node.name = self._mangled(node.name)
        self.check_name(node, node.name)
        node.decorator_list = self.visit_all(node.decorator_list)
        node.bases = self.visit_all(node.bases)
        node.keywords = self.visit_all(node.keywords)
        self._scopes.append(Scope(node))
        node.body = self.visit_all(node.body)
        self._scopes.pop()
        return node

    # --- statements --------------------------------------------------------------------------

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        self._calls_only = True
        node = self.node_contents_visit(node)
        self._calls_only = False
        return rewrite_assert(node, in_class=self._in_class_body())

    def visit_With(self, node: Any) -> ast.AST:
        if len(node.items) > _MOST_MANAGERS:
            place = ("", node.lineno, node.col_offset + 1, None)
            raise SyntaxError("too many statically nested blocks", place)
        node = self.node_contents_visit(node)
        while len(node.items) > 1:
            # Each of them may keep from us what leaves the ones inside of it.
            inner = type(node)([node.items.pop()], telling_memory(node.body))
            node.body = [at(node, inner)]
        node.body = telling_memory(node.body)
        return node  # type: ignore[no-any-return]

    visit_AsyncWith = visit_With

    def visit_Try(self, node: Any) -> ast.AST:
        node.body = self.visit_tried(node)
        node.handlers = self.visit_all(node.handlers)
        node.orelse = self.visit_all(node.orelse)
        node.finalbody = self.visit_all(node.finalbody)
        if swallows(node.finalbody):
            node.finalbody.insert(0, at(node.finalbody[0], ask_memory()))
        return node  # type: ignore[no-any-return]

    visit_TryStar = visit_Try

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self.check_name(node, node.name)
        asks = may_catch_the_end(node.type, self._bound)
        node = self.node_contents_visit(node)
        if asks:
            node.body.insert(0, at(node.body[0], ask_memory()))
        return node


def _parameters(parameters: ast.arguments) -> list[ast.arg]:
    every = [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs]
    return every + [each for each in (parameters.vararg, parameters.kwarg) if each is not None]
