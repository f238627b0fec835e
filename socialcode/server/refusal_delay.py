"""Delays responses of status 429, to slow down clients that repeat requests."""

import asyncio
import random
from typing import Any

TOO_MANY_REQUESTS = 429
# Random, so that clients refused together don't return together.
SHORTEST_SECONDS, LONGEST_SECONDS = 1.0, 3.0
# Responses with larger bodies aren't delayed, as they would be kept in memory.
LARGEST_KEPT_BYTES = 64 * 1024


class SlowRefusals:
    """An ASGI application that delays 429 responses on the event loop, where waiting is free.

    Otherwise a client could be refused some hundred times a second, which costs as much CPU time as
    that many pages.
    """

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Handle a request; the thread is released before a refusal is delayed."""
        refusal: list[Any] = []

        async def send_or_keep(message: Any) -> None:
            if refusal or message.get("status") == TOO_MANY_REQUESTS:
                refusal.append(message)
            else:
                await send(message)

        await self._application(scope, receive, send_or_keep)
        size = sum(len(message.get("body", b"")) for message in refusal)
        if refusal and size <= LARGEST_KEPT_BYTES:
            await asyncio.sleep(random.uniform(SHORTEST_SECONDS, LONGEST_SECONDS))  # noqa: S311
        for message in refusal:
            await send(message)
