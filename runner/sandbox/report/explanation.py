"""Messages of failed assertions: the values, their difference, and the expressions behind them."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from typing import Any

from runner.sandbox.border.proxies import Proxy, is_proxy
from runner.sandbox.language.assertions import FAILURE, UNSET, Fact, Plan, Span
from runner.sandbox.report.differences import Difference, find_difference, only_on_one_side
from runner.sandbox.report.values import class_name, cut, show

# The attribute of an AssertionError with its explanation; it doesn't cross to other processes.
WHY = "_why_"

_LONGEST = 1_400
_LONGEST_LINE = 100
_LONGEST_EXPRESSION = 80
_LONGEST_PART = 60
_LONGEST_FACT = 100
_MOST_FACTS = 8
# The difference of values shown in so few characters is obvious.
_OBVIOUS = 50
_LONG = 40
# Characters for each of two values; less if there are lines about their difference.
_ROOM = {False: 200, True: 90}

_unset = object()
_NOT_TOLD = (
    type,
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
    types.GeneratorType,
    types.ModuleType,
    zip,
    map,
    filter,
    enumerate,
)

_NAMES_NOT_TOLD = frozenset(kind.__name__ for kind in _NOT_TOLD)


def asserting(source: str) -> dict[str, object]:
    """Return the helpers of rewritten asserts, to be added to a module's globals."""

    def failure(plan: Plan, values: tuple[Any, ...], *message: Any) -> AssertionError:
        """Return the exception that Python would raise, with the explanation attached."""
        error = AssertionError(*message)
        error.__dict__[WHY] = _Explanation(source, values).of(plan, bool(message))
        return error

    return {FAILURE: failure, UNSET: _unset}


