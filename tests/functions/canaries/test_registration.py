"""Projects are registered with a lock of any form; what is wrong with it is said with its line."""

from typing import Any

import pytest
from django.test import Client

from functions.canaries import projects, releases
from functions.models import Canary, LockedRelease
from socialcode.accounts.agents.accounts import create_agent
from tests.functions.api.conftest import Caller, assert_problem
from tests.support.works import account

pytestmark = pytest.mark.django_db(transaction=True)
LOCK = "/simple/lock/{}?function=Thrice&function=A__b"
NAMES = ["A__b", "Add", "Thrice", "Twice"]
HASH = "0" * 64


def lock_file(filename: str) -> str:
    return Client().get(LOCK.format(filename)).content.decode()


def register(caller: Caller, called: str = "shop", **lock: Any) -> Any:
    return caller.post("/canaries/", {"name": called, **lock})


@pytest.mark.parametrize("form", ["pylock", "requirements", "releases"])
def test_a_lock_of_each_form_names_the_whole_closure(outside: Caller, form: str) -> None:
    files = {"pylock": "pylock.toml", "requirements": "requirements.txt"}
    lock: Any = lock_file(files[form]) if form in files else {"thrice": 1, "A__b": 1}
    made = register(outside, **{form: lock})
    assert made.status_code == 201, made.content
    assert made["Location"] == f"/api/v1/canaries/{made.json()['id']}/"
    assert [one["name"] for one in made.json()["releases"]] == NAMES
    assert (made.json()["locked"], made.json()["differing"]) == (4, 0)
    assert outside.get(made["Location"].removeprefix("/api/v1")).json() == made.json()


def test_what_isnt_of_this_site_is_left_to_its_own_index(outside: Caller) -> None:
    others = (
        '[[packages]]\nname = "numpy"\nversion = "2"\n\n'
        '[[packages]]\nname = "sc-else"\nversion = "2.1"\nindex = "https://index.example/"\n\n'
    )
    text = lock_file("pylock.toml").replace("[[packages]]", f"{others}[[packages]]", 1)
    assert register(outside, pylock=text).status_code == 201
    text = f"numpy==2.1 ; python_version > '3' # sc-x\n-e .\n{lock_file('requirements.txt')}"
    assert register(outside, "other", requirements=text).status_code == 201


@pytest.mark.parametrize(
    ("lock", "code", "line"),
    [
        ({"pylock": "a = [\n"}, "unreadable_lock", None),
        ({"pylock": f"a = {'[' * 100_000}"}, "unreadable_lock", None),
        ({"pylock": "a = 1\nb 2\n"}, "unreadable_lock", 2),
        ({"pylock": "packages = 3"}, "unreadable_lock", None),
        ({"pylock": 'lock-version = "1.0"'}, "empty_lock", None),
        ({"requirements": "numpy==2\n"}, "empty_lock", None),
        ({"requirements": "\nsc-add>=1\n"}, "invalid_number", 2),
        ({"requirements": "sc-add @ https://x.example/add.whl"}, "invalid_number", 1),
        ({"requirements": "# of mine\n\nsc-add==1\n"}, "no_hash", 3),
        ({"requirements": f"sc-add==1 \\\n  --hash=md5:{HASH}"}, "no_hash", 1),
        ({"requirements": f"\nsc-add==1 \\\n  --hash=sha256:{HASH}"}, "wrong_hash", 2),
        ({"requirements": f"sc-add==9 --hash=sha256:{HASH}"}, "no_release", 1),
        ({"requirements": f"sc-_==9 --hash=sha256:{HASH}"}, "no_release", 1),
        ({"releases": {"Add": 0}}, "invalid_number", None),
        ({"releases": {"Ad d": 1}}, "no_release", None),
        ({"releases": {"Gone": 1}}, "no_release", None),
        ({"releases": {"Add": 1, "add": 1}}, "named_twice", None),
        ({"releases": {}}, "empty_lock", None),
        ({}, "no_lock", None),
        ({"releases": {"Add": 1}, "pylock": "a = 1"}, "no_lock", None),
    ],
)
def test_a_lock_that_cant_be_used_is_refused_with_its_line(
    outside: Caller, lock: dict[str, Any], code: str, line: int | None
) -> None:
    answer = register(outside, **lock)
    assert_problem(answer, 422, code)
    assert answer.json()["errors"][0]["line"] == line
    assert not Canary.objects.exists()


