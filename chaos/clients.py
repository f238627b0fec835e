"""Clients of the web servers: followers, pollers, onlookers (presence) and liars (bad acks)."""

import asyncio
import contextlib
import json
import random
import time
from collections.abc import Mapping, Sequence
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin

from benchmarks.site import HOST
from chaos.forms import ANSWER_SECONDS, NOT_ANSWERED, request
from chaos.transcripts import Transcript
from tests.support.sockets.client import (
    CONNECTION_LOST,
    StreamClient,
    StreamRefusedError,
    StreamResetError,
)

# Shorter than in browsers, to keep rounds short.
FIRST_RETRY_SECONDS = 0.5
LAST_RETRY_SECONDS = 2.0
SILENT_SECONDS = 25.0
POLL_SECONDS = 1.0
REFUSED_SECONDS = 1.0

BEYOND = 4409  # the close code


class _Client(StreamClient):
    """Writes events to a transcript, unless reading is stopped."""

    def __init__(self, port: int, cookie: str, transcript: Transcript) -> None:
        super().__init__(
            f"ws://{HOST}:{port}/ws/",
            origin=_origin(port),
            headers=_headers(cookie),
            first_retry_seconds=FIRST_RETRY_SECONDS,
            last_retry_seconds=LAST_RETRY_SECONDS,
        )
        self.reads = asyncio.Event()
        self.reads.set()
        self.heard_at = 0.0
        self._transcript = transcript

    async def deliver(self, topic: str, events: Sequence[Mapping[str, Any]]) -> None:
        await self.reads.wait()
        self._transcript.apply(topic, events)
        self.heard_at = time.monotonic()


class Follower:
    """A client that follows topics over a socket, leaves, and returns to continue."""

    def __init__(
        self,
        place: int,
        port: int,
        transcript: Transcript,
        cookie: str = "",
        *,
        insists: bool = False,
    ) -> None:
        self.place = place  # index of the web server
        self.transcript = transcript
        self.cookie = cookie
        self.refusals = 0
        self._port = port
        self._insists = insists
        self._client: _Client | None = None
        self._receiving: asyncio.Task[None] | None = None

    @property
    def reads(self) -> bool:
        """Whether events are applied immediately."""
        return self._client is not None and self._client.reads.is_set()

    def has_just_heard(self, seconds: float) -> bool:
        """Return whether anything came within this time."""
        client = self._client
        return client is not None and time.monotonic() - client.heard_at < seconds

    async def come(self) -> None:
        self._client = _Client(self._port, self.cookie, self.transcript)
        await self._client.__aenter__()
        await self._follow(self._client)
        self._receiving = asyncio.create_task(self._receive(self._client))

    async def leave(self) -> None:
        client, self._client = self._client, None
        if client is not None and self._receiving is not None:
            self._receiving.cancel()
            await client.__aexit__(None, None, None)

    async def disconnect(self) -> None:
        """Lose the connection."""
        if self._client is not None:
            await self._client.disconnect()

    def stop_reading(self) -> None:
        if self._client is not None:
            self._client.reads.clear()

    def read_on(self) -> None:
        if self._client is not None:
            self._client.reads.set()

    async def _follow(self, client: _Client) -> None:
        for topic, last in self.transcript.last.items():
            await client.follow(topic, after=last)

    async def _receive(self, client: _Client) -> None:
        """Handle frames other than events; a client that insists repeats refused requests."""
        while True:
            try:
                await client.next_event()
            except StreamResetError as error:
                self.transcript.resets.append(str(error))
            except StreamRefusedError:
                self.refusals += 1
                if self._insists:
                    await asyncio.sleep(REFUSED_SECONDS)
                    await self._follow(client)


class Poller:
    """A client that polls, as its network blocks sockets."""

    def __init__(self, port: int, transcript: Transcript) -> None:
        self.transcript = transcript
        self._port = port

    async def run(self) -> None:
        while True:
            for topic in self.transcript.last:
                with contextlib.suppress(*NOT_ANSWERED):
                    while await self._poll(topic):
                        pass
            await asyncio.sleep(POLL_SECONDS)

    async def _poll(self, topic: str) -> bool:
        """Apply the next page; return whether there are more."""
        after = self.transcript.last[topic]
        path = f"/api/v1/topics/{topic}/events?after={after}&epoch=1"
        status, page = await request(self._port, "GET", path)
        if status != 200:
            return False
        if page.get("reset"):
            self.transcript.resets.append(f"{topic}: {page['reason']} after {after}")
            return False
        self.transcript.apply(topic, page["events"])
        return bool(self.transcript.last[topic] < page["head"])


class Onlooker:
    """A client with a function's page open, which gets presence frames."""

    def __init__(self, port: int, topic: str, after: int, cookie: str = "") -> None:
        self.sees: tuple[list[str], int] | None = None
        self._port = port
        self._cookie = cookie
        position = {"topic": topic, "epoch": 1, "after": after}
        self._subscribe = {"type": "subscribe", **position, "present": True}

    async def run(self) -> None:
        while True:
            with contextlib.suppress(*CONNECTION_LOST):
                async with connect(
                    f"ws://{HOST}:{self._port}/ws/",
                    origin=Origin(_origin(self._port)),
                    additional_headers=_headers(self._cookie),
                    proxy=None,
                ) as socket:
                    await socket.send(json.dumps(self._subscribe))
                    while True:
                        async with asyncio.timeout(SILENT_SECONDS):
                            frame = json.loads(await socket.recv())
                        if frame["type"] == "events":
                            self._subscribe["after"] = seq = frame["events"][-1]["seq"]
                            ack = {"type": "ack", "topic": frame["topic"], "seq": seq}
                            await socket.send(json.dumps(ack))
                        elif frame["type"] == "presence":
                            self.sees = (frame["people"], frame["others"])
            self.sees = None
            await asyncio.sleep(random.uniform(0, LAST_RETRY_SECONDS))


class Liar:
    """A client that keeps acknowledging events that were never sent."""

    def __init__(self, host: str, port: int, topic: str) -> None:
        self.times_closed = 0
        self.complaints: list[str] = []
        self._address = f"{host}:{port}"
        self._topic = topic

    async def run(self) -> None:
        while True:
            with contextlib.suppress(*CONNECTION_LOST):
                async with connect(
                    f"ws://{self._address}/ws/",
                    origin=Origin(f"http://{self._address}"),
                    proxy=None,
                ) as socket:
                    await self._lie(socket)
            await asyncio.sleep(REFUSED_SECONDS)

    async def _lie(self, socket: ClientConnection) -> None:
        position = {"topic": self._topic, "epoch": 1, "after": 0}
        await socket.send(json.dumps({"type": "subscribe", **position}))
        async with asyncio.timeout(SILENT_SECONDS):
            while json.loads(await socket.recv())["type"] != "events":
                pass
        await socket.send(json.dumps({"type": "ack", "topic": self._topic, "seq": 10**9}))
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                while True:
                    await socket.recv()
        except TimeoutError:
            self.complaints.append(f"an ack beyond the sent events of {self._topic} was accepted")
        except ConnectionClosed as closed:
            self.times_closed += closed.rcvd is not None and closed.rcvd.code == BEYOND


def _headers(cookie: str) -> dict[str, str]:
    return {"Cookie": cookie} if cookie else {}


def _origin(port: int) -> str:
    return f"http://{HOST}:{port}"
