"""Failing asserts that tell their values: the rewriting. What it calls is in explaining.py.

`assert f(x) == y` becomes, with a name of ours for every value worth telling,

    try:
        if not (_va_ := f((_vc_ := x))) == (_vb_ := y):
            raise _failure_(plan, (_va_, _vb_, _vc_))
    finally:
        _va_ = _vb_ = _vc_ = None

so everything is evaluated once, in Python's order, and a passing assert costs some stores. The
plan is a constant: which value belongs to which piece of the source, and how they decide.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from string import ascii_lowercase
from typing import Any

Span = tuple[int, int, int, int]
# A slot is an index into the values, a fact a slot and the source that gave its value.
Fact = tuple[int, Span]
# ("value", slot, span, facts), ("compare", signs, (slot, span or None)s, facts), ("not", plan),
# ("and" or "or", (slot, plan)s), ("if", slot, plan, slot, plan), ("each", called, slot, span,
# plan, facts of the element, facts), ("constant" or "text", span): explaining.py reads them.
Plan = tuple[Any, ...]

FAILURE, UNSET = "_failure_", "_unset_"

_MOST_SLOTS = 20
_DEEPEST = 12

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


def rewrite_assert(node: ast.Assert, *, in_class: bool = False) -> ast.stmt:
    """The statement to put in the assert's place; its children have been visited already."""
    rewriting = _Rewriting(node, in_class=in_class)
    test, plan = rewriting.condition(node.test, expected=True)
    held = rewriting.names
    values = ast.Tuple([ast.Name(name, ast.Load()) for name in held], ast.Load())
    message = [node.msg] if node.msg is not None else []
    # The compiler takes tuples as constants too, which the types of `ast` don't know.
    constant: Any = plan
    failure = _call(FAILURE, [ast.Constant(constant), values, *message])
    rewritten: ast.stmt = ast.If(ast.UnaryOp(ast.Not(), test), [ast.Raise(failure, None)], [])
    if held:
        body: list[ast.stmt] = [rewritten]
        if rewriting.unsure:
            body.insert(0, _assign(rewriting.unsure, ast.Name(UNSET, ast.Load())))
        if in_class:
            body.insert(0, ast.Global(list(held)))
        rewritten = ast.Try(body, [], [], [_assign(held, ast.Constant(None))])
    ast.copy_location(rewritten, node)
    # Children from the source keep their own places; only the new ones take the assert's.
    return ast.fix_missing_locations(rewritten)


def _call(name: str, arguments: list[ast.expr]) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), arguments, [])


def _assign(names: Iterable[str], value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store()) for name in names], value)


def _is(left: ast.expr, right: ast.expr) -> ast.Compare:
    return ast.Compare(left, [ast.Is()], [right])


def _span(node: ast.expr) -> Span:
    node = node.target if isinstance(node, ast.NamedExpr) else node
    return (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)


def _is_literal(node: ast.expr) -> bool:
    return all(isinstance(child, _LITERAL_PARTS) for child in ast.walk(node))


def _is_telling(node: ast.AST) -> bool:
    return isinstance(node, (*_TELLING, *_COMPREHENSIONS))


