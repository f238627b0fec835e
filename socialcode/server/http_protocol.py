"""HTTP protocol for uvicorn that limits memory per client and ends slow connections.

It is based on httptools. uvicorn's other parser refuses long headers itself, but is written in
Python and takes longer for a short request than the view.
"""

from asyncio import BaseTransport
from enum import Enum, auto
from http import HTTPStatus

from django.conf import settings
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from socialcode.server.connection_limits import connections_of
from socialcode.server.websocket_protocol import SocketProtocol

# Limit of everything except the body: request line, headers and trailers.
LARGEST_HEAD_BYTES = 64 * 1024
# Limit of pipelined requests.
MOST_AHEAD = 32
# Time limit for a request's head.
HEAD_SECONDS = 10.0
# The minimum average rate of sending bodies and reading responses, and the tolerated delays.
SLOWEST_BYTES_PER_SECOND = 1024
BODY_SECONDS = 10.0
ANSWER_SECONDS = 30.0


class Phase(Enum):
    """The part of a request that is expected next."""

    HEAD = auto()
    BODY = auto()
    NOTHING = auto()


class RequestProtocol(HttpToolsProtocol):
    """One connection, with limits on headers, queued requests and slowness."""

    # Bytes received since the parser last made progress.
    _waiting_bytes = 0
    _phase = Phase.HEAD
    # Seconds by which the client is behind the minimum rate, when sending and when reading.
    _behind = _behind_reading = 0.0
    _body_bytes = _unread_bytes = 0
    _network: str | None = None
    _is_stopping = False

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)  # type: ignore[arg-type]
        self._all = connections_of(self.loop)
        self._all.watch(self)
        address = self.client[0] if self.client else ""
        self._network = self._all.enter(address)
        if self._network is None:
            self._refuse(
                HTTPStatus.TOO_MANY_REQUESTS,
                "Your address has too many connections open. Close some, or try again later.",
            )

    def connection_lost(self, exc: Exception | None) -> None:
        self._all.unwatch(self)
        if self._network is not None:
            self._all.leave(self._network)
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        """Hand over the connection, still counted; from now on, pings detect dead clients."""
        if self._is_stopping:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "This server stops. Connect again.")
            return
        self._all.unwatch(self)
        super().handle_websocket_upgrade()
        protocol = self.transport.get_protocol()
        if isinstance(protocol, SocketProtocol) and self._network is not None:
            network = self._network
            protocol.on_lost = lambda: self._all.leave(network)

    def data_received(self, data: bytes) -> None:
        self._waiting_bytes += len(data)
        super().data_received(data)
        if self._waiting_bytes > LARGEST_HEAD_BYTES and not self.transport.is_closing():
            self._refuse(HTTPStatus.BAD_REQUEST, "The headers are too long.")

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= MOST_AHEAD:
            raise ValueError("too many requests at once")  # answered as an invalid request
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._waiting_bytes = 0
        self._enter(Phase.BODY)
        super().on_headers_complete()
        if self._is_stopping and self.cycle is not None:
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        self._waiting_bytes = 0
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._waiting_bytes = 0
        is_answered = self.cycle is not None and self.cycle.response_complete
        self._enter(Phase.HEAD if is_answered else Phase.NOTHING)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        if self._phase is Phase.NOTHING and not self.pipeline:
            self._enter(Phase.HEAD)
        super().on_response_complete()

    def resume_writing(self) -> None:
        """Reset the delay, because the client has read most of the buffered response."""
        self._behind_reading = 0.0
        super().resume_writing()

    def shutdown(self) -> None:
        """Answer what is under way, and close.

        A proxy may just be sending over an idle connection, and must not repeat a write elsewhere.
        So idle ones are closed as late as always: proxies have given them up by then.
        """
        if not settings.BEHIND_PROXY:
            super().shutdown()
            return
        self._is_stopping = True
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.keep_alive = False
        elif self.timeout_keep_alive_task is None:
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    @property
    def unread(self) -> tuple[float, int]:
        """The seconds that the client is behind with reading, and the bytes left to read."""
        return self._behind_reading, self.transport.get_write_buffer_size()

    def abort(self) -> None:
        """Close the connection without sending what is left."""
        self.transport.abort()

    def check_pace(self, seconds: float) -> None:
        """Close the connection if its client is too slow; called about once a second."""
        self._check_reading(seconds)
        if self.transport.is_closing() or self._phase is Phase.NOTHING:
            return
        if self._phase is Phase.BODY and self.flow.read_paused:
            return  # the server has paused reading
        caught_up = self._body_bytes / SLOWEST_BYTES_PER_SECOND
        self._behind = max(0.0, self._behind + seconds - caught_up)
        self._body_bytes = 0
        if self._behind > (HEAD_SECONDS if self._phase is Phase.HEAD else BODY_SECONDS):
            self._end_slow()

    def _check_reading(self, seconds: float) -> None:
        """Check how much of the buffered response the client has read."""
        unread = self.transport.get_write_buffer_size()
        caught_up = max(0, self._unread_bytes - unread) / SLOWEST_BYTES_PER_SECOND
        self._behind_reading = max(0.0, self._behind_reading + seconds - caught_up)
        self._unread_bytes = unread
        if not unread:
            self._behind_reading = 0.0
        elif self._behind_reading > ANSWER_SECONDS:
            self.transport.abort()

    def _end_slow(self) -> None:
        is_silent = self._phase is Phase.HEAD and not self._waiting_bytes
        is_answering = self._phase is Phase.BODY and self.cycle.response_started
        if is_silent or is_answering:
            self.transport.close()
        else:
            awaited = "headers" if self._phase is Phase.HEAD else "body"
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, f"The request's {awaited} came too slowly.")

    def _enter(self, phase: Phase) -> None:
        self._phase, self._behind, self._body_bytes = phase, 0.0, 0

    def _refuse(self, status: HTTPStatus, text: str) -> None:
        """Respond in plain text, and close."""
        lines = [
            f"HTTP/1.1 {status.value} {status.phrase}",
            "content-type: text/plain; charset=utf-8",
            f"content-length: {len(text)}",
            "connection: close",
        ]
        self.transport.write("\r\n".join([*lines, "", text]).encode("ascii"))
        self.transport.close()
