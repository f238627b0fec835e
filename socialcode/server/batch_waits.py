"""`GET /api/v1/batches/<id>/?wait=30`: answered when the batch has ended, or after so long."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

from runner.calls import Busy
from runner.calls.places import Places
from runner.sockets.batch_watch import batch_watch
from runner.sockets.networks import network_of
from socialcode.server.access_log import user_of
from socialcode.server.request_handler import refuse

PATH = re.compile(r"/api/v1/batches/([0-9]{1,18})/")
MOST_SECONDS = 30
# At once, in each process; a request that waits costs some kilobytes.
MOST_WAITING = 1_000
MOST_WAITING_PER_USER = 20
READABLE = (HTTPStatus.OK, HTTPStatus.NOT_MODIFIED)
TOO_MANY = ("too_many_requests", "You wait for as many batches at once as one may.")
FULL = ("busy", "Too many requests wait for batches. Try again in a few seconds.")

Receive = Callable[[], Awaitable[Any]]


class BatchWaits:
    """An ASGI application that repeats a request for a batch when that has ended.

    The first answer tells whether the client may read the batch, the second one is sent. In
    between, the request holds neither a thread nor a database connection.
    """

    def __init__(self, application: Any) -> None:
        self._application = application
        self._places = Places(MOST_WAITING, MOST_WAITING_PER_USER)

    async def __call__(self, scope: Any, receive: Receive, send: Any) -> None:
        """Handle a request."""
        batch_id, seconds = read_wait(scope)
        if not seconds:
            await self._application(scope, receive, send)
            return
        first: list[Any] = []

        async def keep(message: Any) -> None:
            first.append(message)

        await self._application(scope, receive, keep)
        if not first or first[0]["status"] not in READABLE:
            for message in first:
                await send(message)
            return
        try:
            with self._places.one(_owner_of(scope)):
                is_there = await _wait(scope, receive, batch_id, seconds)
        except Busy as busy:
            status = HTTPStatus.TOO_MANY_REQUESTS if busy.own else HTTPStatus.SERVICE_UNAVAILABLE
            await refuse(scope, send, status, TOO_MANY if busy.own else FULL)
            return
        if is_there:
            await self._application(scope, _Repeated(receive), send)


class _Repeated:
    """Receives an empty body, then what the client sends."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._is_begun = False

    async def __call__(self) -> Any:
        if self._is_begun:
            return await self._receive()
        self._is_begun = True
        return {"type": "http.request", "body": b"", "more_body": False}


def read_wait(scope: Any) -> tuple[int, int]:
    """Return the batch and the seconds to wait; 0 seconds if the request is another."""
    path = PATH.fullmatch(scope["path"])
    if path is None or scope["method"] != "GET":
        return 0, 0
    found = parse_qs(scope["query_string"].decode("latin1")).get("wait", [""])[-1]
    seconds = int(found) if re.fullmatch(r"[0-9]{1,2}", found) else 0
    return int(path[1]), seconds if seconds <= MOST_SECONDS else 0


async def _wait(scope: Any, receive: Receive, batch_id: int, seconds: int) -> bool:
    """Wait; return whether the client is still there."""
    began = time.monotonic()
    ended = asyncio.ensure_future(batch_watch().wait(batch_id, seconds))
    leaving = asyncio.ensure_future(_disconnection(receive))
    try:
        await asyncio.wait([ended, leaving], return_when=asyncio.FIRST_COMPLETED)
        return not leaving.done()
    finally:
        ended.cancel()
        leaving.cancel()
        await asyncio.gather(ended, leaving, return_exceptions=True)
        scope["waited_seconds"] = time.monotonic() - began  # for the access log


async def _disconnection(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _owner_of(scope: Any) -> str:
    user = user_of(scope.get("request"))
    client = scope.get("client")
    return f"user {user}" if user else network_of(client[0] if client else "")
