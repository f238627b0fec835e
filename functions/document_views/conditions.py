"""PURE: conditions on records: comparisons of what is at a path with constants."""

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from functions.document_views.scalars import Scalar, rank_of, to_scalar, value_at

_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "lt": operator.lt,
    "lte": operator.le,
    "gt": operator.gt,
    "gte": operator.ge,
}
COMPARISONS = ("eq", "ne", *_ORDER, "in", "contains")


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison; `operand` is a scalar, or a tuple of them for `in`."""

    path: str
    comparison: str
    operand: Any

    def holds(self, record: str, value: Any) -> bool:
        """Return whether the record meets it; missing values equal null and have no order."""
        found = value_at(record, value, self.path)
        if self.comparison == "contains":
            elements = found if isinstance(found, list) else []
            return any(_is_equal(to_scalar(each), self.operand) for each in elements)
        if self.comparison in _ORDER:
            return _is_ordered(self.comparison, to_scalar(found), self.operand)
        operands = self.operand if self.comparison == "in" else (self.operand,)
        # Lists and objects equal no constant.
        is_scalar = not isinstance(found, list | dict)
        is_equal = is_scalar and any(_is_equal(to_scalar(found), each) for each in operands)
        return is_equal != (self.comparison == "ne")


def _is_equal(one: Scalar, other: Scalar) -> bool:
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _is_ordered(comparison: str, one: Scalar, other: Scalar) -> bool:
    """Compare numbers with numbers, strings with strings, and truth values: false before true."""
    if isinstance(one, bool) and isinstance(other, bool):
        return _ORDER[comparison](one, other)
    ranks = rank_of(one), rank_of(other)
    if ranks[0] is None or ranks[1] is None or ranks[0][0] != ranks[1][0]:
        return False
    return _ORDER[comparison](*ranks)


def comparisons_of(path: str, stated: Any) -> Iterator[Condition | None]:
    """Read the conditions stated for a path: a constant, or an object of comparisons.

    Yields None for each that can't be read.
    """
    for comparison, operand in (stated if isinstance(stated, dict) else {"eq": stated}).items():
        yield _read_condition(path, comparison, operand)


def _read_condition(path: str, comparison: str, operand: Any) -> Condition | None:
    if comparison not in COMPARISONS:
        return None
    if comparison == "in":
        is_list = isinstance(operand, list) and all(map(_is_constant, operand))
        return Condition(path, "in", tuple(map(to_scalar, operand))) if is_list else None
    if not _is_constant(operand) or (comparison in _ORDER and to_scalar(operand) is None):
        return None
    return Condition(path, comparison, to_scalar(operand))


def _is_constant(operand: Any) -> bool:
    return operand is None or isinstance(operand, str | int | float)
