"""Sentences about what is wrong with a value, by keyword of its schema."""

import json
from collections.abc import Callable
from typing import Any

from jsonschema.exceptions import ValidationError

from functions.errors import gettext as _

MAX_SHOWN = 100  # characters of a value


def describe(error: ValidationError) -> str:
    """Return a sentence about the error, in the reader's language."""
    expected = error.validator_value
    find = _SENTENCES.get(str(error.validator))
    if find is None:
        return _("This is not allowed by %(keyword)s.") % {"keyword": error.validator}
    return find() % {"expected": _shown(expected), "name": _name(error)}


def _name(error: ValidationError) -> str:
    """Return the members that the error is about."""
    if error.validator == "additionalProperties":
        known = error.schema.get("properties", {})
        return _shorten(", ".join(name for name in error.instance if name not in known))
    return _shorten(error.message)


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return _shorten(", ".join(map(_shown, value)))
    return _shorten(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


# Functions, because the reader's language is known only when they are called.
_SENTENCES: dict[str, Callable[[], str]] = {
    "type": lambda: _("This must be of type %(expected)s."),
    "required": lambda: _("The member %(name)s is missing."),
    "additionalProperties": lambda: _("There are members that the schema doesn't have: %(name)s."),
    "enum": lambda: _("This must be one of: %(expected)s."),
    "const": lambda: _("This must be %(expected)s."),
    "minimum": lambda: _("This must be at least %(expected)s."),
    "maximum": lambda: _("This must be at most %(expected)s."),
    "exclusiveMinimum": lambda: _("This must be more than %(expected)s."),
    "exclusiveMaximum": lambda: _("This must be less than %(expected)s."),
    "multipleOf": lambda: _("This must be a multiple of %(expected)s."),
    "minLength": lambda: _("This must have at least %(expected)s characters."),
    "maxLength": lambda: _("This must have at most %(expected)s characters."),
    "pattern": lambda: _("This must match the pattern %(expected)s (in at most 256 characters)."),
    "format": lambda: _("This must be written as %(expected)s."),
    "minItems": lambda: _("This must have at least %(expected)s elements."),
    "maxItems": lambda: _("This must have at most %(expected)s elements."),
    "uniqueItems": lambda: _("No two elements may be equal."),
    "minProperties": lambda: _("This must have at least %(expected)s members."),
    "maxProperties": lambda: _("This must have at most %(expected)s members."),
    "anyOf": lambda: _("None of the alternatives of the schema fits."),
    "oneOf": lambda: _("Exactly one of the alternatives of the schema must fit."),
    "not": lambda: _("The schema forbids this."),
}
