"""Signing in and out."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from pytest_django import Settings

from functions.request_limits import limit_of_page
from socialcode.accounts import hashers
from socialcode.accounts.passwords.guess_limit import AccountShut, user_with_password
from socialcode.accounts.passwords.hash_gate import RETRY_SECONDS, HashGate
from socialcode.accounts.security.guesses import PASSWORDS
from socialcode.accounts.tokens import create_token
from tests.socialcode.accounts.conftest import PASSWORD


def is_signed_in(browser: Client) -> bool:
    return "_auth_user_id" in browser.session


@pytest.mark.parametrize("field", ["username", "login"])
@pytest.mark.parametrize("name", ["ana", "ANA"])
def test_a_name_in_any_case_and_its_password_sign_in(
    browser: Client, ana: User, field: str, name: str
) -> None:
    response = browser.post("/accounts/login/", {field: name, "password": PASSWORD})
    assert (response.status_code, response["Location"]) == (302, "/")
    assert is_signed_in(browser)


@pytest.mark.parametrize(
    ("next_page", "goes_to"),
    [
        ("/functions/Add/", "/functions/Add/"),
        *((bad, "/") for bad in ("https://evil.example/", "//evil.example", "javascript:alert(1)")),
    ],
)
def test_signing_in_goes_on_to_a_page_of_this_site_only(
    browser: Client, ana: User, next_page: str, goes_to: str
) -> None:
    form = {"username": "ana", "password": PASSWORD, "next": next_page}
    assert browser.post("/accounts/login/", form)["Location"] == goes_to


def test_whoever_is_signed_in_is_sent_on(browser: Client, ana: User) -> None:
    browser.force_login(ana)
    assert browser.get("/accounts/login/")["Location"] == "/"


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"username": "ana", "password": "wrong"}, "__all__"),
        ({"username": "nobody", "password": PASSWORD}, "__all__"),
        ({"username": "a\0b", "password": PASSWORD}, "login"),
        ({"username": "", "password": PASSWORD}, "login"),
        ({"username": "ana", "password": ""}, "password"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_is_kept(
    browser: Client, ana: User, form: dict[str, str], field: str
) -> None:
    response = browser.post("/accounts/login/", form)
    assert response.status_code == 200
    assert list(response.context["form"].errors) == [field]
    assert response.context["form"]["login"].value() == form["username"]
    assert not is_signed_in(browser)


def test_a_suspended_account_cannot_sign_in(browser: Client, ana: User) -> None:
    User.objects.update(is_active=False)
    browser.post("/accounts/login/", {"username": "ana", "password": PASSWORD})
    assert not is_signed_in(browser)


def test_guessing_is_stopped_for_a_while_at_this_name_alone(
    browser: Client, ana: User, limits: None
) -> None:
    User.objects.create_user("otto", password=PASSWORD)
    for number in range(PASSWORDS.name_from_address.guesses):
        forwarded = {"X-Forwarded-For": f"203.0.113.{number}"}
        browser.post(
            "/accounts/login/", {"username": "ana", "password": "wrong"}, headers=forwarded
        )
    response = browser.post("/accounts/login/", {"login": "Ana", "password": PASSWORD})
    assert response.status_code == 429
    assert int(response["Retry-After"]) >= 1
    assert "Too many tries" in response.content.decode()
    assert not is_signed_in(browser)
    browser.post("/accounts/login/", {"username": "otto", "password": PASSWORD})
    assert is_signed_in(browser)


def test_only_a_post_signs_out(browser: Client, ana: User) -> None:
    browser.force_login(ana)
    assert browser.get("/accounts/logout/").status_code == 405
    assert is_signed_in(browser)
    assert browser.post("/accounts/logout/")["Location"] == "/"
    assert not is_signed_in(browser)


@pytest.mark.parametrize("path", ["login", "logout", "signup", "tokens"])
def test_forms_of_others_sites_are_refused(ana: User, path: str) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(ana)
    assert browser.post(f"/accounts/{path}/", {}).status_code == 403


def test_staff_sign_in_on_the_page_of_all(browser: Client) -> None:
    sam = User.objects.create_superuser("sam", password=PASSWORD)
    asked = browser.get("/staff/auth/user/", follow=True)
    assert asked.request["PATH_INFO"] == "/accounts/login/"
    form = {"login": "sam", "password": PASSWORD, "next": asked.context["next"]}
    assert browser.post("/accounts/login/", form)["Location"] == "/staff/auth/user/"
    sam.is_staff = False
    sam.save()
    assert browser.get("/staff/login/").status_code == 403


def test_staff_see_tokens_and_change_none(browser: Client, ana: User) -> None:
    token, text = create_token(user=ana, name="laptop")
    browser.force_login(User.objects.create_superuser("sam"))
    listed = browser.get("/staff/accounts/apitoken/").content.decode()
    assert token.prefix in listed
    page = browser.get(f"/staff/accounts/apitoken/{token.pk}/change/").content.decode()
    assert "laptop" in page
    assert text not in page
    assert browser.get("/staff/accounts/apitoken/add/").status_code == 403


def test_a_name_in_any_case_is_found_by_an_index(ana: User) -> None:
    User.objects.bulk_create(User(username=f"one of many {n}") for n in range(5_000))
    with connection.cursor() as cursor:
        cursor.execute("analyze auth_user")
    found = User.objects.filter(username__iexact="ANA")
    assert "accounts_username_once" in found.explain()
    assert found.get() == ana


def test_signing_in_rightly_is_no_guess_however_often(ana: User, limits: None) -> None:
    for _ in range(2 * PASSWORDS.name_from_address.guesses):
        assert user_with_password("198.51.100.1", "ana", PASSWORD) == ana
    User.objects.update(is_active=False)
    for _ in range(2 * PASSWORDS.name_from_address.guesses):
        with pytest.raises(AccountShut):
            user_with_password("198.51.100.1", "ana", PASSWORD)


def test_a_flood_of_sign_ins_is_stopped_by_address_whatever_the_names(
    browser: Client, ana: User, limits: None
) -> None:
    sign_ins = limit_of_page("account_login")
    assert sign_ins is not None
    for _ in range(sign_ins.address.tries):
        sign_ins.address.count("127.0.0.1")
    for path in ("/accounts/login/", "/api/v1/tokens/"):
        response = browser.post(
            path, {"username": "ana", "password": PASSWORD}, content_type="application/json"
        )
        assert response.status_code == 429
        assert 1 <= int(response["Retry-After"]) <= sign_ins.address.seconds
    form = {"username": "ana", "password": PASSWORD, "next": "/runs/"}
    page = browser.post("/accounts/login/", form).content.decode()
    assert 'name="username" value="ana"' in page
    assert 'name="next" value="/runs/"' in page
    assert 'type="password" name="password"' in page
    assert PASSWORD not in page
    elsewhere = browser.post("/accounts/login/", form, REMOTE_ADDR="198.51.100.7")
    assert elsewhere.status_code == 302


def test_where_too_many_wait_to_be_hashed_the_form_comes_back_and_a_program_is_told(
    browser: Client, ana: User, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.PASSWORD_HASHERS = ["socialcode.accounts.hashers.ScryptHasher"]
    monkeypatch.setattr(hashers, "gate", HashGate(1, 0, 0))
    form = {"username": "ana", "password": PASSWORD}
    page = browser.post("/accounts/login/", form)
    signing_up = {"username": "otto", "password1": PASSWORD, "password2": PASSWORD}
    told = browser.post("/api/v1/tokens/", form, content_type="application/json")
    for response in (page, browser.post("/accounts/signup/", signing_up), told):
        assert (response.status_code, response["Retry-After"]) == (429, str(RETRY_SECONDS))
    assert 'name="username" value="ana"' in page.content.decode()
    assert told.json()["code"] == "too_many_requests"
    assert not User.objects.filter(username="otto").exists()
