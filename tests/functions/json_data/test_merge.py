"""JSON merge patch; the table is that of RFC 7396, appendix A."""

from typing import Any

import pytest
from hypothesis import given

from functions.errors import Refusal
from functions.json_data.merge import merge
from functions.json_data.values import are_equal
from tests.functions.json_data.strategies import json_values


@pytest.mark.parametrize(
    ("target", "patch", "merged"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_the_cases_of_the_standard(target: Any, patch: Any, merged: Any) -> None:
    assert are_equal(merge(target, patch), merged)


@given(json_values(), json_values())
def test_a_patch_changes_neither_what_it_is_applied_to_nor_more_than_once(
    target: Any, patch: Any
) -> None:
    before = repr(target), repr(patch)
    once = merge(target, patch)
    assert (repr(target), repr(patch)) == before
    assert are_equal(merge(once, patch), once)


@pytest.mark.parametrize(
    ("patch", "code"),
    [
        ({"a": "x" * 110_000}, "too_large"),
        ({"b": "x" * 60_000}, "too_large"),  # only together with what is there
        ({"a": "\0"}, "invalid_character"),
        ({"a": float("inf")}, "invalid_number"),
        ({"a": 10**400}, "invalid_number"),
    ],
)
def test_what_can_not_be_stored_is_refused(patch: Any, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        merge({"c": "x" * 60_000}, patch, field="value")
    assert (refused.value.code, refused.value.field) == (code, "value")


def test_a_patch_that_is_too_deep_is_refused() -> None:
    deep: Any = 1
    for _ in range(5_000):
        deep = {"a": deep}
    with pytest.raises(Refusal) as refused:
        merge({}, deep)
    assert refused.value.code == "too_deep"
