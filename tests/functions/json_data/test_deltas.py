"""Any version is restored exactly from the newest, or from the first, by deltas."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from functions.json_data.deltas import (
    Change,
    WrongVersion,
    apply_delta,
    describe_delta,
    make_delta,
    readable_path,
    restore,
)
from functions.json_data.values import are_equal, canonical, check_value, parse_json
from tests.functions.json_data.strategies import json_values

VERSIONS = st.lists(json_values(), min_size=1, max_size=6)


@settings(max_examples=300)
@given(VERSIONS)
def test_every_version_is_restored_from_the_newest_and_from_the_first(versions: list[Any]) -> None:
    deltas = [make_delta(old, new) for old, new in pairwise(versions)]
    expected = [canonical(version) for version in versions]
    newest = [restore(versions[-1], deltas[at:]) for at in range(len(versions))]
    assert [canonical(version) for version in newest] == expected
    value = versions[0]
    for delta, version in zip(deltas, versions[1:], strict=True):
        value = apply_delta(value, delta)
        assert are_equal(value, version)


@given(json_values(), json_values())
def test_a_delta_is_empty_between_equals_and_fits_no_other_version(old: Any, new: Any) -> None:
    delta = make_delta(old, new)
    assert (delta == []) == are_equal(old, new) == (describe_delta(delta) == [])
    if delta and delta[0]["op"] == "test":
        with pytest.raises(WrongVersion):
            apply_delta("another", delta)


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, []),
        ({"a": 1}, {"a": 1.0}, [Change("changed", "a", 1, 1.0)]),
        ({"a": 1}, {"a": True}, [Change("changed", "a", 1, True)]),
        ([1], [True], [Change("changed", "[0]", 1, True)]),
        ({"a": {"zip": "1"}}, {"a": {"zip": "2"}}, [Change("changed", "a.zip", "1", "2")]),
        ({"tags": ["x", "y"]}, {"tags": ["y"]}, [Change("removed", "tags[0]", "x")]),
        ({"tags": ["y"]}, {"tags": ["x", "y"]}, [Change("added", "tags[0]", after="x")]),
        ({"odd name": 1, "k": 1}, {"k": 1}, [Change("removed", '["odd name"]', 1)]),
        ({"a": [1]}, "text", [Change("changed", "", {"a": [1]}, "text")]),
    ],
)
def test_a_delta_is_described_for_people(old: Any, new: Any, changes: list[Change]) -> None:
    found = describe_delta(make_delta(old, new))
    assert [repr(one) for one in found] == [repr(one) for one in changes]


def test_a_value_of_which_too_much_changed_is_replaced_as_a_whole() -> None:
    old, new = [0] * 40_000, [1] * 40_000
    assert [step["op"] for step in make_delta(old, new)] == ["test", "replace"]
    assert restore(new, [make_delta(old, new)]) == old


def test_a_small_change_of_a_large_value_has_a_small_delta() -> None:
    old = [{"id": number, "name": f"n{number}"} for number in range(2_000)]
    new = [*old[:999], {"id": 999, "name": "another"}, *old[1_000:]]
    assert len(canonical(make_delta(old, new))) < 200


@given(json_values())
def test_what_is_stored_is_read_again_as_it_is(value: Any) -> None:
    assert check_value(value, field="") == parse_json(canonical(value), field="")
    assert readable_path("/a/0/b~1c") == 'a[0]["b/c"]'
