"""Checks of JSON values by JSON Schema, version 2020-12, with a bound on the work.

Schemas refer only to parts of themselves. Keywords whose work can't be bounded are refused.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, ValidationError, best_match
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

from functions.errors import Complaint, Refusal, refuse_all
from functions.errors import gettext as _
from functions.json_data.patterns import MAX_TEXT, count_ways, find_fault
from functions.json_data.schema_messages import describe
from functions.json_data.values import check_value

MAX_SCHEMA_BYTES = 64 * 1024
MAX_PARTS = 1_000  # some milliseconds for each to be checked
MAX_ERRORS = 20
DIALECT = "https://json-schema.org/draft/2020-12/schema"
FORMATS = ("date", "email", "ipv4", "ipv6", "uuid")
# Some 20 nanoseconds each, so a check ends within about a second.
MAX_WORK = 40_000_000
WORK_PER_KEYWORD = 500

# They look elsewhere for schemas, or check a value as often as there are ways to a schema.
REFUSED = {
    "$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$vocabulary",
    "unevaluatedItems", "unevaluatedProperties", "patternProperties",
}  # fmt: skip
# Keywords whose members are schemas by name, and those whose value is no schema.
_NAMED = {"properties", "$defs", "definitions", "dependentSchemas"}
_PLAIN = {"const", "enum", "default", "examples"}
# Keywords that look at each element or member.
_PER_ELEMENT = {"items", "contains", "uniqueItems", "additionalProperties", "propertyNames"}


class SchemaFault(NamedTuple):
    """What a schema complains of; `path` is the JSON pointer of the value, empty for the whole."""

    path: str
    message: str


class TooMuchWork(Refusal):
    """Checking a value would take too long."""

    def __init__(self) -> None:
        message = _(
            "Checking this takes too long. Simplify the schema: fewer alternatives and references "
            "within one another."
        )
        super().__init__("schema_too_complex", message, field="schema")


_work: ContextVar[int] = ContextVar("work")


def check_schema(schema: Any, *, field: str = "schema") -> None:
    """Raise a Refusal if this is not a schema that values can be checked by."""
    check_value(schema, field=field, max_bytes=MAX_SCHEMA_BYTES)
    if _count_parts(schema) > MAX_PARTS:
        message = _("A schema has at most %(limit)s objects and lists.") % {"limit": MAX_PARTS}
        raise Refusal("invalid_schema", message, field=field)
    if not isinstance(schema, dict | bool):
        message = _("A schema is a JSON object, or true or false.")
        raise Refusal("invalid_schema", message, field=field)
    complaints = list(_complaints(schema, schema, "", field))
    refuse_all(complaints[:MAX_ERRORS])
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        message = f"{_pointer(error.absolute_path) or '/'}: {describe(error)}"
        raise Refusal("invalid_schema", message, field=field) from error


def validate(schema: Any, value: Any) -> list[SchemaFault]:
    """Return what is wrong with a value, at most 20 faults; the schema has been checked.

    Raises TooMuchWork.
    """
    token = _work.set(MAX_WORK)
    found: list[SchemaFault] = []
    try:
        for error in _validator(json.dumps(schema)).iter_errors(value):
            innermost = best_match([error]) or error
            found.append(SchemaFault(_pointer(innermost.absolute_path), describe(innermost)))
            if len(found) == MAX_ERRORS:
                break
    except (RecursionError, Unresolvable) as error:
        raise TooMuchWork from error
    finally:
        _work.reset(token)
    return found


def _count_parts(schema: Any) -> int:
    """Return the number of objects and lists in a schema."""
    if not isinstance(schema, dict | list):
        return 0
    return 1 + sum(map(_count_parts, schema.values() if isinstance(schema, dict) else schema))


def _complaints(schema: Any, whole: Any, place: str, field: str) -> Iterator[Complaint]:
    """Yield what the metaschema doesn't find: refused keywords, references, patterns."""
    if isinstance(schema, list):
        for number, each in enumerate(schema):
            yield from _complaints(each, whole, f"{place}/{number}", field)
    if not isinstance(schema, dict):
        return
    for key, value in schema.items():
        if message := _fault_of_keyword(key, value, whole):
            yield Complaint(field, "invalid_schema", f"{place}/{key}: {message}")
        if key in _NAMED and isinstance(value, dict):
            for name, each in value.items():
                yield from _complaints(each, whole, f"{place}/{key}/{name}", field)
        elif key not in _PLAIN:
            yield from _complaints(value, whole, f"{place}/{key}", field)


