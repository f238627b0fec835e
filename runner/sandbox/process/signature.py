"""What a published signature says of a function's results."""

from __future__ import annotations

import ast

# Types whose values cross by value, and what contains nothing else if its parts don't.
_PLAIN = frozenset(
    """
    None bool int float complex str bytes bytearray list tuple dict set frozenset range slice
    deque OrderedDict Counter defaultdict Decimal Fraction date time datetime timedelta timezone
    UUID List Tuple Dict Set FrozenSet Optional Union Literal
    """.split()
)


def plain_result(signature: str) -> str:
    """Return the annotation of the result, as text, if it names nothing but plain data; else ""."""
    try:
        (function,) = ast.parse(f"def {signature}: pass").body
    except (SyntaxError, ValueError, RecursionError):
        return ""
    returns = function.returns if isinstance(function, ast.FunctionDef) else None
    if returns is None or not _is_plain(returns):
        return ""
    return ast.unparse(returns)


def _is_plain(annotation: ast.expr) -> bool:  # noqa: PLR0911 - a table
    match annotation:
        case ast.Constant(value=value):
            return value is None or value is ...
        case ast.Name(id=name):
            return name in _PLAIN
        case ast.Attribute(value=ast.Name(), attr=name):
            return name in _PLAIN
        case ast.Subscript(value=kind, slice=parts):
            is_literal = isinstance(kind, ast.Name) and kind.id == "Literal"
            return _is_plain(kind) and (is_literal or _is_plain(parts))
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return all(map(_is_plain, parts))
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return _is_plain(left) and _is_plain(right)
    return False
