"""Signing in at another site, by OpenID Connect with a real provider."""

import re
from dataclasses import replace

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from pytest_django import Settings

from functions.models import Function, Implementation
from functions.views.intents import FIELD
from socialcode.accounts.providers.configuration import read_providers
from socialcode.accounts.suspensions import suspend
from socialcode.environment import SettingError
from tests.socialcode.accounts.conftest import PASSWORD
from tests.socialcode.accounts.providers.conftest import Provider
from tests.socialcode.accounts.test_sign_in import is_signed_in
from tests.support import builders as make
from tests.support.proofs import prove

SUB = "1234"
ADDRESS = "ana@example.org"
SIGN_UP = "/accounts/providers/signup/"


@pytest.fixture
def connected(ana: User, provider: Provider) -> User:
    SocialAccount.objects.create(user=ana, provider="work", uid=SUB)
    return ana


def test_a_newcomer_chooses_a_name_and_signs_in_from_then_on(
    browser: Client, db: None, provider: Provider
) -> None:
    claims = {"preferred_username": "ana", "picture": "https://pictures.example/ana"}
    provider.know(SUB, email=ADDRESS, email_verified=True, **claims)
    back = provider.sign_in(browser, SUB, next="/runs/")
    assert back["Location"] == SIGN_UP
    form = browser.get(SIGN_UP).context["form"]
    assert (form["username"].value(), form["email"].value()) == ("ana", ADDRESS)
    assert browser.post(SIGN_UP, {"username": "ana", "email": ADDRESS})["Location"] == "/runs/"
    user = User.objects.get()
    assert (user.username, user.email, user.has_usable_password()) == ("ana", ADDRESS, False)
    assert EmailAddress.objects.get().verified
    kept = SocialAccount.objects.get().extra_data
    assert kept == {"userinfo": {"sub": SUB, "email": ADDRESS, "preferred_username": "ana"}}
    other = Client()
    assert provider.sign_in(other, SUB)["Location"] == "/"
    assert is_signed_in(other)
    assert SocialAccount.objects.get().extra_data == kept


@pytest.mark.parametrize("verified", [True, False])
def test_no_address_makes_a_providers_account_somebody_elses(
    browser: Client, ana: User, provider: Provider, verified: bool
) -> None:
    EmailAddress.objects.create(user=ana, email=ADDRESS, verified=True, primary=True)
    provider.know(SUB, email=ADDRESS, email_verified=verified)
    assert provider.sign_in(browser, SUB)["Location"] == SIGN_UP
    assert not is_signed_in(browser)
    browser.post(SIGN_UP, {"username": "mira", "email": ADDRESS})
    assert SocialAccount.objects.get().user.username == "mira"
    assert EmailAddress.objects.get(verified=True).user == ana


def test_only_whoever_is_signed_in_and_knows_the_password_connects(
    browser: Client, ana: User, provider: Provider
) -> None:
    ana.email = ADDRESS
    ana.save()
    browser.force_login(ana)
    asked = provider.sign_in(browser, SUB, process="connect")
    assert asked["Location"] == "/accounts/reauthenticate/"
    assert not SocialAccount.objects.exists()
    browser.post("/accounts/reauthenticate/", {"password": PASSWORD})
    assert SocialAccount.objects.get().user == ana
    assert "can sign in as ana now" in str(mail.outbox[-1].body)
    other = Client()
    provider.sign_in(other, SUB)
    assert is_signed_in(other)
    again = User.objects.create_user("otto", password=PASSWORD)
    other.force_login(again)
    provider.sign_in(other, SUB, process="connect")
    other.post("/accounts/reauthenticate/", {"password": PASSWORD})
    assert SocialAccount.objects.get().user == ana


def test_a_visitor_connects_nothing(browser: Client, ana: User, provider: Provider) -> None:
    assert provider.sign_in(browser, SUB, process="connect").status_code == 302
    assert not SocialAccount.objects.exists()


def test_what_a_visitor_wanted_is_done_after_coming_back(
    browser: Client, connected: User, provider: Provider
) -> None:
    function = make.function("Add", owner=make.user("olga"))
    asked = browser.post("/functions/Add/implementations/new/", {"code": "def Add(): pass\n"})
    token = asked["Location"].partition(f"{FIELD}=")[2]
    provider.sign_in(browser, SUB, **{FIELD: token})
    assert Implementation.objects.get(function=function).author == connected
    assert Function.objects.count() == 1


def test_a_suspended_account_cannot_sign_in(
    browser: Client, connected: User, provider: Provider
) -> None:
    sam = User.objects.create_superuser("sam")
    suspend(actor=sam, username="ana", reason="Spam.")
    back = provider.sign_in(browser, SUB)
    assert (back.status_code, is_signed_in(browser)) == (403, False)
    assert b"This account was suspended" in back.content


