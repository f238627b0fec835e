"""Requests: handled in a thread that lasts, in one go."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from asgiref.sync import SyncToAsync
from asgiref.testing import ApplicationCommunicator
from django.core.signals import request_started

from socialcode.asgi import application
from tests.patience import PATIENCE_SECONDS

_Communicator: Any = ApplicationCommunicator  # has no types
BODY = {"type": "http.request", "body": b""}


def request(
    path: str = "/accounts/login/", method: str = "GET", application: Any = application
) -> Any:
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": [(b"host", b"localhost")],
    }
    return _Communicator(application, scope)


async def answered(page: Any) -> tuple[int, bytes]:
    await page.send_input(BODY)
    start = await page.receive_output(PATIENCE_SECONDS)
    body = await page.receive_output(PATIENCE_SECONDS)
    await page.wait()
    return start["status"], body["body"]


@contextmanager
def at_each_start(act: Any) -> Iterator[None]:
    """Have this done in the thread of each request, before anything else."""
    request_started.connect(act, weak=False)
    try:
        yield
    finally:
        request_started.disconnect(act)


@pytest.mark.django_db
async def test_a_request_goes_to_a_thread_once_and_the_next_one_to_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[object] = []
    threads: list[int] = []
    call = SyncToAsync.__call__

    async def count(self: Any, *given: Any, **named: Any) -> Any:
        calls.append(self.func)
        return await call(self, *given, **named)

    monkeypatch.setattr(SyncToAsync, "__call__", count)
    with at_each_start(lambda **_: threads.append(threading.get_ident())):
        for _ in range(2):
            status, body = await answered(request())
            assert status == 200
            assert b"Sign in" in body
    assert len(calls) == 2
    assert len(set(threads)) == 1
    assert threading.get_ident() not in threads


@pytest.mark.django_db
async def test_a_thread_that_a_client_has_left_at_work_gets_no_other_request() -> None:
    is_at_work, may_end = threading.Event(), threading.Event()
    starts = iter([True])

    def work(**_: Any) -> None:
        if next(starts, False):
            is_at_work.set()
            may_end.wait(PATIENCE_SECONDS)

    with at_each_start(work):
        left = request()
        await left.send_input(BODY)
        await asyncio.to_thread(is_at_work.wait, PATIENCE_SECONDS)
        await left.send_input({"type": "http.disconnect"})
        try:
            assert (await answered(request()))[0] == 200
            assert not may_end.is_set()
        finally:
            may_end.set()
        await left.wait()


async def test_static_files_are_answered_with_what_protects_pages_and_only_to_readers() -> None:
    path = "/static/js/home-page.js"
    page = request(path)
    await page.send_input(BODY)
    start = await page.receive_output(PATIENCE_SECONDS)
    headers = dict(start["headers"])
    body = await page.receive_output(PATIENCE_SECONDS)
    assert start["status"] == 200
    assert int(headers[b"Content-Length"]) == len(body["body"]) > 0
    assert headers[b"Content-Type"].startswith(b"text/javascript")
    assert headers[b"X-Content-Type-Options"] == b"nosniff"
    assert (await answered(request(path, "HEAD")))[1] == b""
    assert (await answered(request(path, "POST")))[0] == 405
