"""One's tokens, on the site."""

import re
from datetime import timedelta

from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from socialcode.accounts.models import ApiToken
from socialcode.accounts.tokens import create_token, user_of_token
from tests.support.proofs import prove

PAGE = "/accounts/tokens/"


def test_a_token_is_shown_once(browser: Client, ana: User) -> None:
    browser.force_login(ana)
    asked = browser.post(PAGE, {"name": "laptop", "scopes": ["read", "call"], "days": "7"})
    assert asked["Location"] == "/accounts/reauthenticate/?next=%2Faccounts%2Ftokens%2F"
    assert not ApiToken.objects.exists()
    prove(browser)
    made = browser.post(PAGE, {"name": "laptop", "scopes": ["read", "call"], "days": "7"})
    (text,) = re.findall(r"sc_[\w-]{43}", made.content.decode())
    assert user_of_token(text) == ana
    token = ApiToken.objects.get()
    assert token.scopes == ["read", "call"]
    assert token.expires_at is not None
    assert timedelta(days=6) < token.expires_at - timezone.now() < timedelta(days=8)
    assert "no-store" in made["Cache-Control"]
    again = browser.get(PAGE).content.decode()
    assert text not in again
    assert "laptop" in again


def test_all_scopes_and_no_end_are_chosen_beforehand(browser: Client, ana: User) -> None:
    browser.force_login(ana)
    prove(browser)
    form = browser.get(PAGE).context["form"]
    chosen = {"name": "", "scopes": form["scopes"].value(), "days": form["days"].value() or ""}
    browser.post(PAGE, chosen)
    token = ApiToken.objects.get()
    assert (token.scopes, token.expires_at) == (None, None)


def test_a_token_that_may_do_nothing_is_not_made(browser: Client, ana: User) -> None:
    browser.force_login(ana)
    prove(browser)
    response = browser.post(PAGE, {"name": "laptop"})
    assert list(response.context["form"].errors) == ["scopes"]
    assert not ApiToken.objects.exists()


def test_a_name_that_is_too_long_is_said_and_makes_nothing(browser: Client, ana: User) -> None:
    browser.force_login(ana)
    prove(browser)
    response = browser.post(PAGE, {"name": "x" * 81, "scopes": "read"})
    assert list(response.context["form"].errors) == ["name"]
    assert not ApiToken.objects.exists()


def test_a_revoked_token_opens_nothing(browser: Client, ana: User) -> None:
    browser.force_login(ana)
    token, text = create_token(user=ana)
    assert browser.get(f"{PAGE}{token.pk}/revoke/").status_code == 405
    assert browser.post(f"{PAGE}{token.pk}/revoke/")["Location"] == PAGE
    assert user_of_token(text) is None


def test_tokens_of_others_are_neither_shown_nor_revoked(browser: Client, ana: User) -> None:
    token, text = create_token(user=User.objects.create_user("otto"), name="of otto")
    browser.force_login(ana)
    assert "of otto" not in browser.get(PAGE).content.decode()
    assert browser.post(f"{PAGE}{token.pk}/revoke/").status_code == 404
    assert user_of_token(text) is not None


def test_nobody_has_tokens(browser: Client) -> None:
    assert browser.get(PAGE)["Location"] == f"/accounts/login/?next={PAGE}"
    assert browser.post(f"{PAGE}1/revoke/").status_code == 302
