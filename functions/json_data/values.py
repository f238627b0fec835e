"""JSON values as they are stored: parsing, limits, and equality."""

import json
import math
from typing import Any, NoReturn

from functions.errors import Refusal, TooLarge
from functions.errors import gettext as _
from functions.source.validation import check_text

# Of one value, as compact text. Expanded documents may be larger.
MAX_VALUE_BYTES = 100 * 1024
MAX_DEPTH = 64
_MAX_INTEGER_BITS = 1_024  # as far as floating-point numbers reach
_WHOLE_FROM = 1e16  # from here on PostgreSQL writes these numbers without a point
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def parse_json(text: str, *, field: str) -> Any:
    """Return the value of a JSON text. Raises a Refusal, with line and column, if it is invalid."""
    try:
        value = json.loads(
            text, parse_constant=_refuse_constant, object_pairs_hook=_object_of_pairs
        )
    except json.JSONDecodeError as error:
        message = _("This is not JSON: line %(line)s, column %(column)s: %(error)s.")
        message %= {"line": error.lineno, "column": error.colno, "error": error.msg}
        raise Refusal(
            "invalid_json", message, field=field, line=error.lineno, column=error.colno
        ) from error
    except RecursionError as error:
        raise too_deep(field) from error
    except ValueError as error:
        message = _("This is not JSON: %(error)s.") % {"error": error}
        raise Refusal("invalid_json", message, field=field) from error
    return check_value(value, field=field)


def check_value(value: Any, *, field: str, max_bytes: int = MAX_VALUE_BYTES) -> Any:
    """Return the value as PostgreSQL returns it once stored. Raises a Refusal if it can't be.

    It is refused if it is too large or too deep, or has texts or numbers that can't be stored.
    """
    stored = _as_stored(value, field, 1)
    size = size_of(stored)
    if size > max_bytes:
        message = _("This has %(size)s bytes as JSON; the limit is %(limit)s.")
        message %= {"size": f"{size:,}", "limit": f"{max_bytes:,}"}
        raise TooLarge("too_large", message, field=field)
    return stored


def canonical(value: Any) -> str:
    """Return the compact text of a value; equal values have the same, whatever their keys' order.

    In JSON 1, 1.0 and true are three values, though Python's `==` calls them equal.
    """
    return _COMPACT.encode(value)


def are_equal(one: Any, other: Any) -> bool:
    """Return whether two values are the same JSON; the order of members doesn't matter."""
    return canonical(one) == canonical(other)


def size_of(value: Any) -> int:
    """Return the bytes of the value's compact text."""
    return len(canonical(value).encode())


def pretty(value: Any) -> str:
    """Return the value's text as people read and edit it."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def too_deep(field: str) -> Refusal:
    """Return the refusal of a value that is nested too deeply."""
    message = _("Objects and lists are nested more than %(limit)s deep.") % {"limit": MAX_DEPTH}
    return Refusal("too_deep", message, field=field)


def _as_stored(value: Any, field: str, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise too_deep(field)
    if isinstance(value, dict):
        for name in value:
            check_text(name, field=field)
        return {name: _as_stored(one, field, depth + 1) for name, one in value.items()}
    if isinstance(value, list):
        return [_as_stored(one, field, depth + 1) for one in value]
    if isinstance(value, str):
        check_text(value, field=field)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        return _number_as_stored(value, field)
    return value


def _number_as_stored(number: float, field: str) -> float:
    if isinstance(number, int) and number.bit_length() <= _MAX_INTEGER_BITS:
        return number
    if isinstance(number, int) or not math.isfinite(number):
        message = _("A number is too large; write it as a text.")
        raise Refusal("invalid_number", message, field=field)
    if abs(number) >= _WHOLE_FROM:
        return int(number)
    return number or 0.0  # there is no negative zero


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(_("%(name)s is not JSON") % {"name": name})


def _object_of_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _value in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(_("the member “%(name)s” is there twice") % {"name": twice})
    return found
