"""Schemas: what is wrong and where, what is refused, and that no check takes long."""

import time
from typing import Any

import pytest

from functions.errors import Refusal
from functions.json_data.schema import MAX_ERRORS, TooMuchWork, check_schema, validate

DOUBLING = {
    "$defs": {
        **{f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(30)},
        "a30": {},
    },
    "$ref": "#/$defs/a0",
}


@pytest.mark.parametrize(
    ("schema", "value", "paths"),
    [
        (True, 1, []),
        ({"type": "integer"}, 1.0, []),
        ({"type": "integer"}, "1", [""]),
        ({"items": {"minimum": 3}}, [1, 3, 2], ["/0", "/2"]),
        ({"properties": {"a/b": {"const": 1}}, "additionalProperties": False}, {"a/b": 2, "c": 1},
         ["/a~1b", ""]),
        ({"required": ["a", "b"]}, {}, ["", ""]),
        ({"$defs": {"p": {"type": "object", "properties": {"q": {"$ref": "#/$defs/p"}}}},
          "$ref": "#/$defs/p"}, {"q": {"q": 5}}, ["/q/q"]),
        ({"pattern": r"^[^@]+@[^@]+\.[a-z]+$"}, "ann@example.org", []),
        ({"pattern": r"^\d{4}(-\d{2}){2}$"}, "2026-1-1", [""]),
        ({"pattern": "^a"}, "a" * 300, [""]),
        ({"format": "date"}, "2026-13-01", [""]),
        ({"uniqueItems": True}, [1, True, 1.0], [""]),
        ({"uniqueItems": True}, [1, True, "1", [1], {"a": 1}], []),
        ({"items": {"type": "string"}}, [1] * 100, [f"/{n}" for n in range(MAX_ERRORS)]),
        ({"anyOf": [{"type": "string"}, {"required": ["a"]}]}, {}, [""]),
    ],
)  # fmt: skip
def test_faults_have_their_places(schema: Any, value: Any, paths: list[str]) -> None:
    check_schema(schema)
    faults = validate(schema, value)
    assert [fault.path for fault in faults] == paths
    assert all(fault.message.endswith((".", ")")) for fault in faults)


@pytest.mark.parametrize(
    "schema",
    [
        5,
        {"type": "text"},
        {"$schema": "http://json-schema.org/draft-07/schema#"},
        {"$id": "http://example.org/schema"},
        {"$ref": "http://example.org/schema"},
        {"$ref": "#/$defs/none"},
        {"items": [{"$dynamicRef": "#a"}]},
        {"unevaluatedProperties": False},
        {"properties": {"a": {"pattern": "(a+)+$"}}},
        {"patternProperties": {"^a": {}}},
        *({"pattern": pattern} for pattern in ["(", "(a|aa)*$", "(?=a)", r"(a)\1", "a*a*a*"]),
        {"description": "x" * 70_000},
        {"allOf": [{}] * 1_000},
    ],
)
def test_what_is_no_schema_for_us_is_refused(schema: Any) -> None:
    with pytest.raises(Refusal) as refused:
        check_schema(schema)
    assert refused.value.field == "schema"


def test_names_of_members_are_no_keywords() -> None:
    check_schema({"properties": {"$id": {}, "pattern": {}, "unevaluatedItems": {}}, "const": "$id"})


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (DOUBLING, 1),
        ({"$ref": "#"}, 1),
        ({"items": {"allOf": [{}] * 900}}, [1] * 30_000),
        ({"items": {"pattern": "^a*a*a*$"}}, ["a" * 255 + "b"] * 200),
    ],
)
def test_a_check_that_would_take_long_is_given_up(schema: Any, value: Any) -> None:
    check_schema(schema)
    started = time.thread_time()
    with pytest.raises(TooMuchWork):
        validate(schema, value)
    assert time.thread_time() - started < 5
