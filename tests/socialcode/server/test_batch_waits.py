"""Requests that wait for a batch: until its end, at no cost, and only who may read it."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.contrib.auth.models import User
from django.db import connection

from runner.calls.places import Places
from runner.models import Batch
from runner.sockets import batch_watch as watch
from runner.states import BatchState
from socialcode.accounts.tokens import create_token
from socialcode.asgi import pages
from socialcode.server.batch_waits import BatchWaits, read_wait
from socialcode.server.concurrency_limit import MOST_HANDLED
from tests.patience import PATIENCE_SECONDS
from tests.support import builders as make

pytestmark = pytest.mark.django_db(transaction=True)
_Communicator: Any = ApplicationCommunicator  # has no types


@pytest.fixture(autouse=True)
def _polled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have ends be found soon, as there need be no channel layer."""
    monkeypatch.setattr(watch, "POLL_SECONDS", 0.2)


@pytest.fixture
def batch() -> Batch:
    return make.batch("function:1", make.execution(verdict="", state=0))


@pytest.fixture
def site() -> BatchWaits:
    return BatchWaits(pages)


def request(site: BatchWaits, batch: Batch, wait: object, user: User | None = None) -> Any:
    headers = [(b"host", b"localhost")]
    if user:
        headers.append((b"authorization", f"Bearer {create_token(user=user)[1]}".encode()))
    scope = {
        "type": "http",
        "method": "GET",
        "path": f"/api/v1/batches/{batch.pk}/",
        "query_string": f"wait={wait}".encode(),
        "headers": headers,
        "client": ("192.0.2.1", 4),
    }
    return _Communicator(site, scope)


async def answer(page: Any) -> tuple[int, dict[str, Any]]:
    start = await page.receive_output(PATIENCE_SECONDS)
    body = await page.receive_output(PATIENCE_SECONDS)
    return start["status"], json.loads(body["body"])


async def asked(page: Any) -> Any:
    await page.send_input({"type": "http.request", "body": b""})
    return page


async def in_thread(act: Callable[..., Any], *given: Any) -> Any:
    """Do this in a thread, over a database connection of its own."""

    def do() -> Any:
        try:
            return act(*given)
        finally:
            connection.close()

    return await asyncio.to_thread(do)


def play(act: Callable[[], Awaitable[Any]]) -> Any:
    return asyncio.run(act())  # type: ignore[arg-type]  # a coroutine


def end(batch: Batch) -> None:
    Batch.objects.filter(pk=batch.pk).update(
        state=BatchState.COMPLETE, finished_at=datetime.now(UTC)
    )


def test_the_answer_comes_with_the_end_and_nothing_is_held_until_then(
    site: BatchWaits, batch: Batch
) -> None:
    async def act() -> tuple[int, dict[str, Any]]:
        page = await asked(request(site, batch, 30))
        assert await page.receive_nothing(1.0)
        assert pages._limit._free == MOST_HANDLED
        await in_thread(end, batch)
        return await answer(page)

    began = time.monotonic()
    status, body = play(act)
    assert (status, body["state"]) == (200, "complete")
    assert time.monotonic() - began < 20


def test_it_comes_after_so_many_seconds_at_the_latest(site: BatchWaits, batch: Batch) -> None:
    began = time.monotonic()
    status, body = play(lambda: _ask(site, batch, 1))
    assert (status, body["state"]) == (200, "open")
    assert time.monotonic() - began >= 1


async def _ask(
    site: BatchWaits, batch: Batch, wait: object, user: User | None = None
) -> tuple[int, dict[str, Any]]:
    return await answer(await asked(await in_thread(request, site, batch, wait, user)))


@pytest.mark.parametrize(("wait", "status"), [("31", 400), ("-1", 400), ("x", 400), ("0", 200)])
def test_a_wrong_time_is_refused_and_none_is_none(
    site: BatchWaits, batch: Batch, wait: str, status: int
) -> None:
    assert play(lambda: _ask(site, batch, wait))[0] == status


def test_nobody_waits_for_what_they_may_not_read(site: BatchWaits, batch: Batch) -> None:
    mira = make.user("mira")
    Batch.objects.filter(pk=batch.pk).update(private=True, owner=mira)
    began = time.monotonic()
    assert play(lambda: _ask(site, batch, 30))[0] == 404
    assert play(lambda: _ask(site, batch, 30, make.user("otto")))[0] == 404
    assert time.monotonic() - began < 20
    assert play(lambda: _ask(site, batch, 1, mira))[0] == 200


def test_a_user_waits_for_a_few_at_once_and_leaves_a_place_by_leaving(
    site: BatchWaits, batch: Batch
) -> None:
    site._places = Places(10, 1)
    mira, otto = make.user("mira"), make.user("otto")

    async def act() -> list[int]:
        first = await asked(await in_thread(request, site, batch, 30, mira))
        assert await first.receive_nothing(0.5)
        refused, _ = await _ask(site, batch, 30, mira)
        other, _ = await _ask(site, batch, 1, otto)
        await first.send_input({"type": "http.disconnect"})
        await first.wait()
        again, _ = await _ask(site, batch, 1, mira)
        return [refused, other, again]

    assert play(act) == [429, 200, 200]


def test_when_the_process_stops_all_are_answered(site: BatchWaits, batch: Batch) -> None:
    async def act() -> tuple[int, dict[str, Any]]:
        page = await asked(request(site, batch, 30))
        assert await page.receive_nothing(0.5)
        watch.batch_watch().stop()
        return await answer(page)

    began = time.monotonic()
    assert play(act)[1]["state"] == "open"
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    ("method", "path", "query", "found"),
    [
        ("GET", "/api/v1/batches/12/", b"wait=30", (12, 30)),
        ("GET", "/api/v1/batches/12/", b"", (12, 0)),
        ("GET", "/api/v1/batches/12/", b"wait=99", (12, 0)),
        ("POST", "/api/v1/batches/12/cancel/", b"wait=30", (0, 0)),
        ("HEAD", "/api/v1/batches/12/", b"wait=30", (0, 0)),
        ("GET", "/api/v1/batches/", b"wait=30", (0, 0)),
    ],
)
def test_only_a_read_of_one_batch_can_wait(
    method: str, path: str, query: bytes, found: tuple[int, int]
) -> None:
    assert read_wait({"method": method, "path": path, "query_string": query}) == found
