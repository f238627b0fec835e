"""The list of functions, one of them, and new ones."""

import pytest
from django.test import Client

from functions.models import Chase, Function
from tests.functions.api.conftest import Caller, assert_problem
from tests.support import builders as make

SHORT = {
    *("name", "kind", "language", "signature", "description", "owner", "status", "untested"),
    "elected",
}
WHOLE = (
    SHORT
    | {"depends_on", "depended_on_by", "implementations", "tests", "cells", "judging"}
    | {"unsettled"}
)
IMPLEMENTATION = {
    *("id", "function", "author", "title", "code", "state", "based_on", "published_at", "score"),
    *("acceptable", "standing", "passed", "counting", "depends_on", "cpu_us"),
}
TEST = {
    *("id", "function", "author", "title", "code", "state", "based_on", "published_at", "score"),
    *("acceptable", "health", "reason", "counts", "depends_on"),
}


def test_a_function_is_defined_and_answered_whole(mira: Caller) -> None:
    response = mira.post(
        "/functions/", {"name": "Add", "signature": "(a, b)", "description": "The *sum*."}
    )
    assert response.status_code == 201
    function = response.json()
    assert function.keys() >= WHOLE
    assert function["name"] == "Add"
    assert (function["kind"], function["language"]) == ("function", "python")
    assert (function["signature"], function["description"]) == ("(a, b)", "The *sum*.")
    assert (function["owner"], function["status"]) == ("mira", "not_implemented")
    assert (function["elected"], function["untested"], function["judging"]) == (None, True, False)
    assert mira.get("/functions/Add/").json() == function


def test_who_is_unsettled_is_answered_with_the_others_and_the_tests(
    nobody: Caller, add: Function
) -> None:
    assert nobody.get("/functions/Add/").json()["unsettled"] is None
    other = make.function("Multiply")
    tests = [make.test_of(add).pk, make.test_of(other).pk]
    chase = Chase.objects.create(names=["Multiply", "Add"], tests=tests, bases={}, began=1)
    Function.objects.update(chase=chase)
    told = nobody.get("/functions/Add/").json()["unsettled"]
    assert told == {"with": ["Multiply"], "tests": tests}
    why = nobody.get("/functions/Add/why/").json()
    assert why["rule"] == "unsettled"
    assert "those of Multiply chase each other" in why["reason"]
    # A list says it by a tag, with no more queries for many than for one.
    page = Client().get("/").content.decode()
    assert page.count(">unsettled</span>") == 2


def test_a_name_is_found_in_any_case_and_answered_in_its_own(nobody: Caller, add: Function) -> None:
    assert nobody.get("/functions/aDD/").json()["name"] == add.name


@pytest.mark.parametrize("name", ["Missing", "no%20name", "a%00b", "%C3%9C", "x" * 300, "%FF"])
def test_a_function_that_is_not_there_is_a_problem(nobody: Caller, name: str) -> None:
    assert_problem(nobody.get(f"/functions/{name}/"), 404, "not_found")


def test_a_deleted_function_is_not_there(nobody: Caller, add: Function) -> None:
    Function.objects.update(deleted_at=make.SINCE)
    assert_problem(nobody.get("/functions/Add/"), 404, "not_found")


def test_whoever_asks_sees_works_squares_and_links(nobody: Caller, add: Function) -> None:
    work = make.implementation(add, cpu_us=7, passed=1, counting=1, standing="eligible")
    test = make.test_of(add)
    gone = make.dependency(test, "Gone", None)
    make.dependency(work, "Gone", None)
    make.dependency(make.implementation(make.function("Multiply")), "Add", add)
    square = make.cell(work, test, "passed")
    make.cell(work, None, "passed")
    make.elect(work)
    function = nobody.get("/functions/Add/").json()
    (implementation,) = function["implementations"]
    assert implementation.keys() >= IMPLEMENTATION
    assert implementation["author"] == work.author.username
    assert (implementation["standing"], implementation["cpu_us"]) == ("eligible", 7)
    (shown,) = function["tests"]
    assert shown.keys() >= TEST
    assert (shown["depends_on"], shown["counts"]) == ([gone.name], True)
    assert function["cells"] == [
        {
            "implementation": work.pk,
            "test": test.pk,
            "verdict": "passed",
            "current": True,
            "key": bytes(square.key or b"").hex(),
        }
    ]
    assert function["elected"] == work.pk
    assert function["depends_on"] == [{"name": "Gone", "status": "missing"}]
    assert function["depended_on_by"] == [{"name": "Multiply", "status": "not_implemented"}]


def test_drafts_are_in_nobodys_answer(add: Function, mira: Caller, nobody: Caller) -> None:
    mira.post("/functions/Add/implementations/", {"code": "secret"})
    mira.post("/functions/Add/tests/", {"code": "secret"})
    for caller in (mira, nobody):
        function = caller.get("/functions/Add/").json()
        assert (function["implementations"], function["tests"]) == ([], [])


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("1st", 422, "invalid_name"),
        ("", 422, "invalid_name"),
        ("Größe", 422, "invalid_name"),
        ("x" * 81, 422, "invalid_name"),
        ("class", 422, "reserved_name"),
        ("print", 422, "reserved_name"),
        ("log", 422, "reserved_name"),
        ("ADD", 409, "name_taken"),
        ("a\0b", 422, "invalid_name"),
        ("a\ud800b", 422, "invalid_name"),
        ("a\x1bb", 422, "invalid_name"),
    ],
)
def test_a_bad_name_says_what_is_wrong_with_it(
    mira: Caller, add: Function, name: str, status: int, code: str
) -> None:
    body = {"name": name, "signature": "", "description": ""}
    problem = assert_problem(mira.post("/functions/", body), status, code)
    assert [error["field"] for error in problem["errors"]] == ["name"]
    assert Function.objects.count() == 1


def test_an_unknown_kind_or_language_is_refused(mira: Caller) -> None:
    body = {"name": "Add", "signature": "", "description": ""}
    assert_problem(mira.post("/functions/", {**body, "kind": "song"}), 422, "invalid_kind")
    assert_problem(mira.post("/functions/", {**body, "language": "go"}), 422, "invalid_language")


def test_the_list_is_in_pages_that_a_cursor_continues(nobody: Caller) -> None:
    for name in ("Delta", "alpha", "Charlie"):
        make.function(name)
    first = nobody.get("/functions/?limit=2").json()
    assert first.keys() == {"items", "next"}
    assert first["items"][0].keys() >= SHORT
    second = nobody.get(f"/functions/?limit=2&cursor={first['next']}").json()
    names = [item["name"] for item in first["items"] + second["items"]]
    assert names == ["alpha", "Charlie", "Delta"]
    assert second["next"] is None


def test_the_list_is_filtered(nobody: Caller) -> None:
    make.function("Add", description="The sum")
    make.elect(make.implementation(make.function("Halve")))

    def names(query: str) -> list[str]:
        return [item["name"] for item in nobody.get(f"/functions/?{query}").json()["items"]]

    assert names("q=SUM") == ["Add"]
    assert names("status=implemented") == ["Halve"]
    assert names("kind=page") == []
    assert names("kind=function&limit=1000") == ["Add", "Halve"]
    assert_problem(nobody.get("/functions/?q=a%00"), 422, "invalid_character")


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=-1", "limit=x", "cursor=x", "status=great", "kind=song"]
)
def test_a_list_that_cannot_be_is_malformed(nobody: Caller, query: str) -> None:
    problem = assert_problem(nobody.get(f"/functions/?{query}"), 400, "malformed")
    assert [error["field"] for error in problem["errors"]] == [query.split("=", maxsplit=1)[0]]
