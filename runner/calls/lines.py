"""Connections between whoever wants calls and the callers: kept, for one call after the other.

To close one is to give up the call that is under way on it.
"""

import asyncio
import atexit
import logging
import select
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import cast

from runner.calls.messages import (
    HEADER,
    CallRequest,
    answer_content,
    frame,
    frame_length,
    read_body,
    read_request,
)
from runner.sandbox import Outcome

log = logging.getLogger(__name__)

# As many as there may be calls under way; one more would wait in vain.
MOST_IDLE = 34
CONNECT_SECONDS = 5.0

Answer = Callable[[CallRequest], Awaitable[Outcome | Exception]]

# By where the callers listen: those that nobody has. The last one that was used is used next.
_idle: dict[str, list[socket.socket]] = {}


@contextmanager
def connected(path: str) -> Iterator[socket.socket]:
    """Lend a connection for one exchange; it is kept if that is completed, and else closed."""
    idle = _idle.setdefault(path, [])
    connection = _kept(idle) or _opened(path)
    try:
        yield connection
    except BaseException:
        connection.close()
        raise
    if len(idle) < MOST_IDLE:
        idle.append(connection)
    else:
        connection.close()


@atexit.register
def close_idle() -> None:
    """Close the connections that nobody has."""
    for idle in _idle.values():
        while idle:
            idle.pop().close()


def _kept(idle: list[socket.socket]) -> socket.socket | None:
    while idle:
        try:
            connection = idle.pop()
        except IndexError:  # another thread has just taken it
            break
        poll = select.poll()
        poll.register(connection, select.POLLIN)
        if not poll.poll(0):
            return connection
        connection.close()  # nothing was asked, so this is its end
    return None


def _opened(path: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(CONNECT_SECONDS)
        connection.connect(path)
    except BaseException:
        connection.close()
        raise
    return connection


class Line(asyncio.Protocol):
    """A connection at the callers' end."""

    def __init__(self, answer: Answer, lines: set["Line"]) -> None:
        self.call: asyncio.Task[None] | None = None
        self._answer = answer
        self._lines = lines
        self._received = bytearray()
        self._stops = False
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._lines.add(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - its end is its end
        self._lines.discard(self)
        if self.call is not None:
            self.call.cancel()

    def data_received(self, data: bytes) -> None:
        self._received += data
        if self.call is None:
            self._begin()

    def stop(self) -> None:
        """Take nothing more; what is under way comes to its end."""
        self._stops = True
        if self.call is None:
            self._transport.close()

    def hang_up(self) -> None:
        """Give up what is under way; whoever waits for it is told by the end of the connection."""
        if self.call is not None:
            self.call.cancel()
        self._transport.close()

    def _begin(self) -> None:
        """Attend to the request that has come, if all of it has."""
        if len(self._received) < HEADER.size:
            return
        try:
            end = HEADER.size + frame_length(bytes(self._received[: HEADER.size]))
        except OSError:
            self._transport.close()
            return
        if len(self._received) >= end:
            body = bytes(self._received[HEADER.size : end])
            del self._received[:end]
            self.call = asyncio.create_task(self._attend(body))

    async def _attend(self, body: bytes) -> None:
        try:
            answer = await self._answer(read_request(read_body(body)))
            self._transport.write(frame(answer_content(answer)))
        except Exception:
            log.exception("a request could not be answered")
            self._stops = True
        self.call = None
        if self._stops:
            self._transport.close()
        else:
            self._begin()
