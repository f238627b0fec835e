"""A receiver of webhooks: an HTTP server of its own on this machine."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ssl import SSLContext
from typing import Any


@dataclass(frozen=True, slots=True)
class Received:
    """A request that came."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def event(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.body)
        return read


@dataclass(slots=True)
class Receiver:
    """What came, and how it is answered: with `status`, headers and body, after `answering`."""

    port: int
    received: list[Received] = field(default_factory=list)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"thanks"
    answering: Callable[[Received], object] = lambda _received: None
    at_once: int = 0
    most_at_once: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def events(self) -> list[str]:
        return [each.event["event"] for each in self.received]


@contextmanager
def receiver(*, context: SSLContext | None = None) -> Iterator[Receiver]:
    """Run a receiver on a free port."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            came = Received(self.path, headers, body)
            with lock:
                state.received.append(came)
                state.at_once += 1
                state.most_at_once = max(state.most_at_once, state.at_once)
            try:
                state.answering(came)
            finally:
                with lock:
                    state.at_once -= 1
            self.send_response(state.status)
            for name, value in state.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(state.body)))
            self.end_headers()
            self.wfile.write(state.body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *_: object) -> None:
            """Say nothing: the sender may go before it is answered."""

    server = Server(("127.0.0.1", 0), Handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    state = Receiver(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
