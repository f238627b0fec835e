"""Mail addresses: confirmed before they count, and changed by whoever knows the password."""

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from pytest_django import Settings

from socialcode.accounts.sign_in import configuration
from tests.socialcode.accounts.conftest import PASSWORD
from tests.socialcode.accounts.passwords.test_pages import ADDRESS, link_in
from tests.socialcode.accounts.test_sign_in import is_signed_in

NEW_ACCOUNT = {"username": "ana", "password1": PASSWORD, "password2": PASSWORD, "email": ADDRESS}


def sign_in_by_address(address: str = ADDRESS) -> bool:
    browser = Client()
    browser.post("/accounts/login/", {"login": address, "password": PASSWORD})
    return is_signed_in(browser)


def test_an_address_signs_in_once_it_is_confirmed(browser: Client, db: None) -> None:
    browser.post("/accounts/signup/", NEW_ACCOUNT)
    assert not sign_in_by_address()
    path = link_in(mail.outbox[0])
    assert b"becomes the address of ana" in browser.get(path).content
    assert not sign_in_by_address()  # mail programs that open links confirm nothing
    browser.post(path)
    assert sign_in_by_address(ADDRESS.upper())
    assert User.objects.get().email == ADDRESS


def test_a_password_is_asked_for_before_the_address_is_changed(browser: Client, ana: User) -> None:
    EmailAddress.objects.create(user=ana, email=ADDRESS, verified=True, primary=True)
    browser.force_login(ana)
    form = {"email": "new@example.org", "action_add": "1"}
    asked = browser.post("/accounts/email/", form)
    assert asked["Location"] == "/accounts/reauthenticate/?next=%2Faccounts%2Femail%2F"
    assert not mail.outbox
    proof = {"password": PASSWORD, "next": "/accounts/email/"}
    browser.post("/accounts/reauthenticate/", proof)  # and then what was asked for is done
    assert [message.to for message in mail.outbox] == [["new@example.org"]]
    assert sign_in_by_address()
    browser.post(link_in(mail.outbox[0]))
    assert not sign_in_by_address()
    assert sign_in_by_address("new@example.org")
    assert mail.outbox[-1].to == [ADDRESS]  # whoever has the former one is told


def test_an_address_is_confirmed_for_one_account_only(browser: Client, db: None) -> None:
    browser.post("/accounts/signup/", NEW_ACCOUNT)
    path = link_in(mail.outbox[0])
    other = User.objects.create_user("otto")
    EmailAddress.objects.create(user=other, email=ADDRESS, verified=True)
    assert b"Another account has confirmed" in browser.get(path).content
    browser.post(path)
    assert EmailAddress.objects.get(verified=True).user == other


@pytest.mark.parametrize(("has_address", "may"), [(True, False), (False, True)])
def test_where_addresses_must_be_confirmed_only_those_without_one_need_none(
    browser: Client, ana: User, settings: Settings, has_address: bool, may: bool
) -> None:
    for name, value in configuration.settings_of(True, True, True).items():
        setattr(settings, name, value)
    if has_address:
        EmailAddress.objects.create(user=ana, email=ADDRESS, primary=True)
    answer = browser.post("/accounts/login/", {"login": "ana", "password": PASSWORD}, follow=True)
    assert is_signed_in(browser) is may
    assert answer.request["PATH_INFO"] == ("/" if may else "/accounts/email/sent/")
    assert len(mail.outbox) == has_address
