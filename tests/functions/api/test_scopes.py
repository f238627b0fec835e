"""Tokens may do what their scopes permit, until they end; they make no token that may do more."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from functions.api.scopes import SCOPES
from functions.models import Agent, Function
from socialcode.accounts.models import ApiToken
from socialcode.accounts.tokens import create_token
from tests.functions.api.conftest import API, Caller, assert_problem
from tests.support import builders as make
from tests.support.proofs import prove

PASSWORD = "correct horse"


@pytest.fixture
def ana(db: None) -> User:
    return make.user("ana", password=PASSWORD)


def holder(user: User, *scopes: str, expires_at: datetime | None = None) -> Caller:
    """Return a caller with a token of these scopes."""
    caller = Caller()
    _, text = create_token(user=user, scopes=scopes or None, expires_at=expires_at)
    caller.headers["Authorization"] = f"Bearer {text}"
    return caller


CALLS: dict[str, Callable[[Caller], Any]] = {
    "read": lambda caller: caller.get("/functions/Add/"),
    "draft": lambda caller: caller.post("/functions/Add/tests/", {"code": "1"}),
    "publish": lambda caller: caller.post("/functions/", {"name": "Halve"}),
    "check": lambda caller: caller.post("/functions/Add/run-again/"),
    "vote": lambda caller: caller.put("/tests/1/vote/", {"value": 1}),
    "call": lambda caller: caller.post("/functions/Add/call/", {}),
    "account": lambda caller: caller.get("/tokens/"),
}


@pytest.mark.parametrize("scope", SCOPES)
def test_a_token_does_what_its_scope_permits_and_nothing_else(
    ana: User, add: Function, scope: str
) -> None:
    caller = holder(ana, scope)
    for needed, call in CALLS.items():
        answer = call(caller)
        if needed == scope:
            assert answer.json().get("code") != "missing_scope"
        else:
            assert assert_problem(answer, 403, "missing_scope")["scope"] == needed
            assert f'scope="{needed}"' in answer["WWW-Authenticate"]


def test_short_addresses_of_items_need_scopes_too(ana: User) -> None:
    caller = holder(ana, "read")
    client = Client()
    answer: Any = client.post("/r/Wares/", "{}", "application/json", headers=caller.headers)
    assert_problem(answer, 403, "missing_scope")


def test_a_token_made_without_scopes_has_all_and_does_not_end(nobody: Caller, ana: User) -> None:
    made = nobody.post("/tokens/", {"username": "ana", "password": PASSWORD})
    assert made.status_code == 201
    assert made.json()["scopes"] == [*SCOPES]
    assert made.json()["expires_at"] is None
    assert ApiToken.objects.get().scopes is None  # also those of later releases


def test_scopes_and_end_are_chosen_with_name_and_password(nobody: Caller, ana: User) -> None:
    asked = {"scopes": ["call", "read"], "expires_at": "2100-01-01T01:00:00+01:00"}
    body = {"username": "ana", "password": PASSWORD, "name": "laptop", **asked}
    made = nobody.post("/tokens/", body).json()
    assert made["scopes"] == ["read", "call"]
    assert made["expires_at"] == "2100-01-01T00:00:00Z"
    assert made["name"] == "laptop"


@pytest.mark.parametrize(
    ("more", "status", "code"),
    [
        ({"scopes": ["odd"]}, 422, "unknown_scope"),
        ({"scopes": []}, 422, "no_scope"),
        ({"scopes": "read"}, 400, "malformed"),
        ({"expires_at": "2020-01-01T00:00:00Z"}, 422, "expired"),
        ({"expires_at": "2100-01-01T00:00:00"}, 400, "malformed"),
        ({"expires_at": "9999-12-31T23:59:59-12:00"}, 400, "malformed"),
    ],
)
def test_wrong_scopes_and_times_make_no_token(
    nobody: Caller, ana: User, more: dict[str, Any], status: int, code: str
) -> None:
    response = nobody.post("/tokens/", {"username": "ana", "password": PASSWORD, **more})
    assert_problem(response, status, code)
    assert not ApiToken.objects.exists()


def test_half_of_the_credentials_are_none(mira: Caller) -> None:
    assert_problem(mira.post("/tokens/", {"username": "mira"}), 422, "malformed")


def test_a_token_that_has_ended_opens_nothing(ana: User, add: Function) -> None:
    caller = holder(ana, expires_at=timezone.now() + timedelta(hours=1))
    assert caller.get("/functions/Add/").status_code == 200
    ApiToken.objects.filter(user=ana).update(expires_at=timezone.now())
    assert_problem(caller.get("/functions/Add/"), 401, "invalid_token")
    assert_problem(caller.post("/tokens/", {}), 401, "invalid_token")


def test_ones_tokens_are_listed_without_their_texts(ana: User, mira: Caller) -> None:
    caller = holder(ana, "account", expires_at=datetime(2100, 1, 1, tzinfo=UTC))
    (shown,) = caller.get("/tokens/").json()["items"]
    token = ApiToken.objects.get(user=ana)
    assert shown["last_used_at"] is not None
    assert {**shown, "created_at": "", "last_used_at": ""} == {
        "id": token.pk,
        "name": "",
        "prefix": token.prefix,
        "scopes": ["account"],
        "created_at": "",
        "expires_at": "2100-01-01T00:00:00Z",
        "last_used_at": "",
    }


def test_ones_own_tokens_are_revoked_and_no_others(ana: User, mira: Caller) -> None:
    caller = holder(ana)
    other = ApiToken.objects.get(user=mira.user).pk
    assert_problem(caller.call("DELETE", f"/tokens/{other}/"), 404, "not_found")
    own = ApiToken.objects.get(user=ana).pk
    assert caller.call("DELETE", f"/tokens/{own}/").status_code == 204
    assert_problem(caller.get("/tokens/"), 401, "invalid_token")
    assert mira.get("/tokens/").status_code == 200


def test_a_token_makes_none_that_may_do_more_or_ends_later(ana: User) -> None:
    end = datetime(2100, 1, 1, tzinfo=UTC)
    caller = holder(ana, "account", "read", expires_at=end)
    made = caller.post("/tokens/", {"name": "second"}).json()
    assert (made["scopes"], made["expires_at"]) == (["read", "account"], "2100-01-01T00:00:00Z")
    less = {"scopes": ["read"], "expires_at": "2099-01-01T00:00:00Z"}
    assert caller.post("/tokens/", less).json()["scopes"] == ["read"]
    more = caller.post("/tokens/", {"scopes": ["read", "publish"]})
    assert_problem(more, 403, "missing_scope")
    later = caller.post("/tokens/", {"expires_at": "2100-01-02T00:00:00Z"})
    assert_problem(later, 422, "outlives_token")


def test_a_token_without_the_scope_account_makes_none(ana: User) -> None:
    caller = holder(ana, "read", "publish")
    assert_problem(caller.post("/tokens/", {"scopes": ["read"]}), 403, "missing_scope")
    # Name and password open it whatever else is sent.
    body = {"username": "ana", "password": PASSWORD}
    assert caller.post("/tokens/", body).json()["scopes"] == [*SCOPES]


def test_nobody_makes_none(nobody: Caller) -> None:
    assert_problem(nobody.post("/tokens/", {}), 401, "nobody")


def test_a_session_makes_a_token_once_it_was_shown_who_is_there(ana: User) -> None:
    client = Client()
    client.force_login(ana)
    asked: Any = client.post(f"{API}/tokens/", "{}", "application/json")
    assert_problem(asked, 403, "proof_required")
    prove(client)
    made = client.post(f"{API}/tokens/", '{"scopes": ["read"]}', "application/json")
    assert made.status_code == 201
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = client.cookies
    assert strict.post(f"{API}/tokens/", "{}", "application/json").status_code == 403
    assert ApiToken.objects.count() == 1


def test_an_agents_token_has_scopes_and_keeps_them_when_renewed(ana: User, add: Function) -> None:
    person = holder(ana)
    body = {"name": "helper", "scopes": ["draft"], "expires_at": "2100-01-01T00:00:00Z"}
    for path in ("/agents/", "/agents/helper[agent]/token/"):
        agent, made = Caller(), person.post(path, body if path == "/agents/" else None)
        agent.headers["Authorization"] = f"Bearer {made.json()['token']}"
        assert agent.post("/functions/Add/tests/", {"code": "1"}).status_code == 201
        assert_problem(agent.get("/functions/Add/"), 403, "missing_scope")
    wider = person.post("/agents/helper[agent]/token/", {"scopes": ["read", "draft"]})
    assert wider.status_code == 201
    token = ApiToken.objects.get(user__username="helper[agent]")
    assert (token.scopes, token.expires_at) == (["read", "draft"], None)


def test_a_narrow_token_makes_no_wider_agent(ana: User) -> None:
    caller = holder(ana, "account", "read")
    wider = caller.post("/agents/", {"name": "helper", "scopes": ["publish"]})
    assert_problem(wider, 403, "missing_scope")
    assert not Agent.objects.exists()
    assert caller.post("/agents/", {"name": "helper"}).status_code == 201
    assert ApiToken.objects.get(user__username="helper[agent]").scopes == ["read", "account"]
