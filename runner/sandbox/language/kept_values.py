"""Names for the values of an expression's parts, so that they can be told when an assert fails."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from string import ascii_lowercase
from typing import Any

Span = tuple[int, int, int, int]
# A slot is an index into the values, a fact a slot and the source that gave its value.
Fact = tuple[int, Span]

_MOST_SLOTS = 20
DEEPEST = 12
_LOAD, _STORE = ast.Load(), ast.Store()
_AS_LETTERS = str.maketrans("0123456789:", "abcdefghij_")

_LITERALS = (ast.Constant, ast.UnaryOp, ast.BinOp, ast.Tuple, ast.List, ast.Set, ast.Dict)
_LITERAL_PARTS = (*_LITERALS, ast.operator, ast.unaryop, ast.expr_context)
_TELLING = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.NamedExpr)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)

# The parts of an expression that are evaluated with it; of which only the first is; and that
# may not be.
_ALWAYS: dict[type[ast.AST], tuple[str, ...]] = {
    ast.Await: ("value",),
    ast.BinOp: ("left", "right"),
    ast.Call: ("args", "keywords"),
    ast.Compare: ("left",),
    ast.IfExp: ("test",),
    ast.List: ("elts",),
    ast.Set: ("elts",),
    ast.Slice: ("lower", "upper", "step"),
    ast.Starred: ("value",),
    ast.Subscript: ("slice",),
    ast.Tuple: ("elts",),
    ast.UnaryOp: ("operand",),
    ast.keyword: ("value",),
}
_FIRST: dict[type[ast.AST], tuple[str, ...]] = {
    ast.BoolOp: ("values",),
    ast.Compare: ("comparators",),
}
_MAYBE: dict[type[ast.AST], tuple[str, ...]] = {ast.IfExp: ("body", "orelse")}


def span_of(node: ast.expr) -> Span:
    node = node.target if isinstance(node, ast.NamedExpr) else node
    return (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)


def is_literal(node: ast.expr) -> bool:
    return all(isinstance(child, _LITERAL_PARTS) for child in ast.walk(node))


def _is_telling(node: ast.AST) -> bool:
    return isinstance(node, (*_TELLING, *_COMPREHENSIONS))


class Keeping:
    """Hands out slots for one assert, and knows which of them may stay without a value."""

    def __init__(self, node: ast.Assert, *, in_class: bool) -> None:
        self.names: list[str] = []
        self.unsure: list[str] = []
        # A class body keeps what it assigns, so there the names are the module's; and they
        # differ from assert to assert, as a scope may declare a name only before its use.
        place = f"{node.lineno}:{node.col_offset}".translate(_AS_LETTERS) if in_class else ""
        self._prefix = f"@{place}" if in_class else "@v"
        self.place: dict[str, Any] = {
            name: getattr(node, name)
            for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")
        }
        self._in_class = in_class
        self._within_each = False
        self._depth = 0

    def _slot(self, *, sure: bool) -> int:
        slot = len(self.names)
        # Inside of all(...) names are shared between two scopes, which makes them slower: these
        # are others than the ones that every assert uses.
        prefix = "@e" if self._within_each else self._prefix
        self.names.append(f"{prefix}{ascii_lowercase[slot]}")
        if not sure:
            self.unsure.append(self.names[slot])
        return slot

    def _is_full(self) -> bool:
        return len(self.names) >= _MOST_SLOTS

    def _keep(self, slot: int, value: ast.expr) -> ast.expr:
        name = ast.Name(self.names[slot], _STORE, **self.place)
        return ast.NamedExpr(name, value, **self.place)

    # Children from the source keep their own places; what is new takes the assert's.

    def load(self, name: str) -> ast.Name:
        return ast.Name(name, _LOAD, **self.place)

    def constant(self, value: Any) -> ast.Constant:
        """The compiler takes tuples as constants too, which the types of `ast` don't know."""
        return ast.Constant(value, **self.place)

    def assign(self, names: Iterable[str], value: ast.expr) -> ast.Assign:
        return ast.Assign(
            [ast.Name(name, _STORE, **self.place) for name in names], value, **self.place
        )

    def _is(self, left: ast.expr, right: ast.expr) -> ast.Compare:
        return ast.Compare(left, [ast.Is()], [right], **self.place)

    def _fact(self, node: Any, facts: list[Fact], sure: bool) -> Any:
        """The expression, itself kept if its value is worth telling, and what is inside of it."""
        if not _is_telling(node) or self._is_full():
            return self._inside(node, facts, sure)
        slot = self._slot(sure=sure)
        facts.append((slot, span_of(node)))
        return self._keep(slot, self._inside(node, facts, sure))

    def _inside(self, node: Any, facts: list[Fact], sure: bool) -> Any:
        """The expression with what is worth telling inside of it kept."""
        if self._depth > DEEPEST:
            return node
        self._depth += 1
        match node:
            case ast.NamedExpr():
                node.value = self._inside(node.value, facts, sure)
            case ast.Attribute() | ast.Subscript():
                # Of `a.b[0].c`, that and `a`; what is between can be seen in `a`.
                is_between = isinstance(node.value, ast.Attribute | ast.Subscript)
                look = self._inside if is_between else self._fact
                node.value = look(node.value, facts, sure)
            case ast.Call():
                # Not the function itself: a method is called faster than it is kept.
                node.func = self._inside(node.func, facts, sure)
        for field in _ALWAYS.get(type(node), ()):
            self._look_into(node, field, facts, sure, sure)
        for field in _FIRST.get(type(node), ()):
            self._look_into(node, field, facts, sure, False)
        for field in _MAYBE.get(type(node), ()):
            self._look_into(node, field, facts, False, False)
        self._depth -= 1
        return node

    def _look_into(
        self, node: ast.AST, field: str, facts: list[Fact], sure: bool, rest: bool
    ) -> None:
        part = getattr(node, field)
        if isinstance(part, list):
            first, others = part[:1], part[1:]
            told = [self._fact(each, facts, sure) for each in first]
            setattr(node, field, told + [self._fact(each, facts, rest) for each in others])
        elif part is not None:
            setattr(node, field, self._fact(part, facts, sure))
