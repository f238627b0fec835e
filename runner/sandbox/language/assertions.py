"""Failing asserts that tell their values: the rewriting. What it calls is in report/explanation.py.

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
from typing import Any

from runner.sandbox.language.kept_values import DEEPEST, Fact, Keeping, Span, is_literal, span_of

# ("value", slot, span, facts), ("compare", signs, (slot, span or None)s, facts), ("not", plan),
# ("and" or "or", (slot, plan)s), ("if", slot, plan, slot, plan), ("each", called, slot, span,
# plan, facts of the element, facts), ("constant" or "text", span): `explanation` reads them.
Plan = tuple[Any, ...]

_LOAD = ast.Load()

FAILURE, UNSET = "@failure", "@unset"

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
    """The statement to put in the assert's place; its children have been visited already."""
    rewriting = _Rewriting(node, in_class=in_class)
    test, plan = rewriting.condition(node.test, expected=True)
    held, place = rewriting.names, rewriting.place
    values = ast.Tuple([rewriting.load(name) for name in held], _LOAD, **place)
    message = [node.msg] if node.msg is not None else []
    arguments = [rewriting.constant(plan), values, *message]
    failure = ast.Call(rewriting.load(FAILURE), arguments, [], **place)
    fails = ast.UnaryOp(ast.Not(), test, **place)
    rewritten = ast.If(fails, [ast.Raise(failure, None, **place)], [], **place)
    if not held:
        return rewritten
    body: list[ast.stmt] = [rewritten]
    if rewriting.unsure:
        body.insert(0, rewriting.assign(rewriting.unsure, rewriting.load(UNSET)))
    if in_class:
        body.insert(0, ast.Global(list(held), **place))
    return ast.Try(body, [], [], [rewriting.assign(held, rewriting.constant(None))], **place)


class _Rewriting(Keeping):
    """The rewriting of one assert's condition."""

    # --- what decides ------------------------------------------------------------------------

    def condition(
        self, node: ast.expr, *, expected: bool, sure: bool = True
    ) -> tuple[ast.expr, Plan]:
        """The expression with its values kept, and the plan to explain it by.

        `expected` is what it should be for the assertion to hold, `sure` that it is evaluated
        whatever comes of the others.
        """
        if isinstance(node, ast.Constant):
            return node, ("constant", span_of(node))
        if self._depth > DEEPEST or self._is_full():
            return node, ("text", span_of(node))
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
        return kept, ("value", slot, span_of(node), tuple(facts))

    def _deciding(
        self, node: ast.expr, expected: bool, sure: bool
    ) -> tuple[ast.expr, int | None, Plan]:
        """A part that may or may not have been evaluated: its slot tells."""
        if self._is_full():
            return node, None, ("text", span_of(node))
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
                (slot, None if slot is not None and is_literal(operand) else span_of(operand))
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
        span = span_of(node)
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
        if not self._is_full() and not is_literal(first.iter):
            # No name may be given to a value inside of a comprehension's `in`.
            slot = self._slot(sure=sure)
            facts.append((slot, span_of(first.iter)))
            there = ast.List([self._keep(slot, first.iter)], _LOAD, **self.place)
            first.iter = self.load(self.names[slot])
            node.args[0] = ast.IfExp(there, generator, self.constant(None), **self.place)
        told = (called, result, span, plan, tuple(element), tuple(facts))
        return self._keep(result, node), ("each", *told)

    def _element(self, generator: ast.GeneratorExp, expected: bool, facts: list[Fact]) -> Plan:
        self._within_each = True
        tests: list[ast.expr] = []
        for target in _targets(generator.generators):
            if self._is_full():
                break
            slot = self._slot(sure=False)
            facts.append((slot, span_of(target)))
            value = self._keep(slot, self.load(target.id))
            tests.append(self._is(value, self.load(self.names[slot])))
        known = len(self.names)
        generator.elt, plan = self.condition(generator.elt, expected=expected, sure=False)
        # Every element begins without values, or what is left of the one before would be told.
        tests += [
            self._is(self._keep(slot, self.load(UNSET)), self.load(UNSET))
            for slot in range(known, len(self.names))
        ]
        generator.generators[-1].ifs += tests
        self._within_each = False
        return plan


def _targets(clauses: list[ast.comprehension]) -> list[ast.Name]:
    found: dict[str, ast.Name] = {}
    for clause in clauses:
        for node in ast.walk(clause.target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.setdefault(node.id, node)
    return list(found.values())
