"""A client of the socket protocol for Python programs: delivers each event once, in order.

    async with StreamClient("wss://example.org/ws/", origin="https://example.org") as client:
        await client.follow("function:12", epoch=1, after=41)
        while True:
            event = await client.next_event()

It reconnects when necessary, continues where it was, and acknowledges what it has delivered.
docs/stream-protocol.md describes the protocol. It needs the library `websockets` and nothing of
this site.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

ACK_EVENTS = 32
ACK_SECONDS = 0.25
FIRST_RETRY_SECONDS = 2.0
LAST_RETRY_SECONDS = 30.0
TIMEOUT_HEARTBEATS = 2.5  # without a frame for this many heartbeats, the connection is dead
QUEUED_EVENTS = 10_000  # unread by the program; beyond that the socket is not read
MAX_FRAME_BYTES = 64 * 2**20  # a single event may exceed the usual size of frames
CONNECTION_LOST = (OSError, WebSocketException)


class StreamRefusedError(Exception):
    """The server doesn't let this client follow a topic."""


class StreamResetError(Exception):
    """The log does not continue from the client's position: read the state, then follow again."""

    def __init__(self, topic: str, epoch: int, head: int, reason: str) -> None:
        super().__init__(f"{topic} cannot be followed on ({reason}); it stands at {epoch}/{head}")
        self.topic, self.epoch, self.head, self.reason = topic, epoch, head, reason


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """One event of a topic's log."""

    topic: str
    seq: int
    type: str
    payload: Any
    at: str


@dataclass(slots=True)
class _Position:
    """The client's position in a topic."""

    epoch: int
    last: int
    acked: int
    stalled_at: int | None = None  # its position at the last heartbeat, if it was behind
    caught_up: asyncio.Event = field(default_factory=asyncio.Event)


