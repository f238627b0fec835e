"""What browser tests share: people who are signed in, and waiting for what a page shows."""

from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from tests.patience import PATIENCE_SECONDS
from tests.support.browser.topic_page import follow, site  # noqa: F401 - fixtures
from tests.support.proofs import prove
from tests.support.site import Site
from tests.support.works import account

# What a page may say in its console: what a test asks for on purpose.
EXPECTED = ("the server responded with a status of 4", "net::ERR_", "WebSocket connection to")
# After so long the list of runs looks for newer ones; a page's clock can be put forward.
LOOKS_FOR_NEWER_MS = 10_000

SignIn = Callable[..., Page]

expect.set_options(timeout=PATIENCE_SECONDS * 1_000)


@pytest.fixture
def as_person(
    live_site: Site, browser: Browser, browser_context_args: dict[str, object]
) -> Iterator[SignIn]:
    """Give `as_person(name)`: a page of a browser in which that person is signed in.

    Afterwards no page may have complained in its console.
    """
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def note(message: ConsoleMessage) -> None:
        expected = any(words in message.text for words in EXPECTED)
        if message.type == "error" and not expected:
            complaints.append(message.text)

    def open_page(name: str = "", **options: object) -> Page:
        context = browser.new_context(**{**browser_context_args, **options})  # type: ignore[arg-type]
        contexts.append(context)
        context.set_default_timeout(PATIENCE_SECONDS * 1_000)
        if name:
            context.add_cookies([session_cookie(account(name), live_site)])  # type: ignore[list-item]
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", note)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def session_cookie(user: User, live: Site) -> dict[str, str]:
    client = Client()
    client.force_login(user)
    prove(client)
    value = client.cookies[settings.SESSION_COOKIE_NAME].value
    return {"name": settings.SESSION_COOKIE_NAME, "value": value, "url": live.url}
