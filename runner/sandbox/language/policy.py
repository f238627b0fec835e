"""What can't work in a program is refused when it is compiled, with the reason and a way out.

Nothing is rewritten but asserts, so that they tell their values: what keeps programs in their
process is the jail.
"""

from __future__ import annotations

import ast
from typing import Any

from RestrictedPython.transformer import RestrictingNodeTransformer

from runner.sandbox.language.assertions import rewrite_assert
from runner.sandbox.language.importable import why_not, why_not_name
from runner.sandbox.language.reasons import BUILTINS
from runner.sandbox.programs import Complaint

DEEPEST_NESTING = 1_000
_CATCHING = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_LEAVES = (ast.Constant, ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
# What binds its `name`.
_BINDING = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler),
    *(ast.MatchAs, ast.MatchStar),
)
# What each field of these holds is executed where an import that fails is caught.
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


class TooDeep(Exception):
    """A source is nested so deeply that nothing may recurse into it."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class Policy(RestrictingNodeTransformer):
    """Looks at one module; everything that it refuses is collected in `complaints`.

    Of what the base class refuses and rewrites nothing is left; it never recurses.
    """

    def __init__(self) -> None:
        super().__init__()
        self.complaints: list[Complaint] = []
        # Names that the program binds, by imports and otherwise; the former with what they mean.
        self._bound: set[str] = set()
        self._imported: dict[str, str] = {}
        self._names: list[ast.Name] = []
        self._attributes: list[ast.Attribute] = []

    def visit(self, node: ast.AST) -> ast.AST:
        """Look at a whole module, and rewrite its asserts; raises TooDeep."""
        self._look_at(node)
        for read in self._names:
            is_builtin = read.id not in self._bound and read.id not in self._imported
            if read.id in BUILTINS and is_builtin:
                self.error(read, f"`{read.id}` isn't available here: {BUILTINS[read.id]}")
        for attribute in self._attributes:
            name = attribute.value.id  # type: ignore[attr-defined]
            # One that is bound otherwise as well may be anything.
            module = None if name in self._bound else self._imported.get(name)
            if module and (why := why_not_name(module, attribute.attr)):
                self.error(attribute, why)
        return node

    def error(self, node: Any, info: str) -> None:
        """Refuse what stands at a node."""
        self.complaints.append(Complaint(node.lineno, node.col_offset + 1, "policy", info))

    def _look_at(self, tree: ast.AST) -> None:
        # Each with whether a failing import is caught there, and whether it is in a class's body.
        level: list[tuple[Any, bool, bool]] = [(tree, False, False)]
        for _ in range(DEEPEST_NESTING):
            deeper: list[tuple[Any, bool, bool]] = []
            for node, is_caught, in_class in level:
                self._look_at_one(node, is_caught)
                deeper += self._inside(node, is_caught, in_class)
            if not deeper:
                return
            level = deeper
        raise TooDeep(min((n.lineno for n, _, _ in level if hasattr(n, "lineno")), default=1))

    def _inside(self, node: Any, is_caught: bool, in_class: bool) -> list[tuple[Any, bool, bool]]:
        found = []
        if isinstance(node, _FUNCTIONS):
            is_caught = in_class = False
        elif isinstance(node, ast.ClassDef):
            in_class = True
        for field in node._fields:
            value = getattr(node, field)
            if type(value) is list:
                here = is_caught or (field == "body" and _catches_imports(node))
                if field in _BLOCKS:
                    _rewrite_asserts(value, in_class=in_class)
                found += [(each, here, in_class) for each in value if isinstance(each, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, _LEAVES):
                found.append((value, is_caught, in_class))
        return found

    def _look_at_one(self, node: Any, is_caught: bool) -> None:  # noqa: C901 - a table
        match node:
            case ast.Name():
                if isinstance(node.ctx, ast.Load):
                    self._names.append(node)
                else:
                    self._bound.add(node.id)
            case ast.Attribute(value=ast.Name()):
                self._attributes.append(node)
            case ast.arg(arg=name):
                self._bound.add(name)
            case ast.Import(names=aliases):
                for alias in aliases:
                    bound = alias.asname or alias.name.partition(".")[0]
                    self._imported[bound] = alias.name if alias.asname else bound
                    self._refuse_import(node, why_not(alias.name), is_caught)
            case ast.ImportFrom(names=aliases):
                for alias in aliases:
                    self._imported[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                self._refuse_import(node, _why_not_from(node), is_caught)
            case ast.MatchMapping(rest=str(name)):
                self._bound.add(name)
            case _ if isinstance(node, _BINDING) and node.name:
                self._bound.add(node.name)

    def _refuse_import(self, node: ast.stmt, why: str, is_caught: bool) -> None:
        """Refuse an import, unless the program is prepared for one that fails."""
        if why and not is_caught:
            self.error(node, why)


def _why_not_from(node: ast.ImportFrom) -> str:
    if node.level or node.module is None:
        return "relative imports aren't available; name the function as <<Name>>"
    return why_not(node.module, [alias.name for alias in node.names])


def _catches_imports(node: Any) -> bool:
    match node:
        case ast.Try(handlers=handlers) | ast.TryStar(handlers=handlers):
            return any(_is_of_imports(each.type) for each in handlers)
        case ast.With(items=items):
            return any(_suppresses_imports(each.context_expr) for each in items)
    return False


def _suppresses_imports(manager: ast.expr) -> bool:
    match manager:
        case ast.Call(func=ast.Name("suppress") | ast.Attribute(attr="suppress"), args=kinds):
            return any(_is_of_imports(kind) for kind in kinds)
    return False


def _is_of_imports(kind: ast.expr | None) -> bool:
    if isinstance(kind, ast.Tuple):
        return any(isinstance(each, ast.Name) and each.id in _CATCHING for each in kind.elts)
    return kind is None or (isinstance(kind, ast.Name) and kind.id in _CATCHING)


def _rewrite_asserts(statements: list[Any], *, in_class: bool) -> None:
    for place, statement in enumerate(statements):
        if isinstance(statement, ast.Assert):
            statements[place] = rewrite_assert(statement, in_class=in_class)
