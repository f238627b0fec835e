"""What a call returns, as JSON; and where in it something is that JSON has no form for."""

from __future__ import annotations

import json
import math
from typing import Any

from runner.sandbox.report.values import class_name, show

# One less than what is read back, as it comes within a result.
DEEPEST_VALUE = 98
_LONGEST_KEY = 60
# What JSON has a form for by itself; of a float, also what Python doesn't write.
_PLAIN = (str, int, bool, type(None))


class Inexpressible(Exception):
    """JSON has no form for something in a value; says what it is, and where."""


def as_text(value: object) -> str:
    """The value as Python writes it in JSON; raises Inexpressible."""
    try:
        return json.JSONEncoder(allow_nan=False).encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        _refuse_unfit(value)
        raise Inexpressible(str(error)) from None


def from_text(text: str) -> Any:
    """Plain data, of what `as_text` wrote; raises Inexpressible where that is too deep."""
    plain = json.loads(text)
    if text.count("[") + text.count("{") > DEEPEST_VALUE:
        _refuse_unfit(plain)
    return plain


def _refuse_unfit(value: object) -> None:
    """Find the first thing that doesn't fit, in the order in which it is written."""
    waiting: list[tuple[Any, str, int]] = [(value, "", 1)]
    while waiting:
        part, place, depth = waiting.pop()
        # By its real class: one of the user's own may tell another.
        kind: Any = type(part)
        where = f" at {place}" if place else ""
        if issubclass(kind, list | tuple | dict):
            if depth > DEEPEST_VALUE:
                raise Inexpressible(
                    f"what is nested more than {DEEPEST_VALUE} deep, or in itself, "
                    f"from {place[:_LONGEST_KEY]} on"
                )
            waiting += reversed(list(_parts(part, place, depth + 1)))
        elif issubclass(kind, float):
            if not math.isfinite(part):
                raise Inexpressible(f"the float {float.__repr__(part)}{where}")
        elif not issubclass(kind, _PLAIN):
            raise Inexpressible(f"an object of class {class_name(kind)}{where}")


def _parts(value: Any, place: str, depth: int) -> list[tuple[Any, str, int]]:
    if not issubclass(type(value), dict):
        base: Any = list if issubclass(type(value), list) else tuple
        return [(item, f"{place}[{n}]", depth) for n, item in enumerate(base.__iter__(value))]
    parts = []
    for key, item in dict.items(value):
        if not issubclass(type(key), (*_PLAIN, float)):
            where = f" at {place}" if place else ""
            raise Inexpressible(f"a dict with a key of class {class_name(type(key))}{where}")
        parts.append((item, f"{place}[{show(key, _LONGEST_KEY)}]", depth))
    return parts