class _Rewriting:
    """The rewriting of one assert: hands out slots, and knows which may stay without a value."""

    def __init__(self, node: ast.Assert, *, in_class: bool) -> None:
        self.names: list[str] = []
        self.unsure: list[str] = []
        # A class body keeps what it assigns, so there the names are the module's; and they
        # differ from assert to assert, as a scope may declare a name only before its use.
        place = f"{node.lineno}:{node.col_offset}".translate(_AS_LETTERS) if in_class else ""
        self._prefix = f"_c_{place}_" if in_class else "_v"
        self._in_class = in_class
        self._within_each = False
        self._depth = 0

    # --- slots -------------------------------------------------------------------------------

    def _slot(self, *, sure: bool) -> int:
        slot = len(self.names)
        # Inside of all(...) names are shared between two scopes, which makes them slower: these
        # are others than the ones that every assert uses.
        prefix = "_e" if self._within_each else self._prefix
        self.names.append(f"{prefix}{ascii_lowercase[slot]}_")
        if not sure:
            self.unsure.append(self.names[slot])
        return slot

    def _is_full(self) -> bool:
        return len(self.names) >= _MOST_SLOTS

    def _keep(self, slot: int, value: ast.expr) -> ast.expr:
        name = ast.Name(self.names[slot], ast.Store())
        return ast.fix_missing_locations(
            ast.copy_location(ast.NamedExpr(ast.copy_location(name, value), value), value)
        )

    # --- what decides ------------------------------------------------------------------------

    def condition(
        self, node: ast.expr, *, expected: bool, sure: bool = True
    ) -> tuple[ast.expr, Plan]:
        """The expression with its values kept, and the plan to explain it by.

        `expected` is what it should be for the assertion to hold, `sure` that it is evaluated
        whatever comes of the others.
        """
        if isinstance(node, ast.Constant):
            return node, ("constant", _span(node))
        if self._depth > _DEEPEST or self._is_full():
            return node, ("text", _span(node))
        self._depth += 1
        try:
            return self._condition(node, expected, sure)
        finally:
            self._depth -= 1

    def _condition(self, node: ast.expr, expected: bool, sure: bool) -> tuple[ast.expr, Plan]:
        match node:
            case ast.BoolOp():
                kind = "and" if isinstance(node.op, ast.And) else "or"
                parts = []
                for index, value in enumerate(node.values):
                    first = sure and not index
                    node.values[index], slot, plan = self._deciding(value, expected, first)
                    parts.append((slot, plan))
                return node, (kind, tuple(parts))
            case ast.UnaryOp(op=ast.Not()):
                node.operand, plan = self.condition(node.operand, expected=not expected, sure=sure)
                return node, ("not", plan)
            case ast.IfExp():
                facts: list[Fact] = []
                node.test = self._fact(node.test, facts, sure)
                node.body, slot, plan = self._deciding(node.body, expected, False)
                node.orelse, other_slot, other = self._deciding(node.orelse, expected, False)
                return node, ("if", slot, plan, other_slot, other)
            case ast.Compare():
                return self._compare(node, sure)
            case ast.Call(func=ast.Name(id="all" | "any"), args=[ast.GeneratorExp()], keywords=[]):
                if not self._in_class:
                    return self._each(node, expected, sure)
        facts = []
        slot = self._slot(sure=sure)
        kept = self._keep(slot, self._inside(node, facts, sure))
        return kept, ("value", slot, _span(node), tuple(facts))

    def _deciding(
        self, node: ast.expr, expected: bool, sure: bool
    ) -> tuple[ast.expr, int | None, Plan]:
        """A part that may or may not have been evaluated: its slot tells."""
        if self._is_full():
            return node, None, ("text", _span(node))
        condition, plan = self.condition(node, expected=expected, sure=sure)
        if plan[0] == "value":
            return condition, plan[1], plan
        slot = self._slot(sure=sure)
        return self._keep(slot, condition), slot, plan

    def _compare(self, node: ast.Compare, sure: bool) -> tuple[ast.expr, Plan]:
        operands = [node.left, *node.comparators]
        sides: list[tuple[int | None, Span | None]] = []
        facts: list[Fact] = []
        for index, operand in enumerate(operands):
            slot = None if self._is_full() else self._slot(sure=sure and index < 2)
            sides.append(
                (slot, None if slot is not None and _is_literal(operand) else _span(operand))
            )
        for index, operand in enumerate(operands):
            inside = self._inside(operand, facts, sure and index < 2)
            slot = sides[index][0]
            operands[index] = inside if slot is None else self._keep(slot, inside)
        node.left, *node.comparators = operands
        signs = tuple(_SIGNS[type(sign)] for sign in node.ops)
        return node, ("compare", signs, tuple(sides), tuple(facts))

    def _each(self, node: ast.Call, expected: bool, sure: bool) -> tuple[ast.expr, Plan]:
        """`all(p(x) for x in xs)`, of which the first element that decided is to be told."""
        span = _span(node)
        generator: Any = node.args[0]
        first = generator.generators[0]
        called, result = self._slot(sure=sure), self._slot(sure=sure)
        is_decisive = node.func.id == ("all" if expected else "any")  # type: ignore[attr-defined]
        node.func = self._keep(called, node.func)
        element: list[Fact] = []
        facts: list[Fact] = []
        plan: Plan = ()
        asynchronous = any(clause.is_async for clause in generator.generators)
        if is_decisive and not asynchronous and not self._within_each:
            plan = self._element(generator, expected, element)
        if not self._is_full() and not _is_literal(first.iter):
            # No name may be given to a value inside of a comprehension's `in`.
            slot = self._slot(sure=sure)
            facts.append((slot, _span(first.iter)))
            there = ast.List([self._keep(slot, first.iter)], ast.Load())
            first.iter = ast.Name(self.names[slot], ast.Load())
            node.args[0] = ast.IfExp(there, generator, ast.Constant(None))
            ast.copy_location(node.args[0], generator)
            ast.fix_missing_locations(node.args[0])
        told = (called, result, span, plan, tuple(element), tuple(facts))
        return self._keep(result, node), ("each", *told)

    def _element(self, generator: ast.GeneratorExp, expected: bool, facts: list[Fact]) -> Plan:
        self._within_each = True
        tests: list[ast.expr] = []
        for target in _targets(generator.generators):
            if self._is_full():
                break
            slot = self._slot(sure=False)
            facts.append((slot, _span(target)))
            value = ast.copy_location(ast.Name(target.id, ast.Load()), target)
            tests.append(_is(self._keep(slot, value), ast.Name(self.names[slot], ast.Load())))
        known = len(self.names)
        generator.elt, plan = self.condition(generator.elt, expected=expected, sure=False)
        # Every element begins without values, or what is left of the one before would be told.
        tests += [
            _is(self._keep(slot, ast.Name(UNSET, ast.Load())), ast.Name(UNSET, ast.Load()))
            for slot in range(known, len(self.names))
        ]
        generator.generators[-1].ifs += tests
        self._within_each = False
        return plan

    # --- what is told besides ------------------------------------------------------------------

    def _fact(self, node: Any, facts: list[Fact], sure: bool) -> Any:
        """The expression, itself kept if its value is worth telling, and what is inside of it."""
        if not _is_telling(node) or self._is_full():
            return self._inside(node, facts, sure)
        slot = self._slot(sure=sure)
        facts.append((slot, _span(node)))
        return self._keep(slot, self._inside(node, facts, sure))

    def _inside(self, node: Any, facts: list[Fact], sure: bool) -> Any:
        """The expression with what is worth telling inside of it kept."""
        if self._depth > _DEEPEST:
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


_AS_LETTERS = str.maketrans("0123456789:", "abcdefghij_")


def _targets(clauses: list[ast.comprehension]) -> list[ast.Name]:
    found: dict[str, ast.Name] = {}
    for clause in clauses:
        for node in ast.walk(clause.target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.setdefault(node.id, node)
    return list(found.values())
