"""Reusable connections to a server: one request at a time, one frame each way.

Closing a connection cancels its running request. Over TCP, a handshake comes first.
"""

import asyncio
import atexit
import logging
import select
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

from django.utils.crypto import constant_time_compare

from runner.calls.addresses import (
    Address,
    TcpAddress,
    connect,
    keep_alive,
    listen,
    parse_address,
)
from runner.calls.frames import HEADER, decode_body, encode_frame, frame_length
from runner.calls.handshake import (
    MAC_BYTES,
    NONCE_BYTES,
    REPLY_BYTES,
    make_answer,
    make_nonce,
    make_reply,
)

log = logging.getLogger(__name__)

# The number of calls that the server accepts at once.
MAX_IDLE = 34
CONNECT_SECONDS = 5.0

# Returns the content of the response frame, given that of the request frame.
Handler = Callable[[dict[str, Any]], Awaitable[Mapping[str, Any]]]

# Idle connections by address; the last used one is reused first.
_idle: dict[str, list[socket.socket]] = {}


@contextmanager
def borrow_connection(address: str) -> Iterator[socket.socket]:
    """Yield a connection for one exchange; keep it if that succeeds, else close it."""
    idle = _idle.setdefault(address, [])
    connection = _reuse(idle) or open_connection(address)
    try:
        yield connection
    except BaseException:
        connection.close()
        raise
    if len(idle) < MAX_IDLE:
        idle.append(connection)
    else:
        connection.close()


@atexit.register
def close_idle() -> None:
    """Close all idle connections."""
    for idle in _idle.values():
        while idle:
            idle.pop().close()


def _reuse(idle: list[socket.socket]) -> socket.socket | None:
    while idle:
        try:
            connection = idle.pop()
        except IndexError:  # another thread has taken the last one
            break
        poll = select.poll()
        poll.register(connection, select.POLLIN)
        if not poll.poll(0):
            return connection
        connection.close()  # readable without a request, so the server has closed it
    return None


def open_connection(address: str, seconds: float = CONNECT_SECONDS) -> socket.socket:
    """Return a new connection. Raises OSError if there is no server with the same key."""
    parsed = parse_address(address)
    connection = connect(parsed, seconds)
    try:
        if isinstance(parsed, TcpAddress):
            _shake_hands(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _shake_hands(connection: socket.socket) -> None:
    reply = make_reply(read_exactly(connection, NONCE_BYTES))
    connection.sendall(reply.content)
    try:
        answer = read_exactly(connection, MAC_BYTES)
    except ConnectionResetError:
        answer = b""
    if not constant_time_compare(answer, reply.expected):
        raise ConnectionRefusedError("the server has another SECRET_KEY")


def read_exactly(connection: socket.socket, length: int) -> bytes:
    """Read `length` bytes; raises OSError if the other side closes before."""
    received = bytearray()
    while len(received) < length:
        chunk = connection.recv(length - len(received))
        if not chunk:
            raise ConnectionResetError("the other side closed the connection")
        received += chunk
    return bytes(received)


async def serve_frames(
    address: Address, handler: Handler, stop: asyncio.Event, *, stop_seconds: float
) -> None:
    """Serve until `stop` is set; then let running requests finish."""
    connections: set[ServerConnection] = set()
    listener, loop = listen(address), asyncio.get_running_loop()
    server: asyncio.Server
    if isinstance(address, TcpAddress):
        server = await loop.create_server(
            lambda: TcpConnection(handler, connections), sock=listener
        )
    else:
        server = await loop.create_unix_server(
            lambda: ServerConnection(handler, connections), sock=listener
        )
    await stop.wait()
    server.close()
    requests = [connection.request for connection in connections if connection.request is not None]
    for connection in [*connections]:
        connection.stop()
    if requests:
        await asyncio.wait(requests, timeout=stop_seconds)
    for connection in [*connections]:
        connection.abort()
    await asyncio.gather(*requests, return_exceptions=True)


class ServerConnection(asyncio.Protocol):
    """The server's end of a connection."""

    def __init__(self, handler: Handler, connections: set["ServerConnection"]) -> None:
        self.request: asyncio.Task[None] | None = None
        self._handler = handler
        self._connections = connections
        self._received = bytearray()
        self._is_stopping = False
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the reason doesn't matter
        self._connections.discard(self)
        if self.request is not None:
            self.request.cancel()

    def data_received(self, data: bytes) -> None:
        self._received += data
        if self.request is None:
            self._start_request()

    def stop(self) -> None:
        """Accept no more requests; the running one finishes."""
        self._is_stopping = True
        if self.request is None:
            self._transport.close()

    def abort(self) -> None:
        """Cancel the running request and close the connection."""
        if self.request is not None:
            self.request.cancel()
        self._transport.close()

    def _start_request(self) -> None:
        """Start the received request if it is complete."""
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
            self.request = asyncio.create_task(self._respond(body))

    async def _respond(self, body: bytes) -> None:
        try:
            content = await self._handler(decode_body(body))
            self._transport.write(encode_frame(content))
        except Exception:
            log.exception("a request failed")
            self._is_stopping = True
        self.request = None
        if self._is_stopping:
            self._transport.close()
        else:
            self._start_request()


class TcpConnection(ServerConnection):
    """A connection that is served after the handshake."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        keep_alive(transport.get_extra_info("socket"))
        self._nonce: bytes | None = make_nonce()  # None after the handshake
        self._transport.write(self._nonce)
        loop = asyncio.get_running_loop()
        self._timeout = loop.call_later(CONNECT_SECONDS, self._transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self._timeout.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._nonce is None:
            super().data_received(data)
            return
        self._received += data
        if len(self._received) >= REPLY_BYTES:
            self._end_handshake(self._nonce)

    def _end_handshake(self, nonce: bytes) -> None:
        answer = make_answer(nonce, bytes(self._received))
        self._timeout.cancel()
        self._received.clear()
        if answer is None:
            peer = self._transport.get_extra_info("peername")
            log.warning("refused a client without the site's SECRET_KEY, at %s", peer)
            self._transport.abort()
            return
        self._nonce = None
        self._transport.write(answer)
