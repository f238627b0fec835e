"""Clients keep working: what the API promised is not removed, and needs no more than it did."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from socialcode.api import api
from tests.functions.api.schema_essence import RECORD, Essence, breaks, essence

NAME = "PATCH /api/v1/tests/{id}/"


@pytest.fixture(scope="module")
def present() -> Essence:
    return essence(api.get_openapi_schema(path_params={}))


def test_nothing_that_was_promised_is_broken(present: Essence) -> None:
    assert breaks(json.loads(RECORD.read_text("utf-8")), present) == []


def test_the_record_is_of_the_present_description(present: Essence) -> None:
    """What was added is promised from now on: `python -m tests.functions.api.schema_essence`."""
    assert json.loads(RECORD.read_text("utf-8")) == json.loads(json.dumps(present))


CHANGES: dict[str, tuple[Callable[[Essence], Any], str]] = {
    "operation": (lambda api: api.pop(NAME), "was removed"),
    "id": (lambda api: api[NAME].update(id="other"), "has another id"),
    "scope": (lambda api: api[NAME].update(scope="publish"), "has another scope"),
    "input gone": (lambda api: api[NAME]["inputs"].pop("body title"), "no longer takes body title"),
    "input required": (
        lambda api: api[NAME]["inputs"].update({"body code": True}),
        "requires body code",
    ),
    "new input required": (
        lambda api: api[NAME]["inputs"].update({"query x": True}),
        "requires query x",
    ),
    "field": (lambda api: api[NAME]["answers"]["200"].pop("score"), "no longer answers score"),
    "type": (
        lambda api: api[NAME]["answers"]["200"].update(score="string"),
        "answers score as string, no longer as integer",
    ),
    "status": (lambda api: api[NAME]["answers"].pop("200"), "no longer answers 200"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_breaking_change_is_found(present: Essence, what: str) -> None:
    change, said = CHANGES[what]
    changed = copy.deepcopy(present)
    change(changed)
    assert breaks(present, changed) == [f"{NAME} {said}"]


def test_an_addition_breaks_nothing(present: Essence) -> None:
    larger = copy.deepcopy(present)
    larger["GET /api/v1/new/"] = larger[NAME]
    larger[NAME]["inputs"]["query more"] = False
    larger[NAME]["answers"]["200"]["more"] = "string"
    assert breaks(present, larger) == []
    assert breaks(larger, present) != []


def test_fields_of_lists_and_of_their_items_are_promised(present: Essence) -> None:
    answer = present["GET /api/v1/functions/{name}/"]["answers"]["200"]
    assert answer["implementations.standing"] == "string"
    assert answer["elected"] == "integer or null"
    assert answer["depends_on"] == "array"
