"""Changing a password, and replacing a forgotten one."""

import re
import smtplib

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client
from pytest_django import Settings

from functions.request_limits import ACCOUNT_MAILS
from socialcode.accounts.languages import choose_language
from socialcode.accounts.models import ApiToken
from socialcode.accounts.security.guesses import PASSWORDS
from socialcode.accounts.tokens import create_token
from tests.socialcode.accounts.conftest import PASSWORD
from tests.socialcode.accounts.test_sign_in import is_signed_in

ADDRESS = "ana@example.org"
NEW = "tannenbaum und lampe"
TWICE = {"password1": NEW, "password2": NEW}


@pytest.fixture
def reachable(ana: User) -> User:
    ana.email = ADDRESS
    ana.save()
    EmailAddress.objects.create(user=ana, email=ADDRESS, verified=True, primary=True)
    return ana


def link_in(message: mail.EmailMessage) -> str:
    found = re.search(r"http://localhost:8000(/\S+)", str(message.body))
    assert found, message.body
    return found[1]


def ask_for_link(browser: Client, address: str = ADDRESS) -> str:
    asked = browser.post("/accounts/password/reset/", {"email": address}, follow=True)
    assert asked.request["PATH_INFO"] == "/accounts/password/reset/sent/"
    return link_in(mail.outbox[-1])


def test_a_new_password_ends_other_sessions_and_tokens(browser: Client, reachable: User) -> None:
    other = Client()
    for each in (browser, other):
        each.force_login(reachable)
    create_token(user=reachable)
    form = {"oldpassword": PASSWORD, **TWICE}
    page = browser.post("/accounts/password/change/", form, follow=True).content.decode()
    assert "All other sessions and tokens have ended" in page
    assert browser.get("/drafts/").status_code == 200
    assert other.get("/drafts/").status_code == 302
    assert not ApiToken.objects.exists()
    assert User.objects.get().check_password(NEW)
    assert "The password of ana was changed" in str(mail.outbox[-1].body)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"oldpassword": "wrong"}, "oldpassword"),
        ({"password2": "mistyped"}, "password2"),
        ({"password1": "Summer2026", "password2": "Summer2026"}, "password1"),
    ],
)
def test_a_password_is_not_changed_by_mistake(
    browser: Client, ana: User, change: dict[str, str], field: str
) -> None:
    browser.force_login(ana)
    form = {"oldpassword": PASSWORD, **TWICE, **change}
    page = browser.post("/accounts/password/change/", form)
    assert list(page.context["form"].errors) == [field]
    assert User.objects.get().check_password(PASSWORD)


@pytest.mark.parametrize(
    ("path", "field"),
    [("password/change", "oldpassword"), ("reauthenticate", "password")],
)
def test_the_password_of_a_stolen_session_cannot_be_guessed(
    browser: Client, ana: User, limits: None, path: str, field: str
) -> None:
    browser.force_login(ana)
    for _ in range(PASSWORDS.name_from_address.guesses):
        browser.post(f"/accounts/{path}/", {field: "wrong"})
    answer = browser.post(f"/accounts/{path}/", {field: PASSWORD, **TWICE})
    assert (answer.status_code, "Retry-After" in answer.headers) == (429, True)
    assert User.objects.get().check_password(PASSWORD)


def test_a_link_sets_a_forgotten_password_once_and_signs_nobody_in(
    browser: Client, reachable: User
) -> None:
    path = ask_for_link(browser)
    page = browser.get(path, follow=True)
    assert page.request["PATH_INFO"].endswith("/set-password/")  # no link in what others may see
    done = browser.post(page.request["PATH_INFO"], TWICE, follow=True)
    assert done.request["PATH_INFO"] == "/accounts/password/reset/done/"
    assert not is_signed_in(browser)
    browser.post("/accounts/login/", {"login": ADDRESS, "password": NEW})
    assert is_signed_in(browser)
    again = Client().get(path, follow=True).content.decode()
    assert "This link no longer works" in again


def test_a_link_is_no_way_around_the_rules_of_passwords(browser: Client, reachable: User) -> None:
    page = browser.get(ask_for_link(browser), follow=True)
    weak = {"password1": "Summer2026", "password2": "Summer2026"}
    answer = browser.post(page.request["PATH_INFO"], weak)
    assert list(answer.context["form"].errors) == ["password1"]


def test_nobody_learns_which_addresses_have_accounts(browser: Client, reachable: User) -> None:
    pages = [
        browser.post("/accounts/password/reset/", {"email": address}, follow=True).content.decode()
        for address in (ADDRESS, "nobody@example.org")
    ]
    random = r'(nonce|value)="[^"]*"'
    assert re.sub(random, "", pages[0]) == re.sub(random, "", pages[1])
    assert [message.to for message in mail.outbox] == [[ADDRESS], ["nobody@example.org"]]
    assert "no account has it" in str(mail.outbox[1].body)


def test_an_address_that_another_account_has_confirmed_gets_no_link_of_others(
    browser: Client, reachable: User
) -> None:
    liar = User.objects.create_user("liar", email=ADDRESS)
    EmailAddress.objects.create(user=liar, email=ADDRESS)
    ask_for_link(browser)
    assert ["account ana." in str(message.body) for message in mail.outbox] == [True]


def test_the_suspended_get_no_link(browser: Client, reachable: User) -> None:
    User.objects.update(is_active=False)
    assert ask_for_link(browser) == "/accounts/signup/"


def test_a_mailbox_cannot_be_flooded(browser: Client, reachable: User, limits: None) -> None:
    for address in (ADDRESS, "nobody@example.org"):
        answers = [
            browser.post("/accounts/password/reset/", {"email": address}).status_code
            for _ in range(ACCOUNT_MAILS.tries + 1)
        ]
        assert answers == [302] * ACCOUNT_MAILS.tries + [429]
    assert len(mail.outbox) == 2 * ACCOUNT_MAILS.tries


def test_mails_are_in_the_language_of_the_account(browser: Client, reachable: User) -> None:
    choose_language(reachable, "de")
    ask_for_link(browser)
    assert mail.outbox[0].subject == "Social Code: ein neues Passwort"
    assert "neues Passwort für das Konto ana" in str(mail.outbox[0].body)


class NoServer(EmailBackend):
    """A mail server that is away."""

    def send_messages(self, _messages: object) -> int:
        raise smtplib.SMTPServerDisconnected


def test_without_a_mail_server_accounts_are_made_all_the_same(
    browser: Client, db: None, settings: Settings
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.NoServer"
    form = {"username": "ana", "email": ADDRESS, "password1": PASSWORD, "password2": PASSWORD}
    page = browser.post("/accounts/signup/", form, follow=True).content.decode()
    assert "A mail could not be sent" in page
    assert is_signed_in(browser)
