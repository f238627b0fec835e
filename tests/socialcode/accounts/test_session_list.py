"""The list of one's sessions, and their end."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from socialcode.accounts.session_list.user_agents import browser_of
from socialcode.accounts.sessions import Session
from tests.socialcode.accounts.conftest import PASSWORD

PAGE = "/accounts/sessions/"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
EDGE = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1"


def signed_in(user_agent: str, address: str = "198.51.100.7") -> Client:
    browser = Client(HTTP_USER_AGENT=user_agent, REMOTE_ADDR=address)
    browser.post("/accounts/login/", {"login": "ana", "password": PASSWORD})
    return browser


def is_in(browser: Client) -> bool:
    return browser.get(PAGE).status_code == 200


def test_all_sessions_are_listed_with_browser_and_address(ana: User) -> None:
    signed_in(FIREFOX)
    page = signed_in(EDGE, "203.0.113.9").get(PAGE).content.decode()
    for shown in ("Firefox, Linux", "198.51.100.7", "Edge, Windows", "203.0.113.9"):
        assert shown in page
    assert page.count("this browser") == 1
    assert not any(session.session_key in page for session in Session.objects.all())


def test_one_session_is_ended_or_all_others(ana: User) -> None:
    own, *others = [signed_in(FIREFOX) for _ in range(4)]
    first = Session.objects.get(session_key=others[0].session.session_key)
    own.post("/accounts/sessions/end/", {"session": first.name})
    assert [is_in(one) for one in (own, *others)] == [True, False, True, True]
    own.post("/accounts/sessions/end/")
    assert [is_in(one) for one in (own, *others)] == [True, False, False, False]


def test_nobody_ends_a_session_of_somebody_else(ana: User) -> None:
    browser, stranger = signed_in(FIREFOX), Client()
    stranger.force_login(User.objects.create_user("otto"))
    (session,) = Session.objects.filter(user_id=ana.pk)
    stranger.post("/accounts/sessions/end/", {"session": session.name})
    stranger.post("/accounts/sessions/end/")
    assert is_in(browser)


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (FIREFOX, "Firefox, Linux"),
        (EDGE, "Edge, Windows"),
        (IPHONE, "Safari, iOS"),
        ("curl/8", "curl/8"),
        ("", ""),
    ],
)
def test_browsers_are_called_by_their_names(user_agent: str, name: str) -> None:
    assert browser_of(user_agent) == name
