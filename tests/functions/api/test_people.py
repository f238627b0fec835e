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
