"""Handles each request in one thread, with middlewares and view in a single call."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any, cast

import django
from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

# The maximum of idle threads that are kept; more are started on demand.
MOST_IDLE = 32


class PageHandler(ASGIHandler):
    """Django's handler without switching between the event loop and threads.

    Views and middlewares are synchronous. Django's own handler starts a thread for each request and
    another to end it, and switches for each hook of each middleware, which took most of the time of
    fast requests. Here threads are reused, with their per-thread state.
    """

    def __init__(self) -> None:
        # A stack: the most recently used thread is used next.
        self._idle: list[ThreadPoolExecutor] = []
        super().__init__()

    def load_middleware(self, is_async: bool = False) -> None:  # noqa: ARG002 - Django's
        super().load_middleware(is_async=False)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Handle a request."""
        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(1, "page")
        is_free = False
        try:
            async with ThreadSensitiveContext(executor=thread):
                is_free = await self._handle(scope, receive, send)
        finally:
            if is_free and len(self._idle) < MOST_IDLE:
                self._idle.append(thread)
            else:
                thread.shutdown(wait=False)

    async def _handle(self, scope: Any, receive: Any, send: Any) -> bool:
        """Respond unless the client disconnects; return False if the thread may still be busy."""
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return True
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
        return answered is None

    async def _answer(self, scope: Any, body: IO[bytes], send: Any) -> None:
        response = await sync_to_async(self._respond)(scope, body)
        try:
            await self.send_response(response, send)
        finally:
            if response.streaming:
                await sync_to_async(response.close)()

    def _respond(self, scope: Any, body: IO[bytes]) -> HttpResponseBase:
        """Compute the response and release its resources; runs in the thread."""
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


def get_page_application() -> PageHandler:
    """Set Django up and return the application for pages."""
    django.setup(set_prefix=False)
    return PageHandler()
