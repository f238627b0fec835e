"""Tokens for name and password, and what they open."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from socialcode.accounts.models import ApiToken
from socialcode.accounts.security.guesses import PASSWORDS
from socialcode.accounts.tokens import create_token, user_of_token
from tests.functions.api.conftest import Caller, assert_problem
from tests.support import builders as make

DEFINITION = {"name": "Add", "signature": "", "description": ""}


@pytest.fixture
def ana(db: None) -> User:
    return make.user("ana", password="correct horse")


def test_a_token_is_made_for_name_and_password_and_opens_writing(nobody: Caller, ana: User) -> None:
    response = nobody.post("/tokens/", {"username": "ana", "password": "correct horse"})
    assert response.status_code == 201
    nobody.headers["Authorization"] = f"Bearer {response.json()['token']}"
    assert nobody.post("/functions/", DEFINITION).json()["owner"] == "ana"


def test_a_name_is_known_in_any_case(nobody: Caller, ana: User) -> None:
    response = nobody.post("/tokens/", {"username": "ANA", "password": "correct horse"})
    assert response.status_code == 201


@pytest.mark.parametrize(
    ("username", "password"), [("ana", "wrong"), ("ana", ""), ("nobody", "correct horse"), ("", "")]
)
def test_wrong_credentials_get_no_token(
    nobody: Caller, ana: User, username: str, password: str
) -> None:
    response = nobody.post("/tokens/", {"username": username, "password": password})
    assert_problem(response, 401, "wrong_credentials")
    assert not ApiToken.objects.exists()


def test_a_suspended_account_gets_no_token_and_loses_those_it_has(
    nobody: Caller, mira: Caller, ana: User
) -> None:
    User.objects.update(is_active=False)
    response = nobody.post("/tokens/", {"username": "ana", "password": "correct horse"})
    assert_problem(response, 401, "suspended")
    wrong = nobody.post("/tokens/", {"username": "ana", "password": "wrong horse"})
    assert_problem(wrong, 401, "wrong_credentials")  # nobody else learns of it
    assert_problem(mira.post("/functions/", DEFINITION), 401, "suspended")


@pytest.mark.parametrize("token", ["", "x", "sc_" + "A" * 43, "Größe", "x" * 5000])
def test_a_token_that_is_none_is_refused_even_for_reading(nobody: Caller, token: str) -> None:
    nobody.headers["Authorization"] = f"Bearer {token}".encode().decode("latin-1")
    response = nobody.get("/functions/")
    assert_problem(response, 401, "invalid_token")
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_whoever_has_an_old_token_can_get_a_new_one(nobody: Caller, ana: User) -> None:
    nobody.headers["Authorization"] = "Bearer old"
    response = nobody.post("/tokens/", {"username": "ana", "password": "correct horse"})
    assert response.status_code == 201


def test_only_a_digest_is_kept(ana: User) -> None:
    token, text = create_token(user=ana)
    columns = ApiToken.objects.filter(pk=token.pk).values().get()
    assert text not in repr(columns)
    assert text.startswith(columns["prefix"])
    found = user_of_token(text)
    assert found == ana
    assert not found.get_deferred_fields()


def test_the_last_use_of_a_token_is_known_to_the_minute(ana: User) -> None:
    token, text = create_token(user=ana)
    user_of_token(text)
    token.refresh_from_db()
    first = token.last_used_at
    assert first is not None
    user_of_token(text)
    token.refresh_from_db()
    assert token.last_used_at == first
    ApiToken.objects.update(last_used_at=timezone.now() - timedelta(hours=1))
    user_of_token(text)
    token.refresh_from_db()
    assert token.last_used_at is not None
    assert token.last_used_at >= first


def test_a_token_opens_the_api_and_no_page(mira: Caller) -> None:
    page = Client().get("/accounts/tokens/", headers=mira.headers)
    assert page.status_code == 302


def test_guessing_is_stopped_for_a_while_even_with_the_right_password(
    nobody: Caller, ana: User, limits: None
) -> None:
    for _ in range(PASSWORDS.name_from_address.guesses):
        wrong = nobody.post("/tokens/", {"username": "Ana", "password": "wrong"})
        assert wrong.status_code == 401
    response = nobody.post("/tokens/", {"username": "ana", "password": "correct horse"})
    assert_problem(response, 429, "too_many_requests")
    assert 1 <= int(response["Retry-After"]) <= PASSWORDS.name_from_address.seconds
    other = nobody.post("/tokens/", {"username": "mira", "password": "wrong"})
    assert other.status_code == 401
