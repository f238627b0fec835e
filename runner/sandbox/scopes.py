"""Which names a source binds, wherever in it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

_LEAVES = (ast.Constant, ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)


def bound_names(tree: ast.Module | ast.Expression) -> tuple[frozenset[str], frozenset[str]]:
    """Names that are assigned, defined or imported in any scope; and those of parameters.

    `from sys import exit` isn't counted: it means what the builtin does.
    """
    assigned: set[str] = set()
    parameters: set[str] = set()
    # A loop of its own: this looks at everything before anything is rewritten.
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                assigned.add(node.id)
            continue
        if isinstance(node, ast.arg):
            parameters.add(node.arg)
        elif not isinstance(node, ast.expr):
            assigned.update(name for name in _named_by(node) if name)
        for field in node._fields:
            value = getattr(node, field)
            if type(value) is list:
                pending.extend(each for each in value if isinstance(each, ast.AST))
            elif isinstance(value, ast.AST) and not isinstance(value, _LEAVES):
                pending.append(value)
    return frozenset(assigned), frozenset(parameters)


def _named_by(node: ast.AST) -> Iterable[str | None]:
    match node:
        case ast.ImportFrom(module="sys", names=[ast.alias(name="exit", asname=None)]):
            return ()
        case ast.Import() | ast.ImportFrom():
            return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
        case ast.Global() | ast.Nonlocal():
            return node.names
        case ast.MatchMapping():
            return (node.rest,)
    return (getattr(node, "name", None),)


def swallows(statements: list[ast.stmt]) -> bool:
    """Whether a `finally` of these can end in the middle, and an exception with it."""
    pending: list[ast.AST] = [*statements]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Return | ast.Break | ast.Continue):
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))
    return False
