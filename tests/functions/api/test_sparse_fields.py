"""Readers get only the fields that they ask for."""

from typing import Any

import pytest

from functions.models import Function
from socialcode.api import api
from tests.functions.api.conftest import API, Caller, assert_problem
from tests.functions.api.test_works import publish


def test_one_thing_has_the_fields_asked_for(mira: Caller, add: Function) -> None:
    whole = mira.get("/functions/Add/").json()
    some = mira.get("/functions/Add/?fields=name,status, elected")
    assert some.json() == {name: whole[name] for name in ("name", "status", "elected")}
    assert mira.get("/functions/Add/?fields=name")["ETag"] == some["ETag"]


def test_items_of_a_list_have_the_fields_asked_for(mira: Caller, add: Function) -> None:
    mira.post("/functions/", {"name": "Halve"})
    page = mira.get("/functions/?fields=name&limit=1").json()
    assert page["items"] == [{"name": "Add"}]
    assert page["next"]
    work = publish(mira, "tests")
    assert mira.get("/functions/Add/tests/?fields=id,state").json() == {
        "items": [{"id": work, "state": "published"}],
        "next": None,
    }


@pytest.mark.parametrize("asked", ["nmae", "name,nmae", "", "name,,status", "items"])
@pytest.mark.parametrize("path", ["/functions/", "/functions/Add/"])
def test_an_unknown_field_is_refused_also_of_an_empty_list(
    mira: Caller, add: Function, path: str, asked: str
) -> None:
    problem = assert_problem(mira.get(f"{path}?fields={asked}"), 422, "unknown_field")
    assert problem["errors"][0]["field"] == "fields"


def test_members_of_items_may_be_called_fields(mira: Caller) -> None:
    mira.post("/collections/", {"name": "Wares"})
    mira.post("/collections/Wares/items/", {"fields": 3})
    mira.post("/collections/Wares/items/", {"fields": 4})
    found = mira.get("/collections/Wares/items/?fields=3").json()["items"]
    assert [item["value"] for item in found] == [{"fields": 3}]


def test_what_is_written_is_answered_whole(mira: Caller, add: Function) -> None:
    answer = mira.patch("/functions/Add/?fields=name", {"description": "New."}).json()
    assert answer["description"] == "New."


def test_every_reading_operation_with_known_fields_describes_it() -> None:
    schema: dict[str, Any] = api.get_openapi_schema(path_params={})
    takes = {
        path.removeprefix(API)
        for path, operations in schema["paths"].items()
        if any(one["name"] == "fields" for one in operations.get("get", {}).get("parameters", ()))
    }
    assert takes >= {"/functions/", "/functions/{name}/", "/tests/{id}/", "/drafts/", "/batches/"}
    assert not takes & {"/documents/", "/collections/{name}/items/", "/documents/{name}/"}
