"""Cheap clients, so that one core can simulate a thousand.

They use the WebSocket library's state machine, without a task, queue or lock per client; equal
frames are parsed once. They reconnect only on request: lost connections and gaps count as faults.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
import json
import random
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.typing import Origin
from websockets.uri import parse_uri

from benchmarks.site import HOST
from benchmarks.stream_crowd import PATIENCE_SECONDS, Followers
from benchmarks.stream_servers import Server
from tests.support.sockets.client import ACK_EVENTS, ACK_SECONDS, FIRST_RETRY_SECONDS


@functools.lru_cache(maxsize=256)
def _decode(text: bytes) -> Any:
    return json.loads(text)


class ThinMember(asyncio.Protocol):
    """Follows one topic and records the arrival of its events."""

    def __init__(self, server: Server, topic: str, cookie: str = "") -> None:
        self.topic = topic
        self.taken = 0
        self.wrong = 0  # events out of order
        self.frames: list[tuple[float, int, int]] = []  # time, first and last event
        self._server = server
        self._cookie = cookie
        self._acked = 0
        self._ack_due: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()

    async def __aenter__(self) -> Self:
        await self._connect()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.disconnect()

    async def _connect(self) -> None:
        uri, origin = parse_uri(self._server.url), Origin(self._server.origin)
        self._machine = ClientProtocol(uri, origin=origin, max_size=None)
        self._caught_up = self._loop.create_future()
        await self._loop.create_connection(lambda: self, HOST, self._server.port)

    def disconnect(self) -> None:
        """Lose the connection without a close frame, as in a network failure."""
        if self._ack_due is not None:
            self._ack_due.cancel()
            self._ack_due = None
        self._transport.abort()

    async def come_back(self) -> None:
        """Reconnect after a pause, as clients do, and get the missed events."""
        await asyncio.sleep(random.uniform(0, FIRST_RETRY_SECONDS))
        await self._connect()
        await self.open()

    async def open(self) -> None:
        """Wait until all events from before the subscription have come."""
        await self._caught_up

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        request = self._machine.connect()
        if self._cookie:
            request.headers["Cookie"] = self._cookie
        self._machine.send_request(request)
        self._flush()

    def data_received(self, data: bytes) -> None:
        now = self._loop.time()
        self._machine.receive_data(data)
        for event in self._machine.events_received():
            if isinstance(event, Response):
                place = {"epoch": 1, "after": self.taken}
                self._send({"type": "subscribe", "topic": self.topic, **place})
            elif isinstance(event, Frame) and event.opcode is Opcode.TEXT:
                self._take(_decode(bytes(event.data)), now)
        self._flush()

    def _take(self, frame: Any, now: float) -> None:
        if frame["type"] == "caught_up":
            self._caught_up.set_result(None)
        elif frame["type"] == "events":
            first, last = frame["events"][0]["seq"], frame["events"][-1]["seq"]
            # Without gaps, the numbers of events add up.
            is_whole = last - first + 1 == len(frame["events"]) and first == self.taken + 1
            self.wrong += 0 if is_whole else len(frame["events"])
            self.frames.append((now, first, last))
            self.taken = last
            if self.taken - self._acked >= ACK_EVENTS:
                self._acknowledge()
            elif self._ack_due is None:
                self._ack_due = self._loop.call_later(ACK_SECONDS, self._acknowledge)

    def _acknowledge(self) -> None:
        if self._ack_due is not None:
            self._ack_due.cancel()
            self._ack_due = None
        self._acked = self.taken
        self._send({"type": "ack", "topic": self.topic, "seq": self.taken})
        self._flush()

    def _send(self, frame: dict[str, Any]) -> None:
        self._machine.send_text(json.dumps(frame).encode())

    def _flush(self) -> None:
        for data in self._machine.data_to_send():
            if data:
                self._transport.write(data)


class ThinCrowd(Followers[ThinMember]):
    """Cheap clients, one per topic."""

    def __init__(self, server: Server, topics: Sequence[str], cookies: Sequence[str] = ()) -> None:
        super().__init__(
            [
                ThinMember(server, topic, cookie)
                for topic, cookie in itertools.zip_longest(topics, cookies, fillvalue="")
            ]
        )

    async def drop_all(self) -> float:
        """Have all lose their connections at once; return the seconds until the last is back.

        A client is back when it has all events from before its new subscription.
        """
        began = time.monotonic()
        for member in self.members:
            member.disconnect()
        async with asyncio.timeout(PATIENCE_SECONDS):
            await asyncio.gather(*(member.come_back() for member in self.members))
        return time.monotonic() - began
