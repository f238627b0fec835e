"""Events of a topic as they happen, each once and in order, over a WebSocket or by polling."""

import json
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from websockets.exceptions import InvalidHandshake, InvalidURI, WebSocketException
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from socialcode_client.client import Client
from socialcode_client.models import Event

POLL_SECONDS = 2.0
# The interval at which a follower looks up while nothing happens.
_TICK_SECONDS = 0.25
_FIRST_PAUSE = 2.0
_LONGEST_PAUSE = 30.0
_UNACKNOWLEDGED = 32
# So many heartbeats without any frame, and the connection is given up.
_MISSED_HEARTBEATS = 2.5
_LARGEST_FRAME = 4 * 2**20


@dataclass(frozen=True, slots=True)
class Reset:
    """The events don't continue from where one was: the state is to be read anew."""

    reason: str


@dataclass(slots=True)
class Position:
    """The last event that one has."""

    topic: str
    epoch: int
    seq: int


# None: nothing has happened for a moment.
Happening = Event | Reset | None


def follow(client: Client, position: Position, *, by_polling: bool = False) -> Iterator[Happening]:
    """Yield a topic's events after a position, which moves along, until a reset.

    Where the site can't be reached by WebSocket, it is polled.
    """
    if not by_polling:
        try:
            yield from _follow_socket(client.address, position)
            return
        except (InvalidHandshake, InvalidURI):
            pass  # a proxy that knows no WebSockets
    yield from _poll(client, position)


def _poll(client: Client, position: Position) -> Iterator[Happening]:
    while True:
        page = client.events(position.topic, after=position.seq, epoch=position.epoch)
        if page.reset:
            yield Reset(page.reason)
            return
        for event in page.events:
            position.seq = event.seq
            yield event
        if page.head <= position.seq:
            until = time.monotonic() + POLL_SECONDS
            while time.monotonic() < until:
                yield None
                time.sleep(_TICK_SECONDS)


def _follow_socket(address: str, position: Position) -> Iterator[Happening]:
    """Reconnect after random pauses, so that not all clients come back at once."""
    bound = _FIRST_PAUSE
    is_first = True
    while True:
        try:
            with connect(
                socket_address(address),
                origin=Origin(origin_of(address)),
                max_size=_LARGEST_FRAME,
            ) as socket:
                bound = _FIRST_PAUSE
                is_first = False
                for happening in _Subscription(socket, position).happenings():
                    yield happening
                    if isinstance(happening, Reset):
                        return
        except InvalidHandshake:
            if is_first:
                raise
        except (OSError, WebSocketException):
            pass
        until = time.monotonic() + random.uniform(0, bound)  # noqa: S311 - no secret
        bound = min(bound * 2, _LONGEST_PAUSE)
        while time.monotonic() < until:
            yield None
            time.sleep(_TICK_SECONDS)


@dataclass(slots=True)
class _Subscription:
    """One connection's part of a topic."""

    socket: ClientConnection
    position: Position
    heartbeat_seconds: float = 20.0
    unacknowledged: int = 0
    stuck_at: int = -1

    def happenings(self) -> Iterator[Happening]:
        """Yield what arrives; ends when the connection does."""
        self._subscribe()
        heard = time.monotonic()
        while True:
            try:
                frame = json.loads(self.socket.recv(timeout=_TICK_SECONDS))
            except TimeoutError:
                self._acknowledge()
                if time.monotonic() - heard > _MISSED_HEARTBEATS * self.heartbeat_seconds:
                    return
                yield None
                continue
            heard = time.monotonic()
            match frame.get("type"):
                case "hello":
                    self.heartbeat_seconds = frame["heartbeat_seconds"]
                case "events" if frame["topic"] == self.position.topic:
                    yield from self._apply(frame["events"])
                case "heartbeat":
                    self._compare(frame["heads"].get(self.position.topic, 0))
                case "reset":
                    yield Reset(frame["reason"])
                    return
                case "error":
                    yield Reset(frame["code"])
                    return
                case _:
                    pass  # of a later version of the protocol

    def _apply(self, events: list[dict[str, Any]]) -> Iterator[Event]:
        for each in events:
            event = Event.model_validate(each)
            if event.seq <= self.position.seq:
                continue
            if event.seq != self.position.seq + 1:
                self._subscribe()
                return
            yield event
            self.position.seq = event.seq
            self.unacknowledged += 1
        if self.unacknowledged >= _UNACKNOWLEDGED or not self.unacknowledged:
            self.unacknowledged = max(self.unacknowledged, 1)  # an ack that was lost
            self._acknowledge()

    def _acknowledge(self) -> None:
        if self.unacknowledged:
            self._send("ack", seq=self.position.seq)
            self.unacknowledged = 0

    def _compare(self, head: int) -> None:
        """Ask again for what has not arrived since the heartbeat before."""
        if head <= self.position.seq:
            self.stuck_at = -1
        elif self.stuck_at == self.position.seq:
            self._subscribe()
        else:
            self.stuck_at = self.position.seq

    def _subscribe(self) -> None:
        self.unacknowledged = 0
        self._send("subscribe", epoch=self.position.epoch, after=self.position.seq)

    def _send(self, kind: str, **fields: Any) -> None:
        self.socket.send(json.dumps({"type": kind, "topic": self.position.topic, **fields}))


def socket_address(address: str) -> str:
    """Return the address of a site's socket."""
    parts = urlsplit(address)
    scheme = "wss" if parts.scheme == "https" else "ws"
    return f"{scheme}://{parts.netloc}{parts.path}/ws/"


def origin_of(address: str) -> str:
    """Return a site's origin, which its socket asks for."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"