def test_a_changed_hash_and_a_file_of_another_platform_are_named(outside: Caller) -> None:
    text = lock_file("pylock.toml")
    sha256 = text.partition('sha256 = "')[2][:64]
    wrong = text.replace(sha256, HASH).replace("sc_thrice-1-py3", "sc_thrice-1-cp313")
    answer = register(outside, pylock=wrong)
    assert_problem(answer, 422, "wrong_hash")
    errors = answer.json()["errors"]
    assert [error["code"] for error in errors] == ["wrong_hash", "no_such_file"]
    lines = text.split("\n")
    assert 'name = "sc-thrice"' in lines[errors[1]["line"]]
    assert "sc_thrice-1-py3-none-any.whl" in errors[1]["message"]


def test_a_lock_of_releases_that_contradict_each_other_is_refused(
    outside: Caller, changed_add: None
) -> None:
    answer = register(outside, releases={"Thrice": 1, "Add": 2})
    assert_problem(answer, 422, "contradicting_lock")
    assert "Thrice 1 needs Add 1, and the lock has 2" in answer.json()["detail"]


def test_a_project_is_registered_once_and_only_some_of_them(
    outside: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock: dict[str, Any] = {"releases": {"Add": 1}}
    assert register(outside, **lock).status_code == 201
    assert_problem(register(outside, **lock), 409, "name_taken")
    assert_problem(register(outside, "a\nb", **lock), 422, "invalid_name")
    assert_problem(register(outside, "x" * 81, **lock), 422, "invalid_name")
    monkeypatch.setattr(projects, "MAX_OF_AN_ACCOUNT", 1)
    assert_problem(register(outside, "other", **lock), 409, "too_many_canaries")
    assert register(Caller(account("quinn")), **lock).status_code == 201
    monkeypatch.setattr(releases, "MAX_RELEASES", 2)
    assert_problem(register(outside, "o", releases={"Thrice": 1}), 422, "too_many_releases")


def test_a_lock_is_replaced_as_it_was_read_and_removed(outside: Caller) -> None:
    made = register(outside, releases={"Add": 1})
    address = made["Location"].removeprefix("/api/v1")
    given = {"name": "shop 2", "releases": {"Twice": 1}}
    moved = outside.call("PUT", address, given, **{"If-Match": made["ETag"]})
    assert moved.status_code == 200, moved.content
    assert moved["ETag"] != made["ETag"]
    assert [one["name"] for one in moved.json()["releases"]] == ["Add", "Twice"]
    assert_problem(
        outside.call("PUT", address, given, **{"If-Match": made["ETag"]}),
        412,
        "precondition_failed",
    )
    assert outside.get("/canaries/").json()["items"][0]["name"] == "shop 2"
    assert outside.call("DELETE", address).status_code == 204
    assert not LockedRelease.objects.exists()
    assert_problem(outside.get(address), 404, "not_found")


def test_an_agents_project_has_no_webhook(outside: Caller) -> None:
    assert outside.user
    agent, _ = create_agent(actor=outside.user, name="helper")
    caller = Caller(agent.user)
    url = {"url": "https://ci.example.org/hook"}
    assert_problem(register(caller, releases={"Add": 1}, **url), 403, "agent")
    assert register(caller, releases={"Add": 1}).status_code == 201


def test_a_repeated_request_registers_once(outside: Caller) -> None:
    body = {"name": "shop", "releases": {"Add": 1}}
    first, second = (outside.post("/canaries/", body, **{"Idempotency-Key": "k"}) for _ in range(2))
    assert first.json() == second.json()
    assert Canary.objects.count() == 1


def test_projects_are_their_owners_alone(outside: Caller) -> None:
    made = register(outside, releases={"Add": 1})
    address = made["Location"].removeprefix("/api/v1")
    other = Caller(account("quinn"))
    assert other.get("/canaries/").json()["items"] == []
    for answer in (
        *(other.get(address), other.get(f"{address}changes/"), other.call("DELETE", address)),
        other.put(address, {"name": "x", "releases": {"Add": 1}}),
    ):
        assert_problem(answer, 404, "not_found")
    assert_problem(Caller().get("/canaries/"), 401, "nobody")