class StreamClient:
    """A connection that is kept open; a context manager.

    `first_retry_seconds` and `last_retry_seconds` bound the pause before reconnecting, which is
    random: clients that were disconnected together don't come back together.
    """

    def __init__(
        self,
        url: str,
        *,
        origin: str | None = None,
        headers: Mapping[str, str] | None = None,
        first_retry_seconds: float = FIRST_RETRY_SECONDS,
        last_retry_seconds: float = LAST_RETRY_SECONDS,
    ) -> None:
        self.connections = 0
        self._url = url
        self._origin = Origin(origin) if origin else None
        self._headers = dict(headers or {})
        self._first_retry_seconds = first_retry_seconds
        self._last_retry_seconds = last_retry_seconds
        self._positions: dict[str, _Position] = {}
        self._events: asyncio.Queue[StreamEvent | Exception] = asyncio.Queue(QUEUED_EVENTS)
        self._socket: ClientConnection | None = None
        self._heartbeat_seconds = 10.0
        self._was_served = False
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self._tasks = [
            asyncio.create_task(self._stay_connected()),
            asyncio.create_task(self._acknowledge_regularly()),
        ]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._socket is not None:
            await self._socket.close()

    async def follow(self, topic: str, *, epoch: int = 1, after: int = 0) -> None:
        """Deliver the topic's events after `after`."""
        self._positions[topic] = _Position(epoch, last=after, acked=after)
        await self._subscribe(topic)

    async def next_event(self) -> StreamEvent:
        """Return the next event.

        Raises StreamResetError and StreamRefusedError in order with the events.
        """
        event = await self._events.get()
        if isinstance(event, Exception):
            raise event
        return event

    async def deliver(self, topic: str, events: Sequence[Mapping[str, Any]]) -> None:
        """Queue these events; override it to get them at once, as they came."""
        for event in events:
            await self._events.put(StreamEvent(topic, **event))

    async def wait_caught_up(self, topic: str) -> None:
        """Wait until everything that existed when the topic was subscribed has been delivered."""
        await self._positions[topic].caught_up.wait()

    async def disconnect(self) -> None:
        """Abort the connection, as a network failure does."""
        if self._socket is not None:
            self._socket.transport.abort()

    async def _stay_connected(self) -> None:
        failures = 0
        while True:
            with contextlib.suppress(*CONNECTION_LOST):
                async with connect(
                    self._url,
                    origin=self._origin,
                    additional_headers=self._headers,
                    proxy=None,
                    ping_interval=None,  # heartbeats do that
                    max_size=MAX_FRAME_BYTES,
                ) as self._socket:
                    self.connections += 1
                    self._was_served = False
                    for topic in list(self._positions):
                        await self._subscribe(topic)
                    await self._receive(self._socket)
            self._socket = None
            failures = 0 if self._was_served else failures
            longest = min(self._last_retry_seconds, self._first_retry_seconds * 2**failures)
            failures += 1
            await asyncio.sleep(random.uniform(0, longest))  # noqa: S311

    async def _receive(self, socket: ClientConnection) -> None:
        while True:
            async with asyncio.timeout(self._heartbeat_seconds * TIMEOUT_HEARTBEATS):
                frame = json.loads(await socket.recv())
            # A hello doesn't count: a full server sends it before it refuses the client.
            self._was_served |= frame["type"] in ("caught_up", "events", "heartbeat")
            match frame:
                case {"type": "hello", "heartbeat_seconds": seconds}:
                    self._heartbeat_seconds = seconds
                case {"type": "events", "topic": topic, "epoch": epoch, "events": events}:
                    await self._apply(topic, epoch, events)
                case {"type": "caught_up", "topic": topic} if topic in self._positions:
                    self._positions[topic].caught_up.set()
                case {"type": "heartbeat", "heads": heads}:
                    await self._compare_heads(heads)
                case {"type": "reset", "topic": topic, "epoch": epoch, "head": head} if (
                    self._positions.pop(topic, None)
                ):
                    error = StreamResetError(topic, epoch, head, frame["reason"])
                    await self._events.put(error)
                case {"type": "error", "topic": topic} if self._positions.pop(topic, None):
                    await self._events.put(StreamRefusedError(frame["message"]))

    async def _apply(self, topic: str, epoch: int, events: list[dict[str, Any]]) -> None:
        position = self._positions.get(topic)
        if position is None or position.epoch != epoch:
            return
        new_events: list[Mapping[str, Any]] = []
        for event in events:
            if event["seq"] > position.last + len(new_events) + 1:
                break
            if event["seq"] == position.last + len(new_events) + 1:
                new_events.append(event)
        await self.deliver(topic, new_events)
        position.last += len(new_events)
        if events and events[-1]["seq"] > position.last:
            await self._subscribe(topic)
            return
        # Sent again although it was applied: the ack was lost.
        if position.last - position.acked >= ACK_EVENTS or not new_events:
            await self._acknowledge(topic, position)

    async def _compare_heads(self, heads: Mapping[str, int]) -> None:
        """Subscribe again where the client is behind and has not moved since the last heartbeat."""
        for topic, head in heads.items():
            position = self._positions.get(topic)
            if position is None:
                continue
            if position.last < head and position.stalled_at == position.last:
                await self._subscribe(topic)
            position.stalled_at = position.last if position.last < head else None

    async def _acknowledge_regularly(self) -> None:
        while True:
            await asyncio.sleep(ACK_SECONDS)
            for topic, position in list(self._positions.items()):
                if position.acked < position.last:
                    await self._acknowledge(topic, position)

    async def _acknowledge(self, topic: str, position: _Position) -> None:
        position.acked = position.last
        await self._send({"type": "ack", "topic": topic, "seq": position.last})

    async def _subscribe(self, topic: str) -> None:
        position = self._positions[topic]
        position.caught_up.clear()
        start = {"epoch": position.epoch, "after": position.last}
        await self._send({"type": "subscribe", "topic": topic, **start})

    async def _send(self, frame: Mapping[str, Any]) -> None:
        """Send if connected; a new connection starts with all that matters."""
        if self._socket is not None:
            with contextlib.suppress(*CONNECTION_LOST):
                await self._socket.send(json.dumps(frame))
