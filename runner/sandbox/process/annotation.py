"""What the annotation of a function's results says of them."""

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


def is_plain_data(annotation: str) -> bool:
    """Tell whether an annotation, as people write it, names nothing but plain data."""
    try:
        parsed = ast.parse(annotation, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return _is_plain(parsed.body)


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