class _Explanation:
    """The message of one failed assertion."""

    def __init__(self, source: str, values: tuple[Any, ...]) -> None:
        self._lines = source.encode("utf-8", "surrogatepass").split(b"\n")
        self._values = values
        self._facts: list[Fact] = []
        self._prefix = ""
        self._sign = ""
        self._sides: tuple[Any, Any] = (None, None)
        self._with_types = False
        self._told: set[str] = set()

    def of(self, plan: Plan, has_message: bool) -> str:
        plan, truth = self._deciding(plan, False)
        if plan[0] == "constant":
            return "" if has_message else f"reached `assert {self._text(plan[1])}`"
        statement = ""
        try:
            statement = self._filled_in(plan, truth, alone=True)
            return self._laid_out(statement)[:_LONGEST]
        except BaseException:
            # Comparing and showing values runs user code, which may raise anything.
            return statement

    # --- what decided, with its values ---------------------------------------------------------

    def _deciding(self, plan: Plan, truth: bool) -> tuple[Plan, bool]:
        """Return the part that decided the result, and that part's truth value."""
        while True:
            match plan:
                case ("and" | "or" as kind, parts) if truth is (kind == "or"):
                    # The last evaluated part.
                    plan = [inner for slot, inner in parts if self._is_set(slot)][-1]
                case ("if", slot, plan_if, _, plan_else):
                    plan = plan_if if self._is_set(slot) else plan_else
                case _:
                    return plan, truth

    def _filled_in(self, plan: Plan, truth: bool, *, alone: bool = False) -> str:
        """Return a condition's source with values filled in; `truth` is its truth value."""
        plan, truth = self._deciding(plan, truth)
        if alone and plan[0] == "not" and plan[1][0] in ("value", "each"):
            plan, truth = plan[1], not truth
        match plan:
            case ("value", slot, span, facts):
                return self._value(slot, span, facts, alone)
            case ("each", *each):
                return self._each(each, alone)
            case ("compare", signs, sides, facts):
                return self._comparison(signs, sides, facts, truth, alone)
            case ("not", inner):
                return f"not {self._part(inner, not truth)}"
            case ("and" | "or" as kind, parts):
                return f" {kind} ".join(self._part(inner, truth) for _, inner in parts)
        return self._text(plan[1])

    def _part(self, plan: Plan, truth: bool) -> str:
        plan, truth = self._deciding(plan, truth)
        said = self._filled_in(plan, truth)
        return f"({said})" if plan[0] in ("and", "or") else said

    def _value(self, slot: int, span: Span, facts: Iterable[Fact], alone: bool) -> str:
        text, value = self._text(span), self._values[slot]
        if alone:
            self._told.add(text)
            self._with_types = text.startswith(("isinstance(", "issubclass("))
            self._facts += facts
            shown = show(value)
            return f"{text} is {shown}" if shown != text else f"reached `assert {text}`"
        if value is True or value is False:
            self._facts += facts
            return text
        self._facts += [(slot, span), *facts]
        return show(value, _LONGEST_PART)

    def _each(self, each: list[Any], alone: bool) -> str:
        """Return the text for `all(...)` or `any(...)`, with the element that decided."""
        called, slot, span, element, first, last = each
        text, value = self._text(span), self._values[slot]
        said = f"{text} is {show(value)}" if alone else text
        is_built_in = self._values[called] is (any if value else all)
        if alone and is_built_in and first and self._is_set(first[0][0]):
            self._facts += first
            self._prefix = f"{said}: "
            said = self._filled_in(element, value, alone=True)
        self._facts += last
        return said

    def _comparison(
        self, signs: tuple[str, ...], sides: Any, facts: Any, truth: bool, alone: bool
    ) -> str:
        if not truth:
            # The link of a chain that failed is the last evaluated one.
            last = max(i for i in range(len(signs)) if not i or self._is_set(sides[i + 1][0]))
            signs, sides = signs[last : last + 1], sides[last : last + 2]
        self._facts += [(slot, span) for slot, span in sides if span and self._is_set(slot)]
        self._facts += facts
        if alone and len(signs) == 1 and all(self._is_set(slot) for slot, _ in sides):
            self._sign = signs[0]
            self._sides = (sides[0][0], sides[1][0])
        shown = [
            show(self._values[slot], _LONGEST_PART) if self._is_set(slot) else self._text(span)
            for slot, span in sides
        ]
        links = zip(signs, shown[1:], strict=True)
        return " ".join([shown[0], *(f"{sign} {side}" for sign, side in links)])

    def _is_set(self, slot: int | None) -> bool:
        return slot is not None and self._values[slot] is not _unset

    # --- all that is said ----------------------------------------------------------------------

    def _laid_out(self, statement: str) -> str:
        """Return one line if that suffices; else the differences, then the facts, line by line."""
        lines: list[str] = []
        upright = statement
        sides: tuple[str, str] = ("", "")
        if self._sign:
            left, right = (self._values[slot] for slot in self._sides)
            difference = _difference(self._sign, left, right)
            room, at = _ROOM[bool(difference.lines)], difference.at
            sides = (show(left, room, around=at), show(right, room, around=at))
            statement = f"{sides[0]} {self._sign} {sides[1]}"
            upright = f"{' ' * (len(self._sign) + 1)}{sides[0]}\n{self._sign} {sides[1]}"
            is_obvious = len(statement) <= _OBVIOUS and sides[0] != sides[1]
            lines = difference.subtle if is_obvious else difference.lines
        where = list(self._where(sides))
        statement = f"{self._prefix}{statement}"
        told = f"{statement} ({'; '.join(lines)})" if lines else statement
        if where:
            *others, last = where
            told += f", where {', '.join(others)} and {last}" if others else f", where {last}"
        if len(told) <= _LONGEST_LINE and len(lines) < 2 and "\n" not in told:
            return told
        said = [statement, *lines]
        if len(statement) > _LONGEST_LINE and self._sign:
            # The difference first, because some places show only the first line.
            said = [*lines, self._prefix.rstrip(), upright]
        said += [f"{'      ' if number else 'where '}{fact}" for number, fact in enumerate(where)]
        return "\n".join(filter(None, said))

    def _where(self, sides: tuple[str, str]) -> Iterator[str]:
        count = 0
        for slot, span in self._facts:
            value = self._values[slot]
            if not self._is_worth_telling(value) or count == _MOST_FACTS:
                continue
            text = self._text(span)
            shown = show(value, _LONGEST_FACT)
            if slot in self._sides and len(sides[self._sides.index(slot)]) > _LONG:
                shown = f"the {'right' if self._sides.index(slot) else 'left'} side"
            elif self._with_types:
                shown = f"{shown} ({class_name(type(value))})"
            if text != shown and text not in self._told:
                self._told.add(text)
                count += 1
                yield f"{text} is {shown}"

    def _is_worth_telling(self, value: Any) -> bool:
        kind: Any = type(value)
        if value is _unset or issubclass(kind, _NOT_TOLD):
            return False
        if is_proxy(value) and class_name(kind) in _NAMES_NOT_TOLD:
            return False
        return self._with_types or kind.__repr__ not in (object.__repr__, Proxy.__repr__)

    def _text(self, span: Span) -> str:
        """Return the source text of a span, whose columns count UTF-8 bytes."""
        first, start, last, end = span
        lines = self._lines[first - 1 : last]
        if not lines:
            return "the expression"
        lines[-1] = lines[-1][:end]
        lines[0] = lines[0][start:]
        text = " ".join(line.decode("utf-8", "replace").strip() for line in lines)
        return cut(text, _LONGEST_EXPRESSION)


def _difference(sign: str, left: Any, right: Any) -> Difference:
    """Return the difference that made a comparison false."""
    match sign:
        case "==":
            return find_difference(left, right)
        case "is" if left == right:
            said = ["they are equal, but not the same object"]
            return Difference(0, said, said)
        case "<" | "<=" | ">" | ">=" if isinstance(left, set | frozenset):
            return only_on_one_side(left, right)
        case "not in" if isinstance(right, str | bytes | bytearray | list | tuple):
            at = right.index(left)
            return Difference(at, [f"it is at [{at}]"], [])
    return Difference(0, [], [])
