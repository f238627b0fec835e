"""Crowds of clients in one process: ours, and the bare design's."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, Generic, Protocol, Self, TypeVar

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

from benchmarks.stream_servers import Server
from tests.support.sockets.client import StreamClient

AT_ONCE = 50
LOOK_SECONDS = 0.01
# Timeout of clients, long enough for an overloaded server.
PATIENCE_SECONDS = 120.0


class Member(StreamClient):
    """Follows one topic and records the arrival of its events."""

    def __init__(self, server: Server, topic: str, headers: Mapping[str, str] | None = None):
        super().__init__(server.url, origin=server.origin, headers=headers)
        self.topic = topic
        self.taken = 0
        self.wrong = 0  # events out of order
        self.frames: list[tuple[float, int, int]] = []  # time, first and last event

    async def deliver(
        self,
        topic: str,  # noqa: ARG002 - there is one
        events: Sequence[Mapping[str, Any]],
    ) -> None:
        now = time.monotonic()
        for event in events:
            self.wrong += event["seq"] != self.taken + 1
            self.taken = event["seq"]
        if events:
            self.frames.append((now, events[0]["seq"], events[-1]["seq"]))

    async def open(self) -> None:
        await self.follow(self.topic)
        await self.wait_caught_up(self.topic)


class Follower(Protocol):
    """Follows one topic, as a context manager; `taken` is the last event's sequence."""

    topic: str
    taken: int
    wrong: int
    frames: list[tuple[float, int, int]]

    async def __aenter__(self) -> Self: ...
    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None: ...
    async def open(self) -> None: ...


M = TypeVar("M", bound=Follower)


class Followers(Generic[M]):
    """Many clients, opened some at a time."""

    def __init__(self, members: Sequence[M]) -> None:
        self.members = members
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        for first in range(0, len(self.members), AT_ONCE):
            members = self.members[first : first + AT_ONCE]
            for member in members:
                await self._stack.enter_async_context(member)
            async with asyncio.timeout(PATIENCE_SECONDS):
                await asyncio.gather(*(member.open() for member in members))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.aclose()

    async def have_taken(self, heads: Mapping[str, int]) -> None:
        """Wait until all clients have reached the heads, or no events come any more."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while any(member.taken < heads[member.topic] for member in self.members):
            if time.monotonic() > deadline:
                return
            await asyncio.sleep(LOOK_SECONDS)

    def faults(self, heads: Mapping[str, int]) -> int:
        """Return the number of lost, duplicate and misordered events."""
        return sum(
            member.wrong + abs(heads[member.topic] - member.taken) for member in self.members
        )


class Crowd(Followers[Member]):
    """Our clients, one per topic."""

    def __init__(
        self, server: Server, topics: Sequence[str], cookies: Sequence[str] | None = None
    ) -> None:
        headers = [{"Cookie": cookie} for cookie in cookies or ()] or [{}]
        super().__init__(
            [
                Member(server, topic, headers[number % len(headers)])
                for number, topic in enumerate(topics)
            ]
        )


class BareCrowd:
    """Clients of the bare design, one per topic."""

    def __init__(self, server: Server, topics: Sequence[int]) -> None:
        self.arrivals: list[list[tuple[float, int]]] = [
            [] for _ in topics
        ]  # per client: (time, number)
        self._server = server
        self._topics = topics
        self.sockets: list[ClientConnection] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        for first in range(0, len(self._topics), AT_ONCE):
            places = range(first, min(first + AT_ONCE, len(self._topics)))
            sockets = await asyncio.gather(*(self._open(self._topics[place]) for place in places))
            for place, socket in zip(places, sockets, strict=True):
                self.sockets.append(socket)
                self._tasks.append(asyncio.create_task(self._take(place, socket)))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for socket in self.sockets:
            socket.transport.abort()
        await asyncio.gather(*self._tasks)

    async def _open(self, topic: int) -> ClientConnection:
        return await connect(
            f"{self._server.url}{topic}/",
            origin=Origin(self._server.origin),
            proxy=None,
            open_timeout=PATIENCE_SECONDS,
            ping_interval=None,
        )

    async def _take(self, place: int, socket: ClientConnection) -> None:
        arrivals = self.arrivals[place]
        try:
            async for text in socket:
                arrivals.append((time.monotonic(), json.loads(text)["number"]))
        except WebSocketException:
            return

    async def are_quiet(self, wanted: int, quiet_seconds: float = 5.0) -> None:
        """Wait until `wanted` messages have come, or none has for a while."""
        count, since = -1, time.monotonic()
        while count < wanted and time.monotonic() - since < quiet_seconds:
            await asyncio.sleep(LOOK_SECONDS)
            came = sum(map(len, self.arrivals))
            if came != count:
                count, since = came, time.monotonic()
