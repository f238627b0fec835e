"""People, and names that are missing, for programs."""

from django.test import Client

from functions.models import Function
from tests.functions.api.conftest import Caller, assert_problem
from tests.support import builders as make


def test_a_person_and_what_they_did_are_answered(nobody: Caller) -> None:
    author = make.user("mira")
    work = make.implementation(
        make.function("Add", owner=author, created_at=make.SINCE), author=author, title="plain"
    )
    person = nobody.get("/people/mira/").json()
    assert (person["username"], person["functions"], person["implementations"]) == ("mira", 1, 1)
    first = nobody.get("/people/mira/activity/?limit=1").json()
    second = nobody.get(f"/people/mira/activity/?limit=1&cursor={first['next']}").json()
    assert [(item["kind"], item["id"]) for item in first["items"]] == [("implementation", work.pk)]
    assert (second["items"][0]["kind"], second["next"]) == ("function", None)
    assert_problem(nobody.get("/people/nobody/"), 404, "not_found")


def test_a_profile_is_written_read_flagged_and_cleared(
    nobody: Caller, mira: Caller, otto: Caller, staff: Caller
) -> None:
    said = {"about": "Numbers.", "links": ["https://mira.example"]}
    assert mira.put("/profile/", said).json() == said
    person = nobody.get("/people/mira/").json()
    assert {name: person[name] for name in said} == said
    wrong = mira.put("/profile/", {"about": "x" * 301, "links": ["", "ftp://mira.example"]})
    assert_problem(wrong, 422, "too_long")
    assert [one["field"] for one in wrong.json()["errors"]] == ["about", "links.1"]
    assert_problem(nobody.put("/profile/", said), 401, "nobody")
    flag = otto.post("/people/MIRA/flag/", {"reason": "rude"}).json()
    assert (flag["kind"], flag["function"], flag["label"], flag["url"]) == (
        *("profile", "", "mira"),
        "/people/mira/",
    )
    assert_problem(otto.post("/people/mira/clear/", {"reason": "rude"}), 403, "not_staff")
    assert staff.post("/people/mira/clear/", {"reason": "rude"}).status_code == 204
    assert nobody.get("/people/mira/").json()["links"] == []
    assert_problem(staff.post("/people/mira/clear/", {"reason": "rude"}), 409, "empty_profile")


def test_people_are_watched_and_listed(mira: Caller, otto: Caller, nobody: Caller) -> None:
    shown = {"username": "mira", "watching": False, "watchers": 0}
    assert otto.get("/people/MIRA/watch/").json() == shown
    watched = {"username": "mira", "watching": True, "watchers": 1}
    assert otto.put("/people/mira/watch/", {"watching": True}).json() == watched
    assert [one["username"] for one in otto.get("/watched-people/").json()["items"]] == ["mira"]
    assert mira.get("/people/mira/watch/").json() == {**shown, "watchers": 1}
    assert_problem(mira.put("/people/mira/watch/", {"watching": True}), 422, "yourself")
    assert_problem(nobody.put("/people/mira/watch/", {"watching": True}), 401, "nobody")
    assert_problem(otto.put("/people/none/watch/", {"watching": True}), 404, "not_found")


def test_a_person_is_found_in_small_and_capital_letters(nobody: Caller, client: Client) -> None:
    mira = make.user("mira")
    run = make.batch(make.function("Add", owner=mira).topic, make.execution(), owner=mira)
    assert nobody.get("/people/MIRA/").json()["username"] == "mira"
    assert client.get("/people/Mira/")["Location"] == "/people/mira/"
    assert [item["name"] for item in nobody.get("/functions/?q=author:Mira").json()["items"]] == [
        "Add"
    ]
    assert [item["id"] for item in nobody.get("/batches/?owner=MIRA").json()["items"]] == [run.pk]


def test_missing_names_and_searches_are_answered(nobody: Caller, add: Function) -> None:
    make.dependency(make.implementation(add), "Carry", None)
    assert nobody.get("/wanted/").json() == {
        "items": [{"name": "Carry", "waiting": 1}],
        "next": None,
    }
    found = nobody.get("/functions/?q=uses:Carry&sort=used").json()
    assert [item["name"] for item in found["items"]] == [add.name]
    assert_problem(nobody.get("/functions/?sort=luck"), 400, "malformed")
