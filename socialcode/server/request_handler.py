"""Handles each request in one thread, with middlewares and view in a single call."""

import asyncio
import contextlib
import gc
import json
import tempfile
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from http import HTTPStatus
from os import SEEK_END
from typing import IO, Any, cast

import django
from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.conf import settings
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from runner.sockets.networks import network_of
from socialcode.server.concurrency_limit import ConcurrencyLimit, weight_of

# More of a body is kept in a file, because requests that wait keep theirs.
MOST_BODY_BYTES_IN_MEMORY = 64 * 1024
# Of a body that is too large, because clients see the answer only after they have sent it.
MOST_BODY_BYTES_READ = 64 * 1024 * 1024
# Codes of the API, and sentences.
TOO_LARGE = ("too_large", "The request is too large.")
BUSY = (
    "busy",
    "The site is very busy. Try again in a few seconds; reloading the page sends it again.",
)
RETRY_SECONDS = b"5"


class _PageThread(ThreadPoolExecutor):
    """A thread for one request at a time, reused with its per-thread state."""

    def __init__(self) -> None:
        super().__init__(1, "page")
        self._when_done: Callable[[], object] | None = None

    def call_when_done(self, act: Callable[[], object]) -> None:
        """Call this on the running loop when the next work has ended, or was not begun."""
        loop = asyncio.get_running_loop()
        self._when_done = lambda: loop.call_soon_threadsafe(act)

    def submit(self, *work: Any, **named: Any) -> Future[Any]:
        """Submit work."""
        future = super().submit(*work, **named)
        if act := self._when_done:
            self._when_done = None
            future.add_done_callback(lambda _: _call(act))
        return future


def _call(act: Callable[[], object]) -> None:
    with contextlib.suppress(RuntimeError):  # the loop has closed
        act()


class PageHandler(ASGIHandler):
    """Django's handler without switching between the event loop and threads.

    Views and middlewares are synchronous. Django's own handler starts a thread for each request and
    another to end it, and switches for each hook of each middleware, which took most of the time of
    fast requests. Here threads are reused, with their per-thread state.
    """

    def __init__(self) -> None:
        self._limit = ConcurrencyLimit()
        # A stack: the most recently used thread is used next.
        self._idle: list[_PageThread] = []
        super().__init__()

    def load_middleware(self, is_async: bool = False) -> None:  # noqa: ARG002 - Django's
        super().load_middleware(is_async=False)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Respond, unless the client disconnects."""
        try:
            body = await self._read(receive)
        except RequestAborted:
            return
        if body is None:
            await refuse(scope, send, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, TOO_LARGE)
            return
        tasks = (
            asyncio.create_task(self._answer(scope, body, send)),
            asyncio.create_task(self.listen_for_disconnect(receive)),
        )
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            answered, _ = await asyncio.gather(*tasks, return_exceptions=True)
        if isinstance(answered, Exception):
            raise answered

    async def _read(self, receive: Any) -> IO[bytes] | None:
        """Read the body; None if it is larger than any form or file may be.

        Raises RequestAborted if the client disconnects.
        """
        body = tempfile.SpooledTemporaryFile(MOST_BODY_BYTES_IN_MEMORY)  # noqa: SIM115 - for Django
        most = 2 * settings.DATA_UPLOAD_MAX_MEMORY_SIZE  # Django explains what is a bit too large
        read, is_whole = 0, False
        while not is_whole:
            message = await receive()
            if message["type"] == "http.disconnect":
                body.close()
                raise RequestAborted
            piece = message.get("body", b"")
            read += len(piece)
            if read <= most:
                body.write(piece)
            elif read > MOST_BODY_BYTES_READ:
                break
            is_whole = not message.get("more_body", False)
        if read > most:
            body.close()
            return None
        body.seek(0)
        return cast("IO[bytes]", body)

    async def _answer(self, scope: Any, body: IO[bytes], send: Any) -> None:
        client = scope.get("client")
        weight = weight_of(body.seek(0, SEEK_END))
        body.seek(0)
        if not await self._limit.enter(network_of(client[0]) if client else "", weight):
            body.close()
            await refuse(scope, send, HTTPStatus.SERVICE_UNAVAILABLE, BUSY)
            return
        thread = self._idle.pop() if self._idle else _PageThread()
        thread.call_when_done(lambda: self._limit.leave(weight))
        is_free = False
        try:
            async with ThreadSensitiveContext(executor=thread):
                response = await sync_to_async(self._respond)(scope, body, weight)
                if response.streaming:
                    await self._stream(response, send)
                is_free = True
        finally:
            # After a disconnection the thread may still be busy.
            if is_free:
                self._idle.append(thread)
            else:
                thread.shutdown(wait=False)
        if not response.streaming:
            await self.send_response(response, send)

    async def _stream(self, response: HttpResponseBase, send: Any) -> None:
        try:
            await self.send_response(response, send)
        finally:
            await sync_to_async(response.close)()

    def _respond(self, scope: Any, body: IO[bytes], weight: int) -> HttpResponseBase:
        """Compute the response and release its resources; runs in the thread."""
        if weight > 1:
            # An invalid form is part of a circle of references, with all that was typed.
            gc.collect()
        try:
            set_script_prefix(get_script_prefix(scope))
            signals.request_started.send(sender=type(self), scope=scope)
            request, refusal = self.create_request(scope, body)
            scope["request"] = request  # for the access log
            answer = refusal if request is None else self.get_response(request)
        except BaseException:
            # Send the signal here, because no response will be closed.
            signals.request_finished.send(sender=type(self))
            raise
        response = cast("HttpResponseBase", answer)
        if not response.streaming:
            response.close()
        return response


async def refuse(scope: Any, send: Any, status: HTTPStatus, refusal: tuple[str, str]) -> None:
    """Respond without a thread, and close, as the rest of the request may be unread."""
    code, text = refusal
    kind, body = b"text/plain; charset=utf-8", text
    if scope["path"].startswith("/api/"):
        kind = b"application/problem+json"
        named = {"type": f"/api/v1/docs#{code}", "title": status.phrase, "status": status}
        body = json.dumps({**named, "code": code, "detail": text})
    headers = [
        (b"content-type", kind),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    if status in (HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.TOO_MANY_REQUESTS):
        headers.append((b"retry-after", RETRY_SECONDS))
    await send({"type": "http.response.start", "status": status.value, "headers": headers})
    await send({"type": "http.response.body", "body": body.encode()})


def get_page_application() -> PageHandler:
    """Set Django up and return the application for pages."""
    django.setup(set_prefix=False)
    return PageHandler()