def test_whoever_has_no_password_shows_up_at_the_provider_again(
    browser: Client, connected: User, provider: Provider
) -> None:
    connected.set_unusable_password()
    connected.save()
    provider.sign_in(browser, SUB)
    form = {"email": "new@example.org", "action_add": "1"}
    asked = browser.post("/accounts/email/", form)
    assert asked["Location"] == "/accounts/reauthenticate/provider/?next=%2Faccounts%2Femail%2F"
    assert b"Continue with Work" in browser.get(asked["Location"]).content
    stranger = provider.sign_in(browser, "9999", process="again", next="/accounts/email/")
    browser.get(stranger["Location"])
    assert not EmailAddress.objects.exists()
    browser.post("/accounts/email/", form)
    back = provider.sign_in(browser, SUB, process="again", next="/accounts/email/")
    browser.get(back["Location"])
    assert EmailAddress.objects.get().email == "new@example.org"


def test_the_last_way_to_sign_in_is_not_disconnected(
    browser: Client, connected: User, provider: Provider
) -> None:
    account = SocialAccount.objects.get()
    browser.force_login(connected)
    page = "/accounts/providers/"
    assert b"Connect Work" in browser.get(page).content
    browser.post(page, {"account": account.pk})
    browser.post("/accounts/reauthenticate/", {"password": PASSWORD, "next": page})
    assert not SocialAccount.objects.exists()
    account.save(force_insert=True)
    connected.set_unusable_password()
    connected.save()
    browser.force_login(connected)
    refused = browser.post(page, {"account": account.pk})
    assert b"Set a password first" in refused.content
    assert SocialAccount.objects.exists()


def test_an_account_at_a_former_provider_is_disconnected(browser: Client, ana: User) -> None:
    account = SocialAccount.objects.create(user=ana, provider="former", uid="ana")
    browser.force_login(ana)
    answer = prove(browser).post("/accounts/providers/", {"account": account.pk})
    assert answer.status_code == 302
    assert not SocialAccount.objects.exists()


@pytest.mark.parametrize(
    ("query", "status"),
    [("", 401), ("?code=x&state=forged", 401), ("?error=access_denied&state=forged", 401)],
)
def test_whoever_never_left_does_not_come_back(
    browser: Client, connected: User, query: str, status: int
) -> None:
    answer = browser.get(f"/accounts/oidc/work/callback/{query}")
    assert (answer.status_code, is_signed_in(browser)) == (status, False)


@pytest.mark.parametrize("nonce", ["", "of-somebody-else"])
def test_an_answer_to_another_request_signs_nobody_in(
    browser: Client, connected: User, provider: Provider, nonce: str
) -> None:
    leaving = browser.post("/accounts/oidc/work/")
    sent = re.sub(r"(?<=[?&]nonce=)\w+", nonce, leaving["Refresh"])
    assert sent != leaving["Refresh"]
    back = provider.come_back(browser, {"Refresh": sent}, {"sub": SUB})
    assert (back.status_code, is_signed_in(browser)) == (401, False)


def test_a_visitor_may_change_their_mind(
    browser: Client, connected: User, provider: Provider
) -> None:
    leaving = browser.post("/accounts/oidc/work/")
    back = provider.come_back(browser, leaving, {"action": "deny"})
    assert back["Location"] == "/accounts/providers/cancelled/"
    assert not is_signed_in(browser)


def test_while_a_provider_is_away_all_else_works(
    browser: Client, connected: User, settings: Settings
) -> None:
    away = replace(settings.OIDC_PROVIDERS[0], issuer="http://localhost:1")
    settings.OIDC_PROVIDERS = (away,)
    answer = browser.post("/accounts/oidc/work/")
    assert (answer.status_code, b"be reached now" in answer.content) == (502, True)
    assert b"Continue with Work" in browser.get("/accounts/login/").content
    assert browser.post("/accounts/oidc/nobody/").status_code == 404


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"PROVIDERS": "google"}, "Set SOCIALCODE_OIDC_GOOGLE_CLIENT_ID, too"),
        ({"PROVIDERS": "My Work"}, "Write small letters and digits"),
        (
            {
                "PROVIDERS": "x",
                "X_CLIENT_ID": "us",
                "X_CLIENT_SECRET": "s",
                "X_ISSUER": "http://x.org",
            },
            "'http://x.org' is not an https address",
        ),
    ],
)
def test_a_provider_that_is_set_up_in_part_is_refused(
    given: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(f"SOCIALCODE_OIDC_{name}", value)
    with pytest.raises(SettingError, match=said):
        read_providers()


def test_google_needs_no_issuer(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PROVIDERS", "GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"):
        monkeypatch.setenv(f"SOCIALCODE_OIDC_{name}", "google")
    (google,) = read_providers()
    assert (google.name, google.issuer) == ("Google", "https://accounts.google.com")
