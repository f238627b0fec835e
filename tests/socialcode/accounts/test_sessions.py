"""Who is signed in by a session is asked for many at once, and is what Django says of each."""

from datetime import timedelta

import pytest
from django.conf import settings as django_settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from runner.sockets.cookies import session_key_of
from socialcode.accounts.sessions import Session, SessionStore, users_of_sessions
from tests.support.works import account

pytestmark = pytest.mark.django_db
COOKIE = django_settings.SESSION_COOKIE_NAME


def session_of(username: str, **said: str) -> str:
    """Sign this user in, to a session that says this besides; return its key."""
    client = Client()
    client.force_login(account(username))
    session = client.session
    session.update(said)
    session.save()
    assert session.session_key is not None
    return session.session_key


def whom_django_sees(key: str) -> User | None:
    request = HttpRequest()
    request.session = SessionStore(key)
    user = get_user(request)
    return user if isinstance(user, User) else None


def test_a_crowd_is_identified_in_one_query_as_django_would_identify_each(
    settings: Settings, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "before", []
    earlier = session_of("before-the-key-was-changed")
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "after", ["before"]
    good = [earlier, *(session_of(f"reader{number}") for number in range(10))]
    bad = [
        session_of("suspended"),
        session_of("new-password"),
        session_of("deleted"),
        session_of("expired"),
        session_of("forged"),
        session_of("other-hash", **{HASH_SESSION_KEY: "x"}),
        session_of("no-hash", **{HASH_SESSION_KEY: ""}),
        session_of("other-backend", **{BACKEND_SESSION_KEY: "nobody.knows"}),
    ]
    User.objects.filter(username="suspended").update(is_active=False)
    User.objects.filter(username="new-password").update(password="another")
    User.objects.filter(username="deleted").delete()
    past = timezone.now() - timedelta(seconds=1)
    Session.objects.filter(pk=bad[3]).update(expire_date=past)
    forged = SessionStore().encode({SESSION_KEY: "1"}) + "x"
    Session.objects.filter(pk=bad[4]).update(session_data=forged)
    nobody = SessionStore()
    nobody.create()
    keys = [*good, *bad, str(nobody.session_key), "unknown"]
    with django_assert_num_queries(1):
        found = users_of_sessions(keys)
    assert {user.get_username() for user in found.values()} == {
        "before-the-key-was-changed",
        *(f"reader{number}" for number in range(10)),
    }
    assert {key: found.get(key) for key in keys} == {key: whom_django_sees(key) for key in keys}


@pytest.mark.parametrize(
    ("cookie", "key"),
    [
        (f"a=b; {COOKIE}=abc123; c=d", "abc123"),
        (f'{COOKIE}="abc\\000"', ""),  # PostgreSQL would refuse it, and all that is asked with it
        (f"{COOKIE}=\xe4", ""),
        (f"{COOKIE}=", ""),
        ("other=abc123", ""),
    ],
)
def test_only_what_may_be_a_sessions_key_is_taken_for_one(cookie: str, key: str) -> None:
    headers = [(b"host", b"localhost"), (b"cookie", cookie.encode("latin-1"))]
    assert session_key_of(headers) == key
    assert session_key_of(headers[:1]) == ""
