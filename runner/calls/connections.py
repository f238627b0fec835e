"""Reusable connections over a Unix socket: one request at a time, one frame each way.

Closing a connection cancels its running request.
"""

import asyncio
import atexit
import logging
import os
import select
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from runner.calls.frames import HEADER, decode_body, encode_frame, frame_length

log = logging.getLogger(__name__)

# The number of calls that the server accepts at once.
MAX_IDLE = 34
CONNECT_SECONDS = 5.0

# Returns the content of the response frame, given that of the request frame.
Handler = Callable[[dict[str, Any]], Awaitable[Mapping[str, Any]]]

# Idle connections by socket path; the last used one is reused first.
_idle: dict[str, list[socket.socket]] = {}


@contextmanager
def borrow_connection(path: str) -> Iterator[socket.socket]:
    """Yield a connection for one exchange; keep it if that succeeds, else close it."""
    idle = _idle.setdefault(path, [])
    connection = _reuse(idle) or _open(path)
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


def _open(path: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(CONNECT_SECONDS)
        connection.connect(path)
    except BaseException:
        connection.close()
        raise
    return connection


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
    path: Path, handler: Handler, stop: asyncio.Event, *, stop_seconds: float
) -> None:
    """Serve until `stop` is set; then let running requests finish."""
    connections: set[ServerConnection] = set()
    listener, loop = listen(path), asyncio.get_running_loop()
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


def listen(path: Path) -> socket.socket:
    """Open the socket, for this user only; replaces one left behind."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # Bound under another name, then renamed, so that clients never find a socket without listener.
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    before = os.umask(0o177)
    try:
        draft.unlink(missing_ok=True)
        listener.bind(str(draft))
        listener.listen(1024)
        draft.replace(path)
    except OSError:
        listener.close()
        raise
    finally:
        os.umask(before)
    return listener
