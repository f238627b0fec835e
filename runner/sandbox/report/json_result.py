"""The result of a call or a document: its value as JSON, or what of it JSON can't express."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

from runner.sandbox.report.results import Result, result_of
from runner.sandbox.report.values import class_name, show
from runner.sandbox.supervisor.protocol import LONGEST_MESSAGE

# Less than the limit of the protocol, because the value is nested in a result.
_DEEPEST_VALUE = 98
_LONGEST_KEY = 60
_DIGITS = sys.int_info.default_max_str_digits

# Bound before user code runs, which may replace them in their modules.
_encode = json.JSONEncoder(allow_nan=False).encode
_decode = json.JSONDecoder().decode
_limit_digits = sys.set_int_max_str_digits


def json_result(value: object, name: str, verb: str, most: int) -> Result:
    """Return a value as the result if JSON can express it, in at most so many bytes.

    Else return what is wrong with it. It may run user code, as values may be of its classes.
    """
    # Programs may raise this limit, but the supervisor has it.
    _limit_digits(_DIGITS)
    try:
        size, plain = _as_json(value)
    except _Inexpressible as error:
        message = f"{name} {verb} what JSON can't express: {error}"
        return result_of("error", message[:LONGEST_MESSAGE], name)
    if size > most:
        message = f"{name} {verb} {size:,} bytes of JSON, {most:,} are allowed"
        return result_of("output_limit", message, name)
    return result_of("passed", value=plain)


class _Inexpressible(Exception):
    """A part of a value can't be expressed in JSON; the message names it and its place."""


def _as_json(value: object) -> tuple[int, Any]:
    """Return the length of a value's JSON, and the decoded JSON; raises _Inexpressible."""
    try:
        text = _encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        _refuse_unfit(value, "", 1)
        raise _Inexpressible(str(error)) from None
    plain = _decode(text)
    if text.count("[") + text.count("{") > _DEEPEST_VALUE:
        _refuse_unfit(plain, "", 1)
    return len(text), plain


def _refuse_unfit(value: Any, place: str, depth: int) -> None:
    """Raise _Inexpressible for the first part that can't be expressed in JSON."""
    # `type`, because user classes can lie about `__class__`.
    kind: Any = type(value)
    where = f" at {place}" if place else ""
    if issubclass(kind, list | tuple | dict):
        if depth > _DEEPEST_VALUE:
            deep = f"what is nested more than {_DEEPEST_VALUE} deep, or in itself"
            raise _Inexpressible(f"{deep}, from {place[:_LONGEST_KEY]} on")
        base = next(each for each in (dict, list, tuple) if issubclass(kind, each))
        items = dict.items(value) if base is dict else enumerate(base.__iter__(value))
        for key, item in items:
            if not issubclass(type(key), str | int | float | None):
                raise _Inexpressible(f"a dict with a key of class {class_name(type(key))}{where}")
            _refuse_unfit(item, f"{place}[{show(key, _LONGEST_KEY)}]", depth + 1)
    elif issubclass(kind, float):
        if not math.isfinite(value):
            raise _Inexpressible(f"the float {float.__repr__(value)}{where}")
    elif not issubclass(kind, str | int | None):
        raise _Inexpressible(f"an object of class {class_name(kind)}{where}")
