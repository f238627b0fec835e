"""A new password ends tokens and other sessions, in whatever way it is set."""

import getpass
from collections.abc import Callable

import pytest
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.core.management import call_command
from django.http import HttpRequest
from django.test import Client
from pytest_django import Settings

from socialcode.accounts.models import ApiToken
from socialcode.accounts.sessions import SessionStore, users_of_sessions
from socialcode.accounts.tokens import create_token, user_of_token
from tests.socialcode.accounts.conftest import PASSWORD
from tests.support.works import account

NEW = "quite another password"


def by_form(user: User) -> None:
    form = SetPasswordForm(user, {"new_password1": NEW, "new_password2": NEW})
    assert form.is_valid()
    form.save()


def by_staff(user: User) -> None:
    staff = Client()
    staff.force_login(User.objects.create_superuser("sam"))
    form = {"password1": NEW, "password2": NEW, "usable_password": "true"}
    assert staff.post(f"/staff/auth/user/{user.pk}/password/", form).status_code == 302


def by_command(user: User) -> None:
    call_command("changepassword", user.get_username())


def by_none_at_all(user: User) -> None:
    user.set_unusable_password()
    user.save(update_fields=["password"])


def by_hash(user: User) -> None:
    user.password = make_password(NEW)
    user.save()


def by_query(user: User) -> None:
    User.objects.filter(pk=user.pk).update(password=make_password(NEW))


def by_form_with_the_same(user: User) -> None:
    user.set_password(PASSWORD)
    user.save()


@pytest.mark.parametrize(
    "change",
    [by_form, by_staff, by_command, by_none_at_all, by_hash, by_query, by_form_with_the_same],
)
def test_tokens_and_sessions_end(
    change: Callable[[User], None],
    ana: User,
    browser: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(getpass, "getpass", lambda prompt: NEW)
    browser.force_login(ana)
    key = str(browser.session.session_key)
    text, of_otto = create_token(user=ana)[1], create_token(user=account("otto"))[1]
    before = User.objects.get(pk=ana.pk)
    change(User.objects.get(pk=ana.pk))
    assert user_of_token(text) is None
    assert users_of_sessions([key]) == {}
    assert browser.get("/drafts/").status_code == 302
    assert ApiToken.objects.filter(user=ana).exists() == (change is by_query)
    # Whoever knew the former password and was quick has nothing either.
    assert user_of_token(create_token(user=before)[1]) is None
    assert user_of_token(create_token(user=User.objects.get(pk=ana.pk))[1]) == ana
    assert user_of_token(of_otto) is not None


def test_the_session_in_which_it_is_changed_stays(ana: User, browser: Client) -> None:
    browser.force_login(ana)
    request = HttpRequest()
    request.session = SessionStore(browser.session.session_key)
    request.user = ana
    by_form(ana)
    update_session_auth_hash(request, ana)
    request.session.save()
    assert users_of_sessions([str(request.session.session_key)]) != {}


def renew_hash(user: User) -> None:
    assert user.check_password(PASSWORD)
    assert user.password.startswith("pbkdf2_")


def rename(user: User) -> None:
    user.username = "anna"
    user.save()


def write_last_login(user: User) -> None:
    Client().force_login(user)


@pytest.mark.parametrize("change", [renew_hash, rename, write_last_login])
def test_other_changes_keep_tokens(
    change: Callable[[User], None], ana: User, settings: Settings
) -> None:
    text = create_token(user=ana)[1]
    dead = create_token(user=User(pk=ana.pk, password="former"))[1]
    pbkdf2 = "django.contrib.auth.hashers.PBKDF2PasswordHasher"
    settings.PASSWORD_HASHERS = [pbkdf2, *settings.PASSWORD_HASHERS]
    change(User.objects.get(pk=ana.pk))
    assert user_of_token(text) == ana
    assert user_of_token(dead) is None