def _fault_of_keyword(key: str, value: Any, whole: Any) -> str:
    if key in REFUSED:
        return _("This keyword is not supported here.")
    if key == "$schema" and value != DIALECT:
        return _("Only JSON Schema 2020-12 is supported: %(dialect)s.") % {"dialect": DIALECT}
    if key == "$ref" and not (isinstance(value, str) and _is_in(whole, value)):
        return _("A reference names a part of this schema, as in #/$defs/name.")
    return find_fault(value) if key == "pattern" and isinstance(value, str) else ""


def _is_in(whole: Any, reference: str) -> bool:
    """Return whether a reference is a JSON pointer into the schema."""
    fragment, *steps = reference.split("/")
    if fragment != "#" or "%" in reference:
        return False
    found = whole
    for step in steps:
        name = step.replace("~1", "/").replace("~0", "~")
        if not (isinstance(found, dict) and name in found):
            return False
        found = found[name]
    return isinstance(found, dict | bool)


def _spend(work: int) -> None:
    left = _work.get() - work
    if left < 0:
        raise TooMuchWork
    _work.set(left)


Keyword = Callable[[Validator, Any, Any, Mapping[str, Any]], Iterator[ValidationError] | None]


def _counted(name: str, keyword: Keyword) -> Keyword:
    """Return the keyword's check, counting its own work."""

    def check(
        validator: Validator, value: Any, instance: Any, schema: Mapping[str, Any]
    ) -> Iterator[ValidationError]:
        schemas = _length(value)
        elements = _length(instance) if name in _PER_ELEMENT else 0
        _spend(WORK_PER_KEYWORD * (1 + schemas + elements))
        yield from keyword(validator, value, instance, schema) or ()

    return check


def _length(value: Any) -> int:
    return len(value) if isinstance(value, dict | list) else 0


def _check_pattern(
    _validator: Validator, pattern: str, instance: Any, _schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not _is_found(pattern, instance):
        yield ValidationError("")


def _is_found(pattern: str, text: str) -> bool:
    """Return whether the pattern is in the text, which must not be long."""
    if len(text) > MAX_TEXT:
        return False
    _spend(count_ways(pattern, len(text)))
    return re.search(pattern, text) is not None


def _check_unique(
    _validator: Validator, is_unique: bool, instance: Any, _schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    # The library compares all pairs of values that can't be sorted.
    if not (is_unique and isinstance(instance, list)):
        return
    if len(set(map(_canonical, instance))) < len(instance):
        yield ValidationError("")


def _canonical(value: Any) -> str:
    """Return a text that equal values have in common; 1 and 1.0 are equal."""
    return json.dumps(_with_whole_numbers(value), sort_keys=True)


def _with_whole_numbers(value: Any) -> Any:
    match value:
        case dict():
            return {name: _with_whole_numbers(each) for name, each in value.items()}
        case list():
            return [_with_whole_numbers(each) for each in value]
        case float() if value.is_integer():
            return int(value)
    return value


def _check_required(
    _validator: Validator, names: Sequence[str], instance: Any, _schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for name in names:
            if name not in instance:
                yield ValidationError(name)


_BoundedValidator = extend(
    Draft202012Validator,
    {
        name: _counted(name, keyword)
        for name, keyword in {
            **Draft202012Validator.VALIDATORS,
            "pattern": _check_pattern,
            "uniqueItems": _check_unique,
            "required": _check_required,
        }.items()
    },
)


@lru_cache(maxsize=64)
def _validator(schema: str) -> Validator:
    # An empty registry, as the default one loads what references name.
    return _BoundedValidator(
        json.loads(schema), registry=Registry(), format_checker=FormatChecker(FORMATS)
    )


def _pointer(path: Sequence[str | int]) -> str:
    """Return the JSON pointer of a path."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)
