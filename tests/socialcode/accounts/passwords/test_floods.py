"""Floods of sign-ins and sign-ups at a running site: each is answered, others go on reading."""

import http.client
import secrets
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User

from tests.patience import PATIENCE_SECONDS
from tests.support.site import Site

FLOOD = 60
VISITORS = 4
HASHERS = "socialcode.accounts.hashers.ScryptHasher,socialcode.accounts.hashers.PBKDF2Hasher"
PASSWORD = "correct horse battery"


@pytest.fixture
def guarded_site(transactional_db: None, site_processes: Site) -> Iterator[Site]:
    """Serve the site as in production: it hashes as slowly, and counts."""
    limits = {"SOCIALCODE_RATE_LIMITS": "1", "SOCIALCODE_PASSWORD_HASHERS": HASHERS}
    site = Site(site_processes.folder, {**site_processes.environment, **limits})
    try:
        site.start_web()
        yield site
    finally:
        site.stop()


def answer(site: Site, path: str, form: dict[str, str] | None = None) -> int:
    """Return the status of a page, or of a form that is sent with a CSRF token."""
    token = secrets.token_hex(16)
    headers = {"Cookie": f"csrftoken={token}", "Content-Type": "application/x-www-form-urlencoded"}
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=4 * PATIENCE_SECONDS)
    try:
        if form is None:
            connection.request("GET", path)
        else:
            connection.request(
                "POST", path, urlencode({**form, "csrfmiddlewaretoken": token}), headers
            )
        response = connection.getresponse()
        response.read()
        if response.status == http.HTTPStatus.TOO_MANY_REQUESTS:
            assert int(response.headers["Retry-After"]) >= 1
        return response.status
    finally:
        connection.close()


def flood(
    site: Site, path: str, form_of: Callable[[int], dict[str, str]]
) -> tuple[Counter[int], Counter[int]]:
    """Send sixty forms at once; return what they, and meanwhile visitors, were answered."""
    begin, over = threading.Barrier(FLOOD), threading.Event()
    seen: Counter[int] = Counter()

    def send(number: int) -> int:
        begin.wait()
        return answer(site, path, form_of(number))

    def visit() -> None:
        while not over.is_set():
            seen[answer(site, "/accounts/login/")] += 1
            seen[answer(site, "/people/ana/")] += 1

    with ThreadPoolExecutor(FLOOD + VISITORS) as threads:
        visiting = [threads.submit(visit) for _ in range(VISITORS)]
        try:
            sent = Counter(threads.map(send, range(FLOOD)))
        finally:
            over.set()
        for visitor in visiting:
            visitor.result()
    return sent, seen


@pytest.mark.parametrize(
    ("path", "form_of", "fine"),
    [
        (
            "/accounts/login/",
            lambda number: {"username": f"nobody{number}", "password": "guess"},
            200,
        ),
        (
            "/accounts/signup/",
            lambda number: {
                "username": f"somebody{number}",
                "password1": PASSWORD,
                "password2": PASSWORD,
            },
            302,
        ),
    ],
    ids=["sign-ins", "sign-ups"],
)
def test_sixty_at_once_are_each_answered_and_visitors_notice_nothing(
    guarded_site: Site, path: str, form_of: Callable[[int], dict[str, str]], fine: int
) -> None:
    User.objects.create_user("ana")
    sent, seen = flood(guarded_site, path, form_of)
    assert sent.total() == FLOOD
    assert set(sent) == {fine, 429}, guarded_site.logs()
    assert set(seen) == {200}
