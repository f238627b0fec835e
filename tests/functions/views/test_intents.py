"""Requests of visitors are done after signing in, and no others."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client

from functions.models import Comment, Implementation, Test, Vote, Watch
from tests.support.works import account, constant, define, implement

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


def member(name: str = "nina") -> User:
    return User.objects.create_user(name, password=PASSWORD)


def ask(client: Client, path: str, **fields: str) -> dict[str, str]:
    """Post signed out; return what the sign-in page that it leads to sends along."""
    answer = client.post(path, fields, headers={"Referer": "http://testserver/functions/Add/"})
    assert answer.status_code == 302
    target = urlsplit(answer["Location"])
    assert target.path == "/accounts/login/"
    page = client.get(answer["Location"]).content.decode()
    found = {name: value for name, (value,) in parse_qs(target.query).items()}
    assert f'name="intent" value="{found["intent"]}"' in page
    return found


def sign_in(client: Client, asked: dict[str, str]) -> Any:
    typed = {"username": "nina", "password": PASSWORD, **asked}
    return client.post("/accounts/login/", typed)


def test_each_intent_happens_once_after_signing_in() -> None:
    function, nina = define("Add"), member()
    work = implement(function, constant("Add", 1))
    address = f"/implementations/{work.pk}"
    cases: list[tuple[str, dict[str, str], Callable[[], bool]]] = [
        (f"{address}/vote/", {"value": "1"}, lambda: Vote.objects.filter(voter=nina).count() == 1),
        (f"{address}/copy/", {}, lambda: Implementation.objects.get(author=nina).based_on == work),
        (
            "/functions/Add/watch/",
            {"watching": "yes"},
            lambda: Watch.objects.get(user=nina).watching,
        ),
        (
            "/functions/Add/discussion/",
            {"text": "Why not 2?"},
            lambda: Comment.objects.get(author=nina).text == "Why not 2?",
        ),
        ("/functions/Add/tests/new/", {}, lambda: Test.objects.get(author=nina).state == "draft"),
    ]
    for path, fields, happened in cases:
        client = Client()
        asked = ask(client, path, **fields)
        answer = sign_in(client, asked)
        assert answer.status_code == 302, path
        assert happened(), path
        # Neither the same form again nor a reload repeats it.
        client.post("/accounts/logout/")
        assert sign_in(client, asked)["Location"].endswith("/functions/Add/")


def test_signing_up_leads_on_too() -> None:
    work = implement(define("Add"), constant("Add", 1))
    client = Client()
    asked = ask(client, f"/implementations/{work.pk}/vote/", value="1")
    typed = {"username": "newt", "password1": PASSWORD, "password2": PASSWORD, **asked}
    assert client.post("/accounts/signup/", typed).status_code == 302
    assert Vote.objects.get().voter.get_username() == "newt"


def test_only_the_sign_in_that_it_led_to_does_it() -> None:
    work = implement(define("Add"), constant("Add", 1))
    member()
    visitor, other = Client(), Client()
    asked = ask(visitor, f"/implementations/{work.pk}/vote/", value="1")
    sign_in(other, asked)  # a token of another visitor's session
    sign_in(visitor, {})  # signing in for another reason
    assert not Vote.objects.exists()


def test_a_large_text_is_not_kept_and_a_script_is_told_to_sign_in() -> None:
    define("Add")
    account("nina")
    client = Client()
    answer = client.post("/functions/Add/tests/new/", {"code": "#" * 40_000, "title": ""})
    assert "intent" not in answer["Location"]
    told = client.post(
        "/functions/Add/watch/", {"watching": "yes"}, headers={"Accept": "application/json"}
    )
    assert told.status_code == 401
