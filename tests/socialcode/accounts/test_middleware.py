"""Who is signed in comes with the session, in one query, and is whom Django sees."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.conf import settings as django_settings
from django.contrib import auth
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from socialcode.accounts.middleware import SessionUserMiddleware
from socialcode.accounts.sessions import Session, SessionStore
from tests.support.works import account

pytestmark = pytest.mark.django_db


@pytest.fixture
def mira() -> Client:
    """A browser in which somebody is signed in."""
    client = Client()
    client.force_login(account("mira"))
    return client


def asking(client: Client) -> HttpRequest:
    """Return what the browser asks, as the views see it."""
    request = HttpRequest()
    key = client.cookies[django_settings.SESSION_COOKIE_NAME].value
    request.session = SessionStore(key)
    SessionUserMiddleware(lambda _: None).process_request(request)  # type: ignore[arg-type]
    return request


def say(client: Client, **said: str) -> None:
    session = client.session
    session.update(said)
    session.save()


def test_it_is_one_query(mira: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    request = asking(mira)
    with django_assert_num_queries(1):
        assert request.user.get_username() == "mira"
    assert isinstance(request.user, User)
    assert request.user.date_joined.tzinfo is not None
    with django_assert_num_queries(0):
        assert request.user.is_active
        assert request.session[SESSION_KEY] == str(request.user.pk)


def change_password(_: Client) -> None:
    User.objects.update(password="another")


def suspend(_: Client) -> None:
    User.objects.update(is_active=False)


def delete(_: Client) -> None:
    User.objects.all().delete()


def expire(_: Client) -> None:
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))


def forge(_: Client) -> None:
    Session.objects.update(session_data="forged")


def give_to_another(_: Client) -> None:
    Session.objects.update(user_id=account("otto").pk)


def forget_whose(_: Client) -> None:
    Session.objects.update(user_id=None)


@pytest.mark.parametrize(
    "happen",
    [
        *(change_password, suspend, delete, expire, forge, give_to_another, forget_whose),
        lambda client: say(client, **{HASH_SESSION_KEY: ""}),
        lambda client: say(client, **{HASH_SESSION_KEY: "other"}),
        lambda client: say(client, **{BACKEND_SESSION_KEY: "nobody.knows"}),
    ],
)
def test_whatever_has_happened_it_is_whom_django_sees(
    mira: Client, happen: Callable[[Client], None]
) -> None:
    happen(mira)
    rows = list(Session.objects.values())
    seen = asking(mira)
    ours = seen.user.get_username(), dict(seen.session.items())
    Session.objects.all().delete()
    Session.objects.bulk_create(Session(**row) for row in rows)
    request = HttpRequest()
    request.session = asking(mira).session
    assert ours == (auth.get_user(request).get_username(), dict(request.session.items()))


def test_a_session_of_the_former_secret_is_signed_anew(mira: Client, settings: Settings) -> None:
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "after", [django_settings.SECRET_KEY]
    request = asking(mira)
    assert isinstance(request.user, User)
    assert request.session[HASH_SESSION_KEY] == request.user.get_session_auth_hash()


@pytest.mark.parametrize("key", ['"\\000aaaaaaaaaaa"', '"\\303\\251aaaaaaaaaa"', "a" * 5_000])
def test_what_can_be_no_session_is_nobodys(key: str) -> None:
    browser = Client(headers={"Cookie": f"{django_settings.SESSION_COOKIE_NAME}={key}"})
    answer = browser.get("/")
    assert answer.status_code == 200
    assert not answer.context["user"].is_authenticated
