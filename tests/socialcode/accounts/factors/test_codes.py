"""Codes of an app and recovery codes, as second factors."""

import time
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from functions.models import Implementation
from functions.views.intents import FIELD
from socialcode.accounts.security.guesses import CODES
from tests.socialcode.accounts.conftest import PASSWORD
from tests.socialcode.accounts.test_sign_in import is_signed_in
from tests.support import builders as make
from tests.support.proofs import prove

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
PAGE = "/accounts/factors/sign-in/"


def code_at(seconds_from_now: float = 0, secret: str = SECRET) -> str:
    counter = int(time.time() + seconds_from_now) // 30
    return str(format_hotp_value(hotp_value(secret, counter)))


@pytest.fixture
def guarded(ana: User) -> User:
    """Return a user with an app and recovery codes."""
    TOTP.activate(ana, SECRET)
    RecoveryCodes.activate(ana)
    return ana


def sign_in(browser: Client, **more: str) -> Any:
    return browser.post("/accounts/login/", {"login": "ana", "password": PASSWORD, **more})


def test_after_the_password_a_code_is_asked_for(browser: Client, guarded: User) -> None:
    assert sign_in(browser, next="/runs/")["Location"] == PAGE
    assert not is_signed_in(browser)
    wrong = browser.post(PAGE, {"code": "000000"})
    assert list(wrong.context["form"].errors) == ["code"]
    assert browser.post(PAGE, {"code": code_at()})["Location"] == "/runs/"
    assert is_signed_in(browser)


def test_a_code_signs_in_once(guarded: User) -> None:
    code, former = code_at(), code_at(-30)
    signed_in = []
    for each in (code, code, former):
        browser = Client()
        sign_in(browser)
        browser.post(PAGE, {"code": each})
        signed_in.append(is_signed_in(browser))
    assert signed_in == [True, False, False]


def test_a_recovery_code_signs_in_once(guarded: User) -> None:
    codes = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()
    signed_in = []
    for code in (codes[0], codes[0], codes[1]):
        browser = Client()
        sign_in(browser)
        browser.post(PAGE, {"code": code})
        signed_in.append(is_signed_in(browser))
    assert signed_in == [True, False, True]


def test_codes_cannot_be_guessed(browser: Client, guarded: User, limits: None) -> None:
    sign_in(browser)
    for _ in range(CODES.name_from_address.guesses):
        browser.post(PAGE, {"code": "000000"})
    answer = browser.post(PAGE, {"code": code_at()})
    assert (answer.status_code, "Retry-After" in answer.headers) == (429, True)
    assert not is_signed_in(browser)


def test_what_a_visitor_wanted_is_done_after_the_code(browser: Client, guarded: User) -> None:
    make.function("Add", owner=make.user("olga"))
    asked = browser.post("/functions/Add/implementations/new/", {"code": "def Add(): pass\n"})
    sign_in(browser, **{FIELD: asked["Location"].partition(f"{FIELD}=")[2]})
    assert not Implementation.objects.exists()
    browser.post(PAGE, {"code": code_at()})
    assert Implementation.objects.get().author == guarded


def test_programs_get_no_token_by_the_password_alone(browser: Client, guarded: User) -> None:
    form = {"username": "ana", "password": PASSWORD}
    answer = browser.post("/api/v1/tokens/", form, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (401, "second_factor")


def test_an_app_is_set_up_by_its_first_code(browser: Client, ana: User) -> None:
    ana.email = "ana@example.org"
    ana.save()
    browser.force_login(ana)
    asked = browser.get("/accounts/factors/app/")
    assert asked["Location"].startswith("/accounts/reauthenticate/")
    prove(browser)
    page = browser.get("/accounts/factors/app/")
    secret = page.context["form"].secret
    assert "data:image/svg+xml;base64," in page.content.decode()
    refused = browser.post("/accounts/factors/app/", {"code": "000000"})
    assert list(refused.context["form"].errors) == ["code"]
    done = browser.post("/accounts/factors/app/", {"code": code_at(secret=secret)})
    assert done["Location"] == "/accounts/factors/codes/"
    shown = browser.get("/accounts/factors/codes/").content.decode()
    codes = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()
    assert all(code in shown for code in codes)
    assert codes[0] not in browser.get("/accounts/factors/codes/").content.decode()
    assert b"10 codes are unused" in browser.get("/accounts/factors/").content
    assert sign_in(Client())["Location"] == PAGE


def test_without_the_app_the_password_suffices_again(browser: Client, guarded: User) -> None:
    guarded.email = "ana@example.org"
    guarded.save()
    prove_by_code(browser)
    browser.post("/accounts/factors/app/remove/")
    assert not Authenticator.objects.exists()
    assert "without codes of an app" in str(mail.outbox[-1].body)
    other = Client()
    sign_in(other)
    assert is_signed_in(other)


def prove_by_code(browser: Client) -> None:
    browser.force_login(User.objects.get(username="ana"))
    browser.post("/accounts/factors/again/", {"code": code_at()})


def test_new_recovery_codes_replace_the_former(browser: Client, guarded: User) -> None:
    row = Authenticator.objects.get(type="recovery_codes")
    former = row.wrap().get_unused_codes()[0]
    prove_by_code(browser)
    browser.post("/accounts/factors/codes/new/")
    sign_in(other := Client())
    other.post(PAGE, {"code": former})
    assert not is_signed_in(other)


def test_staff_remove_factors_and_see_no_secret(browser: Client, guarded: User) -> None:
    browser.force_login(User.objects.create_superuser("sam"))
    row = Authenticator.objects.get(type="totp")
    page = browser.get(f"/staff/mfa/authenticator/{row.pk}/change/").content.decode()
    assert SECRET not in page
    chosen = {"action": "delete_selected", "_selected_action": row.pk, "post": "yes"}
    browser.post("/staff/mfa/authenticator/", chosen)
    assert not Authenticator.objects.filter(type="totp").exists()
