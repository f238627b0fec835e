"""A bad network between browser and site: connections are cut, sockets are not let through."""

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self

REFUSAL = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Proxy:
    """Passes on what it gets, byte by byte, to a port of this machine."""

    def __init__(self, port: int) -> None:
        self.lets_sockets_through = True
        self.refused = 0
        self._target = ("127.0.0.1", port)
        self._ends: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Closing alone would not wake the one who waits in `accept`.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def cut(self) -> None:
        """Cut all connections, in the midst of whatever is on its way."""
        for end in list(self._ends):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=[client], daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), client:
            head = b""
            while b"\r\n\r\n" not in head:
                received = client.recv(65_536)
                if not received:
                    return
                head += received
            if b"upgrade: websocket" in head.lower() and not self.lets_sockets_through:
                self.refused += 1
                client.sendall(REFUSAL)
                return
            with socket.create_connection(self._target) as server:
                self._ends |= {client, server}
                server.sendall(head)
                back = threading.Thread(target=self._pump, args=[server, client], daemon=True)
                back.start()
                self._pump(client, server)
                back.join()
                self._ends -= {client, server}

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while received := source.recv(65_536):
                target.sendall(received)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
