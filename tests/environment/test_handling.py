"""Requests: handled in one thread, not taken to and fro between it and the event loop."""

from typing import Any

import pytest
from asgiref.sync import SyncToAsync
from asgiref.testing import ApplicationCommunicator

from socialcode.asgi import application

_Communicator: Any = ApplicationCommunicator  # has no types
# The signal that a request begins, what secures it before and after, all the rest, its end.
MOST_CALLS = 5


@pytest.mark.django_db
async def test_a_request_goes_to_a_thread_for_all_of_its_middlewares_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[object] = []
    call = SyncToAsync.__call__

    async def count(self: Any, *given: Any, **named: Any) -> Any:
        calls.append(self.func)
        return await call(self, *given, **named)

    monkeypatch.setattr(SyncToAsync, "__call__", count)
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/accounts/login/",
        "query_string": b"",
        "headers": [(b"host", b"localhost")],
    }
    page: Any = _Communicator(application, scope)
    await page.send_input({"type": "http.request", "body": b""})
    start = await page.receive_output()
    assert start["status"] == 200
    body = await page.receive_output()
    assert b"Sign in" in body["body"]
    await page.wait()
    assert 0 < len(calls) <= MOST_CALLS
