"""PURE: the values in JSON records that views group, add up and compare."""

import json
from collections.abc import Sequence
from decimal import Decimal
from math import isfinite
from typing import Any

Scalar = str | int | float | bool | None

# Longer strings are cut, because they are parts of index entries.
MAX_TEXT = 120
# Larger numbers are beyond what a double can hold.
_NUMBER_LIMIT = 10**300


def value_at(record: str, value: Any, path: str) -> Any:
    """Return what is at this dotted path, None if nothing is; `id` is the record's own id."""
    if path == "id" and not (isinstance(value, dict) and "id" in value):
        return record
    for step in path.split("."):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isascii() and step.isdecimal():
            value = value[int(step)] if int(step) < len(value) else None
        else:
            return None
    return value


def to_scalar(value: Any) -> Scalar:
    """Return the value as views see it: equal values are identical, lists and objects are None."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, str):
        return value[:MAX_TEXT]
    if isinstance(value, int):
        return value if abs(value) < _NUMBER_LIMIT else None
    if isinstance(value, float) and isfinite(value) and abs(value) < _NUMBER_LIMIT:
        # PostgreSQL has no floats in JSON: 1e23 is a whole number there.
        exact = Decimal(repr(value))
        return int(exact) if exact == exact.to_integral_value() else value
    return None


def scalar_at(record: str, value: Any, path: str) -> Scalar:
    """Return the scalar at this dotted path."""
    return to_scalar(value_at(record, value, path))


def is_number(value: Scalar) -> bool:
    """Return whether this is a number, which truth values are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def encode(value: Scalar | Sequence[Scalar]) -> str:
    """Return the canonical JSON text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def rank_of(value: Scalar) -> tuple[bool, Decimal, str] | None:
    """Return the position among values: numbers, then strings by code points; None if it has none.

    Views rank no other values.
    """
    if isinstance(value, str):
        return (True, Decimal(0), value)
    return (False, Decimal(repr(value)), "") if is_number(value) else None
