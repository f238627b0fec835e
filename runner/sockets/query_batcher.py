"""Questions to the database that many have at once, asked together."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from runner.sockets.topic_log import query

MAX_BATCH = 100

Request = TypeVar("Request")
Response = TypeVar("Response")


class QueryBatcher(Generic[Request, Response]):
    """Asks for all who came while the last answers were on their way, on one event loop.

    `ask` is called in a thread, and returns an answer to each question; one that is an exception is
    raised where the question came from. What it raises itself is raised to all of them.
    """

    def __init__(
        self, query_all: Callable[[Sequence[Request]], Sequence[Response | Exception]]
    ) -> None:
        self._query = query_all
        self._waiting: list[tuple[Request, asyncio.Future[Response]]] = []
        self._task: asyncio.Task[None] | None = None

    async def load(self, request: Request) -> Response:
        """Return the answer, which is found after this was called."""
        future: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, future))
        if self._task is None:
            # It begins when all who are about to ask in this round of the loop have done so.
            self._task = asyncio.create_task(self._work())
        return await future

    async def _work(self) -> None:
        try:
            while self._waiting:
                batch = self._waiting[:MAX_BATCH]
                del self._waiting[:MAX_BATCH]
                await self._resolve(batch)
        finally:
            self._task = None

    async def _resolve(self, batch: Sequence[tuple[Request, asyncio.Future[Response]]]) -> None:
        responses: Sequence[Response | Exception]
        try:
            responses = await query(self._query, [request for request, _ in batch])
        except Exception as error:  # noqa: BLE001 - it is raised, where it belongs
            responses = [error] * len(batch)
        for (_, future), response in zip(batch, responses, strict=True):
            if future.done():  # who asked has left
                continue
            if isinstance(response, Exception):
                future.set_exception(response)
            else:
                future.set_result(response)
