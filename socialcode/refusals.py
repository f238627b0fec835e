"""Sends refusals of the kind *too often* a little later, so that who repeats them is kept busy."""

import asyncio
import random
from typing import Any

TOO_MANY_REQUESTS = 429
# Different ones, so that those who were refused together don't come back together.
SHORTEST_SECONDS, LONGEST_SECONDS = 1.0, 3.0
# What is larger isn't kept meanwhile.
LARGEST_KEPT_BYTES = 64 * 1024


class SlowRefusals:
    """An ASGI application whose answers 429 wait on the event loop, where waiting costs nothing.

    Whoever tries again at once could otherwise be refused some hundred times a second, which takes
    as much of the processor as so many pages.
    """

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer; before a refusal is sent, the application has ended and given its thread back."""
        kept: list[Any] = []

        async def send_or_keep(message: Any) -> None:
            if kept or message.get("status") == TOO_MANY_REQUESTS:
                kept.append(message)
            else:
                await send(message)

        await self._application(scope, receive, send_or_keep)
        if sum(len(message.get("body", b"")) for message in kept) <= LARGEST_KEPT_BYTES and kept:
            await asyncio.sleep(random.uniform(SHORTEST_SECONDS, LONGEST_SECONDS))  # noqa: S311
        for message in kept:
            await send(message)
