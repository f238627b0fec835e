"""One work, a function's works and one's drafts are read, by whom they may be."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from functions.models import Function, Implementation
from tests.functions.api.conftest import Caller, assert_problem
from tests.functions.api.test_works import NOUNS, begin, both, publish
from tests.support import builders as make


@both
def test_a_published_work_is_read_by_everybody(
    mira: Caller, nobody: Caller, add: Function, noun: str
) -> None:
    work = publish(mira, noun)
    read = nobody.get(f"/{noun}/{work}/")
    assert read.status_code == 200
    assert read.json() in mira.get("/functions/Add/").json()[noun]
    assert nobody.get(f"/functions/add/{noun}/").json() == {"items": [read.json()], "next": None}


@both
def test_a_draft_is_read_by_its_author_alone(
    mira: Caller, otto: Caller, nobody: Caller, staff: Caller, add: Function, noun: str
) -> None:
    # What keeps a draft from running is told when it is saved.
    draft = {**begin(otto, noun), "problems": None}
    assert otto.get(f"/{noun}/{draft['id']}/").json() == draft
    assert otto.get(f"/functions/Add/{noun}/").json()["items"] == [draft]
    for other in (mira, nobody, staff):
        assert_problem(other.get(f"/{noun}/{draft['id']}/"), 404, "not_found")
        assert other.get(f"/functions/Add/{noun}/?state=draft").json()["items"] == []


@both
def test_of_a_deleted_function_only_ones_drafts_are_left(
    mira: Caller, add: Function, noun: str
) -> None:
    draft, work = begin(mira, noun)["id"], publish(mira, noun)
    Function.objects.update(deleted_at=make.SINCE)
    assert mira.get(f"/{noun}/{draft}/").status_code == 200
    assert_problem(mira.get(f"/{noun}/{work}/"), 404, "not_found")
    assert_problem(mira.get(f"/functions/Add/{noun}/"), 404, "not_found")


@both
@pytest.mark.parametrize("pk", [0, 999_999, 2**63, 2**70])
def test_a_work_that_is_none_is_not_found(nobody: Caller, noun: str, pk: int) -> None:
    assert_problem(nobody.get(f"/{noun}/{pk}/"), 404, "not_found")


@both
def test_a_functions_works_are_filtered(
    mira: Caller, otto: Caller, add: Function, noun: str
) -> None:
    hers, his = publish(mira, noun), publish(otto, noun)
    mira.post(f"/{noun}/{hers}/withdraw/")
    assert ids(otto, f"/functions/Add/{noun}/") == [his, hers]
    assert ids(otto, f"/functions/Add/{noun}/?author=Mira") == [hers]
    assert ids(otto, f"/functions/Add/{noun}/?author=nobody") == []
    assert ids(otto, f"/functions/Add/{noun}/?state=withdrawn") == [hers]
    assert ids(otto, f"/functions/Add/{noun}/?state=published&author=mira") == []
    assert_problem(otto.get(f"/functions/Add/{noun}/?state=odd"), 400, "malformed")


@pytest.mark.parametrize("path", ["/functions/Add/implementations/", "/functions/Add/tests/"])
def test_a_list_of_works_is_read_page_by_page(mira: Caller, add: Function, path: str) -> None:
    made = [mira.post(path, {"code": f"# {number}"}).json()["id"] for number in range(5)]
    assert paged(mira, path, made) == made[::-1]


def test_ones_drafts_are_listed_newest_first_of_all_functions(
    mira: Caller, otto: Caller, nobody: Caller, add: Function
) -> None:
    mira.post("/functions/", {"name": "Halve"})
    begin(otto, "tests")
    made = []
    for name in ("Add", "Halve", "Add"):
        for noun in NOUNS:
            body = {"code": "1", "title": f"{name} {noun}"}
            made.append(mira.post(f"/functions/{name}/{noun}/", body).json())
    publish(mira, "tests")
    items = mira.get("/drafts/").json()["items"]
    assert [one["title"] for one in items] == [one["title"] for one in made[::-1]]
    assert {(one["kind"], one["id"]) for one in items} == {
        ("test" if "health" in one else "implementation", one["id"]) for one in made
    }
    assert [one["title"] for one in walk(mira, "/drafts/?limit=1")] == [
        one["title"] for one in items
    ]
    assert_problem(nobody.get("/drafts/"), 401, "nobody")


def test_drafts_of_one_instant_are_each_listed_once(mira: Caller, add: Function) -> None:
    assert mira.user
    for _ in range(3):
        make.implementation(add, author=mira.user, state="draft", created_at=make.SINCE)
        make.test_of(add, author=mira.user, state="draft", created_at=make.SINCE)
    for limit in (1, 2, 4):
        seen = [(one["kind"], one["id"]) for one in walk(mira, f"/drafts/?limit={limit}")]
        assert len(seen) == len(set(seen)) == 6


@pytest.mark.parametrize("cursor", ["x", "WzFd", "W10", "WzEsOSw5XQ", "WzEsLTEsMV0"])
def test_a_cursor_of_another_list_is_refused(mira: Caller, cursor: str) -> None:
    assert_problem(mira.get(f"/drafts/?cursor={cursor}"), 400, "malformed")


@pytest.mark.parametrize(
    "path", ["/functions/Crowd/implementations/", "/functions/Crowd/tests/", "/drafts/"]
)
def test_more_works_take_no_more_queries(mira: Caller, path: str) -> None:
    crowd, costs = make.function("Crowd", owner=mira.user), []
    mira.get(path)  # the use of the token is stored once
    for size in (2, 8):
        for _ in range(size):
            work = make.implementation(crowd, author=mira.user, state="draft")
            make.test_of(crowd, author=mira.user, state="draft")
            make.dependency(work, "Gone", None)
        with CaptureQueriesContext(connection) as queries:
            assert mira.get(path).json()["items"]
        costs.append(len(queries))
    assert costs[0] == costs[1] <= 5


def test_one_work_takes_few_queries(mira: Caller, add: Function) -> None:
    work = make.implementation(add)
    for number in range(3):
        make.dependency(work, f"Gone{number}", None)
    mira.get(f"/implementations/{work.pk}/")  # the use of the token is stored once
    with CaptureQueriesContext(connection) as queries:
        assert mira.get(f"/implementations/{work.pk}/").json()["depends_on"]
    assert len(queries) <= 3
    assert Implementation.objects.count() == 1


def ids(caller: Caller, path: str) -> list[int]:
    return [one["id"] for one in caller.get(path).json()["items"]]


def walk(caller: Caller, path: str) -> list[dict[str, Any]]:
    """Return the items of all pages."""
    found: list[dict[str, Any]] = []
    page = caller.get(path).json()
    found += page["items"]
    while page["next"]:
        page = caller.get(f"{path}&cursor={page['next']}").json()
        found += page["items"]
    return found


def paged(caller: Caller, path: str, made: list[int]) -> list[int]:
    """Return the ids of all pages of two; something is created in between."""
    page = caller.get(f"{path}?limit=2").json()
    found = [one["id"] for one in page["items"]]
    caller.post(path, {"code": "# later"})
    assert len(found) == 2 < len(made)
    rest = walk(caller, f"{path}?limit=100&cursor={page['next']}")
    return found + [one["id"] for one in rest]
