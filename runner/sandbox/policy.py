"""The language layer: which Python is accepted, and how it is rewritten before it is compiled.

It leaves ordinary loads native and checks names when compiling; only what depends on the object
at hand is guarded at run time. It makes accidents polite; the process layer is the boundary.
"""

from __future__ import annotations

import ast
from typing import Any

from RestrictedPython.transformer import RestrictingNodeTransformer

from runner.sandbox import names
from runner.sandbox.assertions import rewrite_assert
from runner.sandbox.importable import IMPORTABLE, is_importable
from runner.sandbox.programs import Complaint

_MOST_COMPLAINTS = 20


class Policy(RestrictingNodeTransformer):
    """Rewrites one module; everything it refuses is collected in `complaints`."""

    def __init__(self) -> None:
        super().__init__()
        self.complaints: list[Complaint] = []
        self._scopes: list[ast.AST] = []

    # What the base class calls when it refuses something.
    def error(self, node: ast.AST, info: str) -> None:
        if len(self.complaints) < _MOST_COMPLAINTS:
            line = getattr(node, "lineno", 1)
            column = getattr(node, "col_offset", 0) + 1
            self.complaints.append(Complaint(line, column, "policy", info))

    def not_allowed(self, node: ast.AST) -> None:
        self.error(node, f"{type(node).__name__} is not part of the language here")

    # --- names ---------------------------------------------------------------------------

    def check_name(
        self,
        node: ast.AST,
        name: str | None,
        allow_magic_methods: bool = False,  # noqa: ARG002
    ) -> None:
        if name is None or not name.startswith("_") or not names.is_private_clash(name):
            return
        if self._is_allowed_dunder(node, name):
            return
        self.error(node, f"`{name}` is reserved; choose a name without the underscores around it")

    def _is_allowed_dunder(self, node: ast.AST, name: str) -> bool:
        if isinstance(node, ast.Name):
            if name == "__name__":
                return isinstance(node.ctx, ast.Load)
            if name == "__all__":
                return not self._scopes
        if not self._in_class_body():
            return False
        return name in names.DEFINABLE_DUNDERS or name in names.ENUM_HOOKS

    def _in_class_body(self) -> bool:
        return bool(self._scopes) and isinstance(self._scopes[-1], ast.ClassDef)

    def _mangled(self, name: str) -> str:
        """A class-private `__name` as Python's compiler will spell it."""
        if name.startswith("__") and not name.endswith("__"):
            for scope in reversed(self._scopes):
                if isinstance(scope, ast.ClassDef) and scope.name.strip("_"):
                    return f"_{scope.name.lstrip('_')}{name}"
        return name

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if self._in_class_body():
            node.id = self._mangled(node.id)
        if isinstance(node.ctx, ast.Load) and node.id in ("exec", "eval", "compile", "__import__"):
            instead = names.UNAVAILABLE[node.id]
            self.error(node, f"`{node.id}` isn't available here: {instead}")
        else:
            self.check_name(node, node.id)
        return node

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> ast.AST:
        for name in node.names:
            self.check_name(node, name)
        return node

    visit_Nonlocal = visit_Global

    # --- attributes and items ------------------------------------------------------------

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        node.attr = self._mangled(node.attr)
        reads = isinstance(node.ctx, ast.Load)
        if not self._is_attribute_allowed(node.attr, reads):
            self.error(node, f"the attribute `{node.attr}` is out of reach here")
            return node
        node = self.node_contents_visit(node)
        if not reads:
            node.value = self._guarded("_write_", node.value)
            return node
        private = node.attr.startswith("_") and node.attr not in names.READABLE_DUNDERS
        if private or node.attr in names.GUARDED_ATTRIBUTES:
            constant = ast.copy_location(ast.Constant(node.attr), node)
            return self._guarded("_getattr_", node.value, constant, at=node)
        return node

    def _is_attribute_allowed(self, attribute: str, reads: bool) -> bool:
        if attribute in names.FORBIDDEN_ATTRIBUTES or attribute.endswith("__roles__"):
            return False
        if attribute.startswith("__"):
            return reads and (attribute in names.READABLE_DUNDERS or attribute == "__class__")
        return True

    def _guarded(self, guard: str, *arguments: ast.expr, at: ast.AST | None = None) -> ast.Call:
        call = ast.Call(ast.Name(guard, ast.Load()), list(arguments), [])
        ast.copy_location(call, at or arguments[0])
        ast.copy_location(call.func, call)
        return call

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node = self.node_contents_visit(node)
        if not isinstance(node.ctx, ast.Load):
            node.value = self._guarded("_write_", node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        # The target is loaded natively, so what is only safe by a look at run time is refused.
        target = node.target
        if isinstance(target, ast.Attribute) and target.attr in names.GUARDED_ATTRIBUTES:
            self.error(node, f"`{target.attr}` can't be changed in place; assign it")
        node = self.node_contents_visit(node)
        changed = node.target
        if isinstance(changed, ast.Attribute) and isinstance(changed.value, ast.Call):
            # What it is called with by now is the guard for writing.
            changed.value.args.append(ast.copy_location(ast.Constant(changed.attr), changed))
        return node

    # --- what the base class guards and we needn't, since iteration and calls are native ----

    def guard_iter(self, node: Any) -> Any:
        return self.node_contents_visit(node)

    def _contents(self, node: Any) -> Any:
        return self.node_contents_visit(node)

    visit_For = visit_comprehension = visit_With = visit_Module = _contents
    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _contents
    visit_NamedExpr = visit_Call = _contents
    visit_Match = visit_match_case = visit_MatchValue = visit_MatchSingleton = _contents
    visit_MatchSequence = visit_MatchOr = _contents

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        if self._are_slots(*node.targets):
            self._check_slots(node.value)
            return node
        return self.node_contents_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if self._are_slots(node.target) and node.value is not None:
            self._check_slots(node.value)
            node.annotation = ast.copy_location(ast.Constant(None), node)
            return node
        # A dataclass makes `__match_args__` of its fields, and a positional pattern reads them.
        if self._in_class_body() and isinstance(node.target, ast.Name):
            name = node.target.id
            special = name.startswith("__") and name.endswith("__")
            if special or name in names.FORBIDDEN_ATTRIBUTES | names.GUARDED_ATTRIBUTES:
                self.error(node, f"`{name}` can't be a field's name here")
        return self.node_contents_visit(node)

    def _are_slots(self, target: ast.expr, *_more: ast.expr) -> bool:
        is_name = isinstance(target, ast.Name) and target.id == "__slots__" and not _more
        return is_name and self._in_class_body()

    def _check_slots(self, value: ast.expr) -> None:
        # An empty slot is asked of `__getattr__`: named `__reduce_ex__`, it would decide how
        # `copy` makes an object, and what it sets.
        try:
            written = ast.literal_eval(value)
            listed = [written] if isinstance(written, str) else [*written]
            ordinary = all(not name.startswith("__") or not name.endswith("__") for name in listed)
        except (ValueError, TypeError, AttributeError):
            ordinary = False
        if not ordinary:
            self.error(value, "`__slots__` must be written out, as ordinary names")

    # --- functions and classes -------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if self._in_class_body():
            node.name = self._mangled(node.name)
        self.check_name(node, node.name)
        # An annotation given as text would be evaluated by helpers of the standard library.
        node.returns = None
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        self._scopes.append(node)
        node.args = self.visit(node.args)
        node.body = self._visit_statements(node.body)
        self._scopes.pop()
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self._scopes.append(node)
        node = self.node_contents_visit(node)
        self._scopes.pop()
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        self.check_name(node, node.arg)
        node.annotation = None
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.check_name(node, node.name)
        for keyword in node.keywords:
            if keyword.arg == "metaclass":
                self.error(node, "`metaclass=` isn't available; use a decorator, or a base class")
            if keyword.arg is None:
                self.error(node, "`**` isn't available in a class header; write the keywords out")
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        node.bases = [self.visit(base) for base in node.bases]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        self._scopes.append(node)
        node.body = self._visit_statements(node.body)
        self._scopes.pop()
        return node

    def _visit_statements(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        return [self.visit(statement) for statement in statements]

    # --- statements --------------------------------------------------------------------------

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        return rewrite_assert(self.node_contents_visit(node), in_class=self._in_class_body())

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self.check_name(node, node.name)
        return self.node_contents_visit(node)

    def visit_Import(self, node: ast.Import) -> ast.AST:
        for alias in node.names:
            self._check_importable(node, alias.name)
            self.check_name(node, alias.asname)
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        if node.level or node.module is None:
            self.error(node, "relative imports aren't available; name the function as <<Name>>")
            return node
        self._check_importable(node, node.module)
        for alias in node.names:
            if alias.name == "*":
                self.error(node, "`import *` isn't available; import the names that you need")
            if alias.name.startswith("_"):
                self.error(node, f"`{alias.name}` is private to {node.module}")
            self.check_name(node, alias.asname)
        return node

    def _check_importable(self, node: ast.stmt, module: str) -> None:
        if not is_importable(module):
            self.error(
                node, f"`{module}` can't be imported here; there are {', '.join(IMPORTABLE)}"
            )

    # --- patterns: they read attributes without asking a guard --------------------------------

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> ast.AST:
        self.check_name(node, node.name)
        return self.node_contents_visit(node)

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node: ast.MatchMapping) -> ast.AST:
        self.check_name(node, node.rest)
        return self.node_contents_visit(node)

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.AST:
        for attribute in node.kwd_attrs:
            guarded = attribute.startswith("_") or attribute in names.GUARDED_ATTRIBUTES
            if guarded or attribute in names.FORBIDDEN_ATTRIBUTES:
                self.error(node, f"a pattern can't look at the attribute `{attribute}`")
        return self.node_contents_visit(node)

    # --- refused with a reason -----------------------------------------------------------------

    def _refuse_async(self, node: ast.AST) -> ast.AST:
        self.error(node, "`async` and `await` aren't available; write a plain function")
        return node

    visit_AsyncFunctionDef = visit_AsyncFor = visit_AsyncWith = visit_Await = _refuse_async

    def visit_TryStar(self, node: ast.AST) -> ast.AST:
        self.error(node, "`except*` isn't available; use `except`")
        return node
