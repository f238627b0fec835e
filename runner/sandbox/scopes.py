"""Which names a source binds, wherever in it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator


def bound_names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Every name that is assigned, defined, imported or a parameter in any scope.

    `from sys import exit` isn't counted: it means what the builtin does.
    """
    return frozenset(name for node in nodes for child in ast.walk(node) for name in _bound(child))


def _bound(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            yield name
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
        case ast.ImportFrom(module="sys", names=[ast.alias(name="exit", asname=None)]):
            pass
        case ast.Import() | ast.ImportFrom():
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
        case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar():
            if node.name:
                yield node.name
        case ast.MatchMapping(rest=str(name)):
            yield name
        case ast.Global() | ast.Nonlocal():
            yield from node.names


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
