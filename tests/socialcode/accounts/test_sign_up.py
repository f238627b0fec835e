"""Signing up."""

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError
from django.test import Client

from functions.request_limits import limit_of_page
from tests.socialcode.accounts.conftest import PASSWORD

FORM = {"username": "ana", "password1": PASSWORD, "password2": PASSWORD}


def test_whoever_signs_up_is_signed_in(browser: Client) -> None:
    response = browser.post("/accounts/signup/", FORM)
    assert (response.status_code, response["Location"]) == (302, "/")
    assert browser.session["_auth_user_id"] == str(User.objects.get(username="ana").pk)


def test_the_form_is_a_page_that_nothing_was_made_by(browser: Client) -> None:
    page = browser.get("/accounts/signup/?next=/functions/Add/")
    assert page.status_code == 200
    for name in (*FORM, "next"):
        assert f'name="{name}"' in page.content.decode()
    assert not User.objects.exists()


def test_signing_up_goes_on_to_a_page_of_this_site_only(browser: Client) -> None:
    ours = browser.post("/accounts/signup/", {**FORM, "next": "/functions/Add/"})
    assert ours["Location"] == "/functions/Add/"
    theirs = Client().post(
        "/accounts/signup/", {**FORM, "username": "otto", "next": "https://evil.example/"}
    )
    assert theirs["Location"] == "/"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"username": ""}, "username"),
        ({"username": "no blanks"}, "username"),
        ({"username": "a\0b"}, "username"),
        ({"username": "x" * 151}, "username"),
        ({"username": "OTTO"}, "username"),
        ({"password1": ""}, "password1"),
        ({"password2": "another one, mistyped"}, "password2"),
        ({"password1": "12345678", "password2": "12345678"}, "password1"),
        ({"password1": "short", "password2": "short"}, "password1"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(
    browser: Client, change: dict[str, str], field: str
) -> None:
    User.objects.create_user("otto")
    response = browser.post("/accounts/signup/", {**FORM, **change})
    assert response.status_code == 200
    assert list(response.context["form"].errors) == [field]
    assert User.objects.count() == 1


def test_names_are_one_in_small_and_capital_letters_for_the_database_too(db: None) -> None:
    User.objects.create_user("Ana")
    with pytest.raises(IntegrityError):
        User.objects.create_user("ANA")


def test_a_flood_of_accounts_is_stopped(browser: Client, limits: None) -> None:
    limit = limit_of_page("account_signup")
    assert limit is not None
    for _ in range(limit.address.tries):
        limit.address.count("127.0.0.1")
    response = browser.post("/accounts/signup/", FORM, headers={"X-Forwarded-For": "203.0.113.9"})
    assert response.status_code == 429
    assert int(response["Retry-After"]) >= 1
    assert not User.objects.exists()
