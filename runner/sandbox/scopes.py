"""What is to be known of a whole source before it is rewritten: the names that it binds."""

from __future__ import annotations

import ast
from collections.abc import Iterable

# The rewriting and CPython's own compiler recurse; beyond this depth they would need more stack
# than a thread of a web process has.
DEEPEST_NESTING = 1_000
_LEAVES = (ast.Constant, ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)


class TooDeep(Exception):
    """A source is nested so deeply that nothing may recurse into it."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def bound_names(tree: ast.Module | ast.Expression) -> tuple[frozenset[str], frozenset[str]]:
    """Names that are assigned, defined or imported in any scope; and those of parameters.

    `from sys import exit` isn't counted: it means what the builtin does. As this is the first to
    look at everything, and doesn't recurse, it also tells by `TooDeep` what nobody else may enter.
    """
    assigned: set[str] = set()
    parameters: set[str] = set()
    level: list[ast.AST] = [tree]
    # With leaves, which aren't looked at, it is one more.
    for _ in range(DEEPEST_NESTING):
        deeper: list[ast.AST] = []
        for node in level:
            if isinstance(node, ast.Name):
                if not isinstance(node.ctx, ast.Load):
                    assigned.add(node.id)
                continue
            if isinstance(node, ast.arg):
                parameters.add(node.arg)
            elif not isinstance(node, ast.expr):
                assigned.update(name for name in _named_by(node) if name)
            deeper += _inside(node)
        if not deeper:
            return frozenset(assigned), frozenset(parameters)
        level = deeper
    raise TooDeep(min((node.lineno for node in level if isinstance(node, ast.expr)), default=1))


def _inside(node: ast.AST) -> list[ast.AST]:
    found: list[ast.AST] = []
    for field in node._fields:
        value = getattr(node, field)
        if type(value) is list:
            found += [each for each in value if isinstance(each, ast.AST)]
        elif isinstance(value, ast.AST) and not isinstance(value, _LEAVES):
            found.append(value)
    return found


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
