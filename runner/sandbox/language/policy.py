"""Refuses at compilation what can't work in a program, with the reason and an alternative.

It is no security boundary; the jail is. Only asserts are rewritten, to show their values, and
tests, to register their runs.
"""

from __future__ import annotations

import ast
from typing import Any

from RestrictedPython.transformer import RestrictingNodeTransformer

from runner.sandbox.language.assertions import rewrite_assert
from runner.sandbox.language.defined_tests import mark_test
from runner.sandbox.language.importable import BUILTINS, why_not, why_not_name
from runner.sandbox.programs import Complaint

DEEPEST_NESTING = 1_000
_CATCHING = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_LEAVES = (ast.Constant, ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
# Nodes that bind their `name`.
_BINDING = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler),
    *(ast.MatchAs, ast.MatchStar),
)

# A node, whether a failing import is caught there, and whether it is in a class body.
_Place = tuple[Any, bool, bool]


class TooDeep(Exception):
    """A source is nested too deeply for recursive code."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class Policy(RestrictingNodeTransformer):
    """Checks one module and collects complaints.

    It replaces all checks and rewriting of the base class, and doesn't recurse.
    """

    is_empty = False

    def __init__(self) -> None:
        super().__init__()
        self.complaints: list[Complaint] = []
        # Names that the module binds: otherwise than by imports, and by imports with their origin.
        self._bound: set[str] = set()
        self._imported: dict[str, str] = {}
        self._names: list[ast.Name] = []
        self._attributes: list[ast.Attribute] = []

    def visit(self, node: Any) -> ast.AST:
        """Check a whole module, and rewrite its asserts and tests; raises TooDeep."""
        self.is_empty = not node.body
        level: list[_Place] = [(node, False, False)]
        for _ in range(DEEPEST_NESTING):
            level = [inner for place in level for inner in self._look_at(*place)]
            if not level:
                break
        else:
            raise TooDeep(min((n.lineno for n, _, _ in level if hasattr(n, "lineno")), default=1))
        for read in self._names:
            if read.id in BUILTINS and read.id not in self._bound | self._imported.keys():
                self.error(read, f"`{read.id}` isn't available here: {BUILTINS[read.id]}")
        for attribute in self._attributes:
            name = attribute.value.id  # type: ignore[attr-defined]
            # A name that is also bound otherwise may be anything.
            module = None if name in self._bound else self._imported.get(name)
            if module and (why := why_not_name(module, attribute.attr)):
                self.error(attribute, why)
        return node  # type: ignore[no-any-return]

    def error(self, node: Any, info: str) -> None:
        """Add a complaint about a node."""
        self.complaints.append(Complaint(node.lineno, node.col_offset + 1, "policy", info))

    def _look_at(self, node: Any, is_caught: bool, in_class: bool) -> list[_Place]:
        """Check one node, rewrite the asserts in it, and return its children."""
        if (why := self._note(node)) and not is_caught:
            self.error(node, why)
        if isinstance(node, _FUNCTIONS):
            is_caught = in_class = False
            if getattr(node, "name", "").startswith("test"):
                mark_test(node)
        elif isinstance(node, ast.ClassDef):
            in_class = True
        found = []
        for field in node._fields:
            value = getattr(node, field)
            here = is_caught or (field == "body" and _catches_imports(node))
            for index, part in enumerate(value if type(value) is list else (value,)):
                if isinstance(part, ast.Assert):
                    value[index] = rewrite_assert(part, in_class=in_class)
                    found.append((value[index], here, in_class))
                elif isinstance(part, ast.AST) and not isinstance(part, _LEAVES):
                    found.append((part, here, in_class))
        return found

    def _note(self, node: Any) -> str:
        """Store the names that a node binds or reads; return why an import fails, or ""."""
        match node:
            case ast.Name(ctx=ast.Load()):
                self._names.append(node)
            case ast.Name(id=name) | ast.arg(arg=name) | ast.MatchMapping(rest=str(name)):
                self._bound.add(name)
            case ast.Attribute(value=ast.Name()):
                self._attributes.append(node)
            case ast.Import(names=aliases):
                for alias in aliases:
                    bound = alias.asname or alias.name.partition(".")[0]
                    self._imported[bound] = alias.name if alias.asname else bound
                return next(filter(None, (why_not(alias.name) for alias in aliases)), "")
            case ast.ImportFrom(names=aliases):
                for alias in aliases:
                    self._imported[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                if node.level or node.module is None:
                    return "relative imports aren't available; name the function as <<Name>>"
                return why_not(node.module, [alias.name for alias in aliases])
            case _ if isinstance(node, _BINDING) and node.name:
                self._bound.add(node.name)
        return ""


def _catches_imports(node: Any) -> bool:
    """Return whether a failing import in the body of this statement is caught."""
    match node:
        case ast.Try(handlers=handlers) | ast.TryStar(handlers=handlers):
            return any(_is_of_imports(each.type) for each in handlers)
        case ast.With(items=items):
            return any(_suppresses_imports(each.context_expr) for each in items)
    return False


def _suppresses_imports(manager: ast.expr) -> bool:
    match manager:
        case ast.Call(func=ast.Name("suppress") | ast.Attribute(attr="suppress"), args=kinds):
            return any(map(_is_of_imports, kinds))
    return False


def _is_of_imports(kind: ast.expr | None) -> bool:
    if isinstance(kind, ast.Tuple):
        return any(map(_is_of_imports, kind.elts))
    return kind is None or (isinstance(kind, ast.Name) and kind.id in _CATCHING)
