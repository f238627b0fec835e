"""Queries evaluated in Python, with the same results as their SQL."""

import json
import operator
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

from functions.json_data.query import (
    MAX_SORTED_CHARACTERS,
    Condition,
    Literal,
    Operator,
    Path,
    Query,
)

_NO_NUMBER = Decimal(0)
_COMPARISONS: dict[Operator, Callable[[Any, Any], bool]] = {
    Operator.EQUAL: operator.eq,
    Operator.LESS: operator.lt,
    Operator.AT_MOST: operator.le,
    Operator.GREATER: operator.gt,
    Operator.AT_LEAST: operator.ge,
}


def matches(query: Query, value: Any) -> bool:
    """Return whether all conditions of the query hold for a JSON value."""
    return all(_holds(condition, value) for condition in query.conditions)


def values_at(value: Any, path: Path) -> list[Any]:
    """Return the values at a path; lists on the way stand for their elements."""
    found = [value]
    for name in path:
        found = [
            each[name] for each in _unwrapped(found) if isinstance(each, dict) and name in each
        ]
    return found


def sort_key(value: Any, path: Path) -> tuple[int, Decimal, str]:
    """Return the key of an ascending order: the kind of the first scalar, and its value.

    A descending order reverses the values of each kind, not the kinds.
    """
    for each in _unwrapped(values_at(value, path)):
        match each:
            case bool():
                return 2, _NO_NUMBER, json.dumps(each)
            case int() | float():
                return 0, Decimal(repr(each)), ""
            case str():
                return 1, _NO_NUMBER, each[:MAX_SORTED_CHARACTERS]
    return 3, _NO_NUMBER, ""


def _holds(condition: Condition, value: Any) -> bool:
    found = values_at(value, condition.path)
    if condition.operator == Operator.EXISTS:
        return bool(found) is condition.literals[0]
    scalars = [literal for each in _unwrapped(found) for literal in _scalars(each)]
    if condition.operator == Operator.CONTAINS:
        part = str(condition.literals[0])
        return any(isinstance(each, str) and part in each for each in scalars)
    compare = _COMPARISONS.get(condition.operator, _COMPARISONS[Operator.EQUAL])
    holds = any(
        type(each) is type(literal) and compare(each, literal)
        for each in scalars
        for literal in condition.literals
    )
    return holds is not (condition.operator == Operator.NOT_EQUAL)


def _unwrapped(values: list[Any]) -> Iterator[Any]:
    for each in values:
        if isinstance(each, list):
            yield from each
        else:
            yield each


def _scalars(value: Any) -> list[Literal]:
    """Return a scalar in the form of literals; nothing for lists and objects."""
    if isinstance(value, dict | list):
        return []
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [Decimal(repr(value))]
    return [value]
