"""Batches concurrent lookups into one query (the DataLoader pattern)."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from runner.sockets.topic_log import query

MAX_BATCH = 100

Request = TypeVar("Request")
Response = TypeVar("Response")


class QueryBatcher(Generic[Request, Response]):
    """Collects requests while a query is running, and runs the next one for all of them.

    `query_all` is called in a thread and returns a response for each request. An exception among
    the responses is raised for its request; an exception raised by `query_all`, for all requests.
    """

    def __init__(
        self, query_all: Callable[[Sequence[Request]], Sequence[Response | Exception]]
    ) -> None:
        self._query = query_all
        self._waiting: list[tuple[Request, asyncio.Future[Response]]] = []
        self._task: asyncio.Task[None] | None = None

    async def load(self, request: Request) -> Response:
        """Return the response, from a query that starts after this call."""
        future: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, future))
        if self._task is None:
            # The task starts after this iteration of the event loop, so with all of its requests.
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
        except Exception as error:  # noqa: BLE001 - raised for each request
            responses = [error] * len(batch)
        for (_, future), response in zip(batch, responses, strict=True):
            if future.done():  # the caller was cancelled
                continue
            if isinstance(response, Exception):
                future.set_exception(response)
            else:
                future.set_result(response)
