"""Rewrites asserts, so that failures can show their values; report/explanation.py shows them.

`assert f(x) == y` becomes, with a name for every value to show,

    try:
        @v0 = @v1 = @v2 = @unset
        if not (@v0 := f((@v2 := x))) == (@v1 := y):
            raise @failure(plan, (@v0, @v1, @v2))
    finally:
        @v0 = @v1 = @v2 = None

so everything is evaluated once, in Python's order, and a passing assert only costs some stores. The
plan is a constant that maps values to spans of the source, and has the condition's structure.
"""

from __future__ import annotations

import ast
from typing import Any

# A span of the source: first line and column, last line and column, as in the syntax tree.
Span = tuple[int, int, int, int]
# A slot is an index into the values. A fact is a slot and the span of its expression.
Fact = tuple[int, Span]
# ("value", slot, span, facts), ("compare", signs, (slot, span or None)s, facts), ("not", plan),
# ("and" or "or", (slot, plan)s), ("if", slot, plan, slot, plan), ("each", called, slot, span,
# plan, facts of the element, facts), ("constant" or "text", span).
Plan = tuple[Any, ...]

FAILURE, UNSET = "@failure", "@unset"

_MOST_SLOTS = 20
_DEEPEST = 12
_LOAD, _STORE = ast.Load(), ast.Store()
_LITERAL_PARTS = (
    *(ast.Constant, ast.UnaryOp, ast.BinOp, ast.Tuple, ast.List, ast.Set, ast.Dict),
    *(ast.operator, ast.unaryop, ast.expr_context),
)
_TELLING = (
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.NamedExpr),
    *(ast.ListComp, ast.SetComp, ast.DictComp),
)
# Parts of these are evaluated in another scope or repeatedly, or are not worth showing.
_OPAQUE = (
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda, ast.Yield),
    *(ast.YieldFrom, ast.Dict, ast.JoinedStr),
)
_SIGNS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


def rewrite_assert(node: ast.Assert, *, in_class: bool = False) -> ast.stmt:
    """Return the statement that replaces the assert."""
    rewriting = _Rewriting(node, in_class=in_class)
    test, plan = rewriting.condition(node.test, expected=True)
    names = rewriting.names
    values = ast.Tuple([_load(name) for name in names], _LOAD)
    message = [node.msg] if node.msg is not None else []
    # The compiler accepts tuples as constants.
    told = ast.Constant(plan)  # type: ignore[arg-type]
    failure = ast.Call(_load(FAILURE), [told, values, *message], [])
    rewritten: ast.stmt = ast.If(ast.UnaryOp(ast.Not(), test), [ast.Raise(failure)], [])
    if names:
        body = [_assign(names, _load(UNSET)), rewritten]
        if in_class:
            body.insert(0, ast.Global([*names]))
        rewritten = ast.Try(body, [], [], [_assign(names, ast.Constant(None))])
    # Nodes from the source keep their places; new ones get the assert's.
    return ast.fix_missing_locations(ast.copy_location(rewritten, node))


def _load(name: str) -> ast.Name:
    return ast.Name(name, _LOAD)


def _assign(names: list[str], value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, _STORE) for name in names], value)


def _is(left: ast.expr, right: ast.expr) -> ast.Compare:
    return ast.Compare(left, [ast.Is()], [right])


def _span_of(node: ast.expr) -> Span:
    node = node.target if isinstance(node, ast.NamedExpr) else node
    return (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)


def _is_literal(node: ast.expr) -> bool:
    return all(isinstance(child, _LITERAL_PARTS) for child in ast.walk(node))


