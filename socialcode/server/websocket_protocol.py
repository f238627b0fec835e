"""WebSocket protocol for uvicorn with bounded memory per client.

`send` waits until the previous frame has left this process, so at most one frame is buffered.
uvicorn's own protocol buffers 64 KiB more, sends pongs to clients that don't read, collects any
number of fragments, and keeps closed sockets whose client doesn't read.
"""

import logging
import math
import socket
from asyncio import BaseTransport
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame

if TYPE_CHECKING:
    from uvicorn._types import ASGISendEvent

log = logging.getLogger(__name__)

# The kernel's send buffer per client. By default it grows to 4 MB, all of which would be sent
# before a ping or close frame.
KERNEL_BYTES = 32 * 1024
MAX_FRAGMENTS = 64
LINGER_SECONDS = 10.0  # time for the client to read the close frame
TICK_SECONDS = 0.25  # times of pings are rounded down to this, so that many are sent at once


class SocketProtocol(WebSocketsSansIOProtocol):
    """A WebSocket with bounded memory, whatever its client does."""

    # Called when the connection has been lost.
    on_lost: Callable[[], None] = staticmethod(lambda: None)

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.logger = self.conn.logger = log

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)
        self.transport.set_write_buffer_limits(0)
        kernel_socket = cast("socket.socket | None", transport.get_extra_info("socket"))
        if kernel_socket is not None:
            kernel_socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KERNEL_BYTES)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.on_lost()

    async def send(self, message: "ASGISendEvent") -> None:
        """Send a frame when the previous one has left this process; can be cancelled safely."""
        if message["type"] == "websocket.close":
            self.writable.set()  # a close frame is small, so it is sent without waiting
        await self.writable.wait()
        if self.close_sent:  # by this protocol, not by the application
            raise ClientDisconnected
        await super().send(message)

    def handle_ping(self) -> None:
        # After a close, `writable` stays set, even if the client never reads.
        if self.writable.is_set() and not self.close_sent:
            super().handle_ping()
        else:
            self.conn.data_to_send()  # the client doesn't read, so the pong is dropped

    def handle_cont(self, event: Frame) -> None:
        if len(self.frames) < MAX_FRAGMENTS:
            super().handle_cont(event)
        elif not self.close_sent:
            self.conn.fail(CloseCode.MESSAGE_TOO_BIG, "too many fragments")
            self.handle_parser_exception()

    def send_receive_event_to_app(self) -> None:
        """Pause reading while two messages are queued; pausing for each message would cost more."""
        was_paused, self.read_paused = self.read_paused, True  # so that uvicorn doesn't pause
        super().send_receive_event_to_app()
        self.read_paused = was_paused
        if not was_paused and not self.close_sent and self.queue.qsize() > 1:
            self.read_paused = True
            self.transport.pause_reading()

    def schedule_ping(self) -> None:
        """Schedule the ping together with those of other sockets, so that they share a wake-up."""
        if self.ping_interval is not None:
            tick = math.floor((self.loop.time() + self.ping_interval) / TICK_SECONDS)
            self.ping_timer = self.loop.call_at(tick * TICK_SECONDS, self.send_keepalive_ping)

    def keepalive_timeout(self) -> None:
        if not self.writable.is_set() and self.ping_timeout:
            # The ping waits behind a frame, which has a timeout of its own
            # (`runner.sockets.socket_writer`).
            self.pong_timer = self.loop.call_later(self.ping_timeout, self.keepalive_timeout)
            return
        super().keepalive_timeout()
        self._abort_soon()

    async def run_asgi(self) -> None:
        try:
            await super().run_asgi()
        finally:
            self._abort_soon()

    def _abort_soon(self) -> None:
        """Abort after a delay: an orderly close would wait for a client that doesn't read."""
        self.loop.call_later(LINGER_SECONDS, self.transport.abort)
