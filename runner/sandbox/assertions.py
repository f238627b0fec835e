"""Failing asserts that tell their values: the rewriting, and what it calls at run time."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

Span = tuple[int, int, int, int]

_LONGEST_VALUE = 200
_LONGEST_EXPRESSION = 120

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Is": operator.is_,
    "IsNot": operator.is_not,
    "In": lambda left, right: left in right,
    "NotIn": lambda left, right: left not in right,
}
_SIGNS = {
    "Eq": "==",
    "NotEq": "!=",
    "Lt": "<",
    "LtE": "<=",
    "Gt": ">",
    "GtE": ">=",
    "Is": "is",
    "IsNot": "is not",
    "In": "in",
    "NotIn": "not in",
}


def rewrite_assert(node: ast.Assert) -> ast.If:
    """`assert a == b, m` as `if not _holds_("Eq", a, b): raise _failure_(_why_(...), m)`.

    Each side is evaluated once, and the message only when the assertion fails, as in Python.
    """
    test = node.test
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        sides = [test.left, test.comparators[0]]
        holds = _call("_holds_", [ast.Constant(type(test.ops[0]).__name__), *sides])
        spans = [None if _is_literal(side) else _span(side) for side in sides]
    else:
        holds = _call("_holds_", [ast.Constant("true"), test, ast.Constant(None)])
        spans = [_span(test), None]
    why = _call("_why_", [_constant(tuple(spans))])
    failure = _call("_failure_", [why, *([node.msg] if node.msg is not None else [])])
    rewritten = ast.If(
        test=ast.UnaryOp(ast.Not(), holds), body=[ast.Raise(failure, None)], orelse=[]
    )
    ast.copy_location(rewritten, node)
    # Children from the source keep their own places; only the new ones take the assert's.
    return ast.fix_missing_locations(rewritten)


def _call(name: str, arguments: list[ast.expr]) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), arguments, [])


def _constant(value: Any) -> ast.Constant:
    """The compiler takes tuples as constants too, which the types of `ast` don't know."""
    return ast.Constant(value)


def _span(node: ast.expr) -> Span:
    return (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)


def _is_literal(node: ast.expr) -> bool:
    literal = (ast.Constant, ast.UnaryOp, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.BinOp)
    inner = (ast.operator, ast.unaryop, ast.expr_context)
    return all(isinstance(child, (*literal, *inner)) for child in ast.walk(node))


class Assertions:
    """What rewritten asserts of one module call; remembers the sides of the one that failed."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._failed: tuple[str, Any, Any] = ("true", None, None)

    def holds(self, comparison: str, left: Any, right: Any) -> bool:
        """Compare once; remember the sides when it doesn't hold."""
        held = bool(left) if comparison == "true" else bool(_COMPARISONS[comparison](left, right))
        if not held:
            self._failed = (comparison, left, right)
        return held

    def why(self, spans: tuple[Span | None, Span | None]) -> str:
        """The sides of the failed assertion in words: `6 == 7, where Multiply(2, 3) is 6`."""
        comparison, left, right = self._failed
        self._failed = ("true", None, None)
        if comparison == "true":
            expression = self._text(spans[0]) if spans[0] else "the condition"
            return f"{expression} is {show(left)}"
        values = (show(left), show(right))
        where = [
            f"{text} is {value}"
            for span, value in zip(spans, values, strict=True)
            if span and (text := self._text(span)) != value
        ]
        statement = f"{values[0]} {_SIGNS[comparison]} {values[1]}"
        return f"{statement}, where {' and '.join(where)}" if where else statement

    def failure(self, why: str, *message: Any) -> AssertionError:
        """The exception to raise; with the author's own words first."""
        return AssertionError(f"{message[0]}: {why}" if message else why)

    def _text(self, span: Span) -> str:
        """The source between two places; columns count UTF-8 bytes, as the parser's do."""
        first, start, last, end = span
        lines = self._source.encode("utf-8", "surrogatepass").split(b"\n")[first - 1 : last]
        if not lines:
            return "the expression"
        lines[-1] = lines[-1][:end]
        lines[0] = lines[0][start:]
        text = " ".join(line.decode("utf-8", "replace").strip() for line in lines)
        return _cut(text, _LONGEST_EXPRESSION)


def show(value: object) -> str:
    """A value's repr, cut to a readable length; a repr that fails is no failure of ours."""
    try:
        return _cut(repr(value), _LONGEST_VALUE)
    except Exception:
        return f"<{type(value).__name__}, whose repr fails>"


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