class _Rewriting:
    """The rewriting of one assert's condition; values are assigned to the names of their slots."""

    def __init__(self, node: ast.Assert, *, in_class: bool) -> None:
        self.names: list[str] = []
        # In a class body, names would become attributes, so they are declared global; and they
        # differ between asserts, because a scope must declare a name before its use.
        self._prefix = f"@{node.lineno}:{node.col_offset}:" if in_class else "@v"
        self._in_class = in_class
        self._within_each = False
        self._depth = 0

    def _slot(self) -> int:
        # Names inside of all(...) are shared between two scopes, which makes them slower. So they
        # differ from those used by every assert.
        slot = len(self.names)
        self.names.append(f"{'@e' if self._within_each else self._prefix}{slot}")
        return slot

    def _is_full(self) -> bool:
        return len(self.names) >= _MOST_SLOTS

    def _keep(self, slot: int | None, value: ast.expr) -> ast.expr:
        if slot is None:
            return value
        return ast.NamedExpr(ast.Name(self.names[slot], _STORE), value)

    # --- what decides -----------------------------------------------------------------------------

    def condition(self, node: ast.expr, *, expected: bool) -> tuple[ast.expr, Plan]:
        """Return the expression with its values stored, and the plan to explain it.

        `expected` is its value if the assertion holds.
        """
        if isinstance(node, ast.Constant):
            return node, ("constant", _span_of(node))
        if self._depth > _DEEPEST or self._is_full():
            return node, ("text", _span_of(node))
        self._depth += 1
        found = self._condition(node, expected)
        self._depth -= 1
        return found

    def _condition(self, node: ast.expr, expected: bool) -> tuple[ast.expr, Plan]:
        facts: list[Fact] = []
        match node:
            case ast.BoolOp():
                kind = "and" if isinstance(node.op, ast.And) else "or"
                parts = []
                for index, value in enumerate(node.values):
                    node.values[index], slot, plan = self._deciding(value, expected)
                    parts.append((slot, plan))
                return node, (kind, tuple(parts))
            case ast.UnaryOp(op=ast.Not()):
                node.operand, plan = self.condition(node.operand, expected=not expected)
                return node, ("not", plan)
            case ast.IfExp():
                node.test = self._fact(node.test, facts)
                node.body, slot, plan = self._deciding(node.body, expected)
                node.orelse, other_slot, other = self._deciding(node.orelse, expected)
                return node, ("if", slot, plan, other_slot, other)
            case ast.Compare():
                return self._compare(node)
            case ast.Call(func=ast.Name(id="all" | "any"), args=[ast.GeneratorExp()], keywords=[]):
                if not self._in_class:
                    return self._each(node, expected)
        slot = self._slot()
        kept = self._keep(slot, self._inside(node, facts))
        return kept, ("value", slot, _span_of(node), tuple(facts))

    def _deciding(self, node: ast.expr, expected: bool) -> tuple[ast.expr, int | None, Plan]:
        """Return expression, slot and plan of a part; the slot is unset if it isn't evaluated."""
        if self._is_full():
            return node, None, ("text", _span_of(node))
        condition, plan = self.condition(node, expected=expected)
        if plan[0] == "value":
            return condition, plan[1], plan
        slot = self._slot()
        return self._keep(slot, condition), slot, plan

    def _compare(self, node: ast.Compare) -> tuple[ast.expr, Plan]:
        operands = [node.left, *node.comparators]
        sides: list[tuple[int | None, Span | None]] = []
        for operand in operands:
            slot = None if self._is_full() else self._slot()
            is_plain = slot is not None and _is_literal(operand)
            sides.append((slot, None if is_plain else _span_of(operand)))
        facts: list[Fact] = []
        node.left, *node.comparators = (
            self._keep(slot, self._inside(operand, facts))
            for operand, (slot, _) in zip(operands, sides, strict=True)
        )
        signs = tuple(_SIGNS[type(sign)] for sign in node.ops)
        return node, ("compare", signs, tuple(sides), tuple(facts))

    def _each(self, node: ast.Call, expected: bool) -> tuple[ast.expr, Plan]:
        """Rewrite `all(p(x) for x in xs)`, so that the element that decided can be shown."""
        span = _span_of(node)
        generator: Any = node.args[0]
        first = generator.generators[0]
        called, result = self._slot(), self._slot()
        is_decisive = node.func.id == ("all" if expected else "any")  # type: ignore[attr-defined]
        node.func = self._keep(called, node.func)
        element: list[Fact] = []
        facts: list[Fact] = []
        plan: Plan = ()
        asynchronous = any(clause.is_async for clause in generator.generators)
        if is_decisive and not asynchronous and not self._within_each:
            plan = self._element(generator, expected, element)
        if not self._is_full() and not _is_literal(first.iter):
            # Assignment expressions are not allowed in the iterable of a comprehension.
            slot = self._slot()
            facts.append((slot, _span_of(first.iter)))
            there = ast.List([self._keep(slot, first.iter)], _LOAD)
            first.iter = _load(self.names[slot])
            node.args[0] = ast.IfExp(there, generator, ast.Constant(None))
        told = (called, result, span, plan, tuple(element), tuple(facts))
        return self._keep(result, node), ("each", *told)

    def _element(self, generator: ast.GeneratorExp, expected: bool, facts: list[Fact]) -> Plan:
        self._within_each = True
        tests: list[ast.expr] = []
        for target in _targets(generator.generators):
            if self._is_full():
                break
            slot = self._slot()
            facts.append((slot, _span_of(target)))
            tests.append(_is(self._keep(slot, _load(target.id)), _load(self.names[slot])))
        known = len(self.names)
        generator.elt, plan = self.condition(generator.elt, expected=expected)
        # Values are reset for each element, or those of the previous one would be shown.
        tests += [
            _is(self._keep(slot, _load(UNSET)), _load(UNSET))
            for slot in range(known, len(self.names))
        ]
        generator.generators[-1].ifs += tests
        self._within_each = False
        return plan

    # --- what else is told ------------------------------------------------------------------------

    def _fact(self, node: Any, facts: list[Fact]) -> Any:
        """Return a part with its value stored if it is worth showing, and rewrite its inside."""
        if not isinstance(node, _TELLING) or self._is_full():
            return self._inside(node, facts)
        slot = self._slot()
        facts.append((slot, _span_of(node)))
        return self._keep(slot, self._inside(node, facts))

    def _inside(self, node: Any, facts: list[Fact]) -> Any:
        """Return an expression with the values of its parts stored if they are worth showing."""
        if self._depth > _DEEPEST or isinstance(node, _OPAQUE):
            return node
        self._depth += 1
        for field, part in ast.iter_fields(node):
            if isinstance(part, list):
                part[:] = [self._fact(each, facts) for each in part]
            elif isinstance(part, ast.expr) and field != "target":
                look = self._inside if _is_between(node, field, part) else self._fact
                setattr(node, field, look(part, facts))
        self._depth -= 1
        return node


def _is_between(node: ast.expr, field: str, part: ast.expr) -> bool:
    """Return whether a part is not worth showing: a called method, or `a.b` of `a.b[0]`."""
    if isinstance(node, ast.Attribute | ast.Subscript) and field == "value":
        # Of `a.b[0].c`, the whole and `a` are shown; the rest can be seen in `a`.
        return isinstance(part, ast.Attribute | ast.Subscript)
    # Calling a method directly is faster than storing it first.
    return field == "func" or isinstance(node, ast.NamedExpr)


def _targets(clauses: list[ast.comprehension]) -> list[ast.Name]:
    found: dict[str, ast.Name] = {}
    for clause in clauses:
        for node in ast.walk(clause.target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.setdefault(node.id, node)
    return list(found.values())
