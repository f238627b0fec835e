"""Requests as uvicorn reads them, and what keeps one client from filling our memory.

uvicorn's other parser refuses long headers itself; being written in Python, it took more of a short
request's time than its view.
"""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

# Of what is no body: the line that says what is wanted, headers, and what may follow a body.
LARGEST_HEAD_BYTES = 64 * 1024
# Requests that may be sent before the first of them is answered.
MOST_AHEAD = 32


class RequestProtocol(HttpToolsProtocol):
    """One connection, on which nobody sends headers or requests without end."""

    # What has come since anything was last made of it.
    _waiting_bytes = 0

    def data_received(self, data: bytes) -> None:
        self._waiting_bytes += len(data)
        super().data_received(data)
        if self._waiting_bytes > LARGEST_HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response("The headers are too long.")

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= MOST_AHEAD:
            raise ValueError("too many requests at once")  # which is then said to be invalid
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._waiting_bytes = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._waiting_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._waiting_bytes = 0
        super().on_message_complete()
