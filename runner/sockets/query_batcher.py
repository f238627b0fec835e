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

    def __init__(self, ask: Callable[[Sequence[Request]], Sequence[Response | Exception]]) -> None:
        self._ask = ask
        self._waiting: list[tuple[Request, asyncio.Future[Response]]] = []
        self._task: asyncio.Task[None] | None = None

    async def answer(self, question: Request) -> Response:
        """Return the answer, which is found after this was called."""
        future: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
        self._waiting.append((question, future))
        if self._task is None:
            # It begins when all who are about to ask in this round of the loop have done so.
            self._task = asyncio.create_task(self._work())
        return await future

    async def _work(self) -> None:
        try:
            while self._waiting:
                asked = self._waiting[:MAX_BATCH]
                del self._waiting[:MAX_BATCH]
                await self._answer(asked)
        finally:
            self._task = None

    async def _answer(self, asked: Sequence[tuple[Request, asyncio.Future[Response]]]) -> None:
        answers: Sequence[Response | Exception]
        try:
            answers = await query(self._ask, [question for question, _ in asked])
        except Exception as error:  # noqa: BLE001 - it is raised, where it belongs
            answers = [error] * len(asked)
        for (_, future), answer in zip(asked, answers, strict=True):
            if future.done():  # who asked has left
                continue
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)
