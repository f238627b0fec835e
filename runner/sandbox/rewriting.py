"""Pieces of rewritten code: what asks a guard, and only where asking is needed."""

from __future__ import annotations

import ast
import builtins
from typing import TypeVar

# Whether a method's first parameter is of the quick types, looked at once for the whole call.
MINE = "_mine_"
_HELD = "_held_"

_Node = TypeVar("_Node", bound=ast.AST)
# What stands at a place in the source.
_PLACED = (ast.stmt, ast.expr, ast.excepthandler, ast.arg, ast.keyword, ast.alias, ast.pattern)

# Those that can't be a MemoryError, nor a group with one inside.
_HARMLESS_EXCEPTIONS = frozenset(
    name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
) - {"BaseException", "Exception", "MemoryError", "BaseExceptionGroup", "ExceptionGroup"}


def at(place: ast.AST, made: _Node) -> _Node:
    """New nodes at a place of the source; their children may have places of their own.

    What is below those isn't looked at, or each rewriting around others would walk all of them.
    """
    ast.copy_location(made, place)
    pending = list(ast.iter_child_nodes(made))
    while pending:
        node = pending.pop()
        if isinstance(node, _PLACED):
            if hasattr(node, "lineno"):
                continue
            ast.copy_location(node, place)
        pending += ast.iter_child_nodes(node)
    return made


def load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def call(guard: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(load(guard), list(arguments), [])


def is_quick(value: ast.expr) -> ast.expr:
    """`type(value) in quick_types`, which costs less than any call of a guard."""
    return ast.Compare(call("_type_", value), [ast.In()], [load("_quick_")])


def held(value: ast.expr) -> tuple[ast.expr, ast.expr]:
    """An expression to evaluate first, and one that means the same value afterwards."""
    if isinstance(value, ast.Name):
        return value, value
    return ast.NamedExpr(ast.Name(_HELD, ast.Store()), value), load(_HELD)


# --- memory that has run out ----------------------------------------------------------------------


def ask_memory() -> ast.stmt:
    return ast.Expr(call("_caught_"))


def may_catch_the_end(kind: ast.expr | None, bound: frozenset[str]) -> bool:
    """Whether an `except` of this may catch a MemoryError."""
    if isinstance(kind, ast.Tuple):
        return any(may_catch_the_end(each, bound) for each in kind.elts)
    harmless = isinstance(kind, ast.Name) and kind.id in _HARMLESS_EXCEPTIONS - bound
    return not harmless


def telling_memory(body: list[ast.stmt]) -> list[ast.stmt]:
    """The body of a `with`: what leaves it may be kept from us by whoever is asked next."""
    handler = ast.ExceptHandler(load("_memory_error_"), None, [ask_memory(), ast.Raise()])
    return [at(body[0], ast.Try(body, [handler], [], []))]


# --- leaving by the last statement ----------------------------------------------------------------


def soften_ending(body: list[ast.stmt], bound: frozenset[str]) -> None:
    """Make of `sys.exit(...)` as the very last statement a look at what it would tell."""
    if not body:
        return
    match body[-1]:
        case ast.If(test=ast.Compare(left=left, comparators=[right]), body=inner, orelse=[]):
            if {ast.unparse(left), ast.unparse(right)} == {"__name__", "'__main__'"}:
                soften_ending(inner, bound)
        case ast.Expr(value=ast.Call(func=function, args=given, keywords=[])) as last:
            named = ast.unparse(function)
            builtin = named in ("exit", "quit") and named not in bound
            if (builtin or named == "sys.exit") and not _is_starred(given):
                body[-1] = at(last, ast.Expr(call("_left_", *given)))
        case ast.Raise(exc=ast.Call(func=ast.Name("SystemExit"), args=given), cause=None) as last:
            if not _is_starred(given):
                body[-1] = at(last, ast.Expr(call("_left_", *given)))
        case ast.Raise(exc=ast.Name("SystemExit"), cause=None) as last:
            body[-1] = at(last, ast.Pass())


def _is_starred(given: list[ast.expr]) -> bool:
    return len(given) > 1 or any(isinstance(each, ast.Starred) for each in given)
