"""Collections over the API, and their items as a resource below /r/."""

import json
from typing import Any

import pytest
from django.test import Client

from functions.models import Collection
from runner.registry import existing_topics, may_follow
from tests.functions.api.conftest import Caller, assert_problem

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "price": {"type": "number"}},
    "required": ["name"],
}


class Resource:
    """Calls a collection's resource as somebody, by token or by session."""

    def __init__(self, caller: Caller) -> None:
        self.headers = caller.headers

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        content = body if isinstance(body, str) else json.dumps(body)
        client = Client(raise_request_exception=False)
        kind = headers.pop("kind", "application/json")
        sent = {**self.headers, **{key.replace("_", "-"): each for key, each in headers.items()}}
        return client.generic(
            method, f"/r/{path}", "" if body is None else content, kind, headers=sent
        )


@pytest.fixture
def wares(mira: Caller) -> Collection:
    made = mira.post("/collections/", {"name": "Wares", "item_schema": SCHEMA})
    assert made.status_code == 201, made.content
    assert made["Location"] == "/api/v1/collections/Wares/"
    return Collection.objects.get(name="Wares")


def test_items_are_added_found_changed_and_deleted(
    wares: Collection, otto: Caller, nobody: Caller
) -> None:
    ask, read = Resource(otto), Resource(nobody)
    made = ask("POST", "wares/", {"name": "Pen", "price": 2})
    assert made.status_code == 201
    address, first = made["Location"], made["ETag"]
    assert address == f"/r/wares/{made.json()['id']}/"
    path = address.removeprefix("/r/")
    assert made.json()["author"] == "otto"
    got = read("GET", path)
    assert (got["ETag"], got.json()["value"]) == (first, {"name": "Pen", "price": 2})
    assert got["X-Content-Type-Options"] == "nosniff"
    assert got["Content-Type"].startswith("application/json")
    assert read("GET", path, If_None_Match=first).status_code == 304
    head = read("HEAD", path)
    assert (head.status_code, head["ETag"]) == (200, first)
    merged = ask("PATCH", path, {"price": 3}, If_Match=first, kind="application/merge-patch+json")
    assert (merged.status_code, merged.json()["value"]["price"]) == (200, 3)
    assert_problem(ask("PUT", path, {"name": "Ink"}, If_Match=first), 412, "precondition_failed")
    several = f'"7-1", {first}, {merged["ETag"]}'
    assert ask("PUT", path, {"name": "Ink"}, If_Match=several).json()["version"] == 3
    assert read("GET", path, If_None_Match=first).json()["value"] == {"name": "Ink"}
    assert ask("DELETE", path, If_Match="*").status_code == 204
    assert_problem(read("GET", path), 404, "not_found")
    for place, allowed in (("wares/", "POST"), (path, "PATCH")):
        options = read("OPTIONS", place)
        assert options.status_code == 204
        assert allowed in options["Allow"]


def test_a_query_is_read_page_by_page(wares: Collection, otto: Caller, nobody: Caller) -> None:
    ask, read = Resource(otto), Resource(nobody)
    for number in range(5):
        ask("POST", "Wares/", {"name": f"Pen {number}", "price": number, "tags": ["all"]})
    found: list[str] = []
    following = "Wares/?tags=all&price__gte=1&order=-price&limit=3"
    while following:
        page = read("GET", following)
        found += [item["value"]["name"] for item in page.json()["items"]]
        link = page.headers.get("Link", "")
        following = link.removeprefix("</r/").removesuffix('>; rel="next"')
    assert found == ["Pen 4", "Pen 3", "Pen 2", "Pen 1"]
    assert read("GET", "Wares/", If_None_Match=read("GET", "Wares/")["ETag"]).status_code == 304
    refused = assert_problem(read("GET", "Wares/?price__near=1"), 400, "unknown_operator")
    assert refused["errors"][0]["field"] == "price__near"


@pytest.mark.parametrize(
    ("body", "kind", "status", "code", "field"),
    [
        ({"name": 5}, "application/json", 422, "invalid_value", "value/name"),
        ({}, "application/json", 422, "invalid_value", "value"),
        ("[]", "application/json", 422, "invalid_value", "value"),
        ('{"name": \n}', "application/json", 422, "invalid_json", "value"),
        ('{"name": "a"}', "text/plain", 415, "unsupported_media_type", ""),
        ({"name": "x" * 70_000}, "application/json", 413, "too_large", "value"),
        ("x" * 300_000, "application/json", 413, "too_large", ""),
    ],
)
def test_what_does_not_fit_is_a_problem(
    wares: Collection, otto: Caller, body: Any, kind: str, status: int, code: str, field: str
) -> None:
    answer = Resource(otto)("POST", "Wares/", body, kind=kind)
    problem = assert_problem(answer, status, code)
    assert [error["field"] for error in problem["errors"]] == ([field] if field else [])


def test_writing_needs_an_account_and_a_session_its_csrf_token(
    wares: Collection, mira: Caller, nobody: Caller
) -> None:
    assert_problem(Resource(nobody)("POST", "Wares/", {"name": "a"}), 401, "nobody")
    client = Client(enforce_csrf_checks=True)
    assert mira.user is not None
    client.force_login(mira.user)
    body, kind = json.dumps({"name": "a"}), "application/json"
    refused: Any = client.post("/r/Wares/", body, kind)
    assert_problem(refused, 403, "forbidden")
    client.get("/")
    token = client.get("/functions/new/").cookies["csrftoken"].value
    made = client.post("/r/Wares/", body, kind, headers={"X-CSRFToken": token})
    assert made.status_code == 201, made.content


def test_a_collection_is_listed_changed_by_its_owner_and_deleted(
    wares: Collection, mira: Caller, otto: Caller, nobody: Caller
) -> None:
    path = "/collections/Wares/"
    assert [one["name"] for one in nobody.get("/collections/?q=ware").json()["items"]] == ["Wares"]
    assert_problem(otto.patch(path, {"state": "closed"}), 403, "not_yours")
    etag = nobody.get(path)["ETag"]
    changed = mira.call("PATCH", path, {"needs_match": True, "may_read": "owner"}, If_Match=etag)
    assert changed.status_code == 200, changed.content
    assert changed.json()["item_schema"] == SCHEMA
    outdated = mira.call("PATCH", path, {"state": "closed"}, **{"If-Match": etag})
    assert_problem(outdated, 412, "precondition_failed")
    assert_problem(nobody.get(path), 404, "not_found")
    made = Resource(mira)("POST", "Wares/", {"name": "Pen"})
    item = made["Location"].removeprefix("/r/")
    assert_problem(Resource(mira)("DELETE", item), 428, "precondition_required")
    assert mira.call("DELETE", path).status_code == 204
    assert not Collection.objects.exists()


@pytest.mark.parametrize(
    ("may_read", "followers"),
    [("everyone", "mira otto nobody"), ("signed_in", "mira otto"), ("author", "mira")],
)
def test_who_may_read_all_may_follow_the_changes(
    wares: Collection, mira: Caller, otto: Caller, nobody: Caller, may_read: str, followers: str
) -> None:
    mira.patch("/collections/Wares/", {"may_read": may_read})
    assert existing_topics([wares.topic]) == ({wares.topic} if may_read == "everyone" else set())
    for name, caller in {"mira": mira, "otto": otto}.items():
        assert caller.user is not None
        assert may_follow(caller.user, wares.topic) is (name in followers)
    assert nobody.get(f"/topics/{wares.topic}/events").status_code == (
        200 if "nobody" in followers else 404
    )
