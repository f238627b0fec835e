"""Each request has an id and one line in the log, with what operators need and no secrets."""

import asyncio
import logging
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from runner.telemetry.counters import counters
from runner.telemetry.request_ids import current_request_id
from socialcode.asgi import application
from socialcode.server.access_log import HIDDEN, AccessLog, path_without_secrets
from tests.patience import PATIENCE_SECONDS

_Communicator: Any = ApplicationCommunicator  # has no types
LETS_IN = {"token", "key", "uidb36", "uidb64", "signature"}
# The key of a result is a digest of programs.
HARMLESS = ("/results/", "/staff/", "/django-rq/")
OUR_ID = 16


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Any:
    """Return what the access log has written, as fields."""
    name = "socialcode.server.access_log"
    caplog.set_level(logging.INFO, name)
    return lambda: [record.msg for record in caplog.records if record.name == name]


async def ask(
    path: str,
    *headers: tuple[bytes, bytes],
    query: bytes = b"q=a-secret",
    host: bytes = b"localhost",
    address: str = "192.0.2.1",
) -> tuple[dict[str, Any], bytes]:
    """Return the start of the answer and its body."""
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": query,
        "headers": [(b"host", host), *headers],
        "client": (address, 4711),
    }
    page = _Communicator(application, scope)
    await page.send_input({"type": "http.request", "body": b""})
    start = await page.receive_output(PATIENCE_SECONDS)
    body = await page.receive_output(PATIENCE_SECONDS)
    await page.wait()
    return start, body["body"]


def id_of(start: dict[str, Any]) -> str:
    return str(dict(start["headers"])[b"X-Request-ID"].decode())


@pytest.mark.django_db(transaction=True)
def test_a_request_is_one_line_with_what_operators_need(lines: Any, client: Client) -> None:
    user = User.objects.create(username="mira")
    client.force_login(user)
    cookie = "; ".join(f"{name}={value.value}" for name, value in client.cookies.items())
    start, body = asyncio.run(ask("/accounts/tokens/", (b"cookie", cookie.encode())))
    (line,) = lines()
    assert len(id_of(start)) == OUR_ID
    assert line.pop("milliseconds") > 0
    assert {name: line[name] for name in line if name not in ("timestamp", "level", "logger")} == {
        "event": "request",
        "request_id": id_of(start),
        "method": "GET",
        "path": "/accounts/tokens/",
        "route": "accounts/tokens/",
        "status": 200,
        "bytes": len(body),
        "user": user.pk,
        "address": "192.0.2.1",
    }


@pytest.mark.parametrize(
    ("address", "given", "is_taken"),
    [
        ("127.0.0.1", b"0f0f0f0f0f0f0f0f", True),
        ("192.0.2.1", b"0f0f0f0f0f0f0f0f", False),
        ("127.0.0.1", b"short", False),
        ("127.0.0.1", b"a line\nforged", False),
        ("127.0.0.1", b"x" * 65, False),
    ],
)
async def test_only_a_trusted_proxy_chooses_an_id(
    address: str, given: bytes, is_taken: bool, settings: LazySettings
) -> None:
    settings.BEHIND_PROXY = True
    start, _ = await ask("/healthz", (b"x-request-id", given), address=address)
    assert (id_of(start) == given.decode()) is is_taken


@pytest.mark.parametrize("path", ["/", "/api/v1/functions/"])
async def test_a_failure_is_shown_with_the_id_that_the_log_has(
    path: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    said: list[str] = []

    def fail(**_: object) -> None:
        said.append(current_request_id())
        raise RuntimeError("broken")

    monkeypatch.setattr("functions.views.browse.browse", fail)
    monkeypatch.setattr(sys.modules["functions.api.functions"], "browse", fail)
    start, body = await ask(path)
    assert start["status"] == 500
    assert said == [id_of(start)]
    assert id_of(start).encode() in body
    (traceback,) = [record for record in caplog.records if record.exc_info]
    assert traceback.getMessage() == "request failed"


async def test_a_client_that_left_and_a_failure_without_an_answer_are_counted() -> None:
    async def leave(_scope: Any, _receive: Any, _send: Any) -> None:
        """Answer nothing."""

    async def fail(_scope: Any, _receive: Any, _send: Any) -> None:
        raise RuntimeError("broken")

    scope: Any = {"type": "http", "method": "GET", "path": "/left/", "headers": [], "client": None}
    before = counters.read()
    await AccessLog(leave)(scope, None, None)
    with pytest.raises(RuntimeError):
        await AccessLog(fail)(scope, None, None)
    after = counters.read()
    for status in (499, 500):
        series = ("requests", f"pages {status}")
        assert after[series] - before.get(series, 0) == 1
    assert after["request_seconds", "pages 0.005"] >= 2


def routes(resolver: URLResolver, before: str = "/") -> Iterator[tuple[str, set[str]]]:
    """Return all routes with the names of their parameters."""
    for pattern in resolver.url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern, route)
        elif isinstance(pattern, URLPattern):
            yield route, set(pattern.pattern.converters) | set(pattern.pattern.regex.groupindex)


def test_whatever_lets_people_in_is_kept_out_of_the_log() -> None:
    letting_in = [
        route
        for route, parameters in routes(get_resolver())
        if parameters & LETS_IN and not any(part in route for part in HARMLESS)
    ]
    assert letting_in
    assert [path for path in letting_in if not path_without_secrets(path).endswith(HIDDEN)] == []
