"""Delays responses with status 429, to slow down clients that repeat requests."""

import asyncio
import random
from typing import Any

TOO_MANY_REQUESTS = 429
# Random, so that clients that were refused together don't return together.
SHORTEST_SECONDS, LONGEST_SECONDS = 1.0, 3.0
# Larger responses aren't delayed, because they would be kept in memory.
LARGEST_KEPT_BYTES = 64 * 1024


class SlowRefusals:
    """An ASGI application that delays 429 responses on the event loop, where waiting is free.

    Without a delay, a client could be refused hundreds of times a second, each time at the cost of
    a page.
    """

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Handle a request; refusals are delayed after the thread has been released."""
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
