"""A simulated network between clients and one web server, which stalls, loses and cuts."""

import asyncio
import contextlib
import random
from dataclasses import dataclass

from benchmarks.site import HOST

CUT_WITHIN_BYTES = 20_000  # of either direction


@dataclass(eq=False)
class _Line:
    """One connection; `left` is the number of bytes until it is cut, None if it isn't."""

    left: int | None = None
    is_lossy: bool = False


class Network:
    """Forwards connections to a web server; all methods are called on one event loop."""

    def __init__(self, target_host: str, target_port: int) -> None:
        self.port = 0
        self._target = target_host, target_port
        self._flows = asyncio.Event()
        self._flows.set()
        self._lines: dict[_Line, asyncio.Task[object]] = {}
        self._is_lossy = False

    async def open(self) -> None:
        server = await asyncio.start_server(self._connect, HOST, 0)
        self.port = server.sockets[0].getsockname()[1]

    def stall(self) -> None:
        """Hold all data back, without closing connections."""
        self._flows.clear()

    def flow(self) -> None:
        """Forward the data that was held back."""
        self._flows.set()

    def lose(self) -> None:
        """Drop all data, also of new connections."""
        self._is_lossy = True
        for line in self._lines:
            line.is_lossy = True

    def restore(self) -> None:
        """Stop dropping data; connections that have lost some are closed."""
        self._is_lossy = False
        for line, task in self._lines.items():
            if line.is_lossy:
                task.cancel()

    def cut(self, chance: random.Random) -> None:
        """Cut each connection after a random number of bytes, possibly within a frame."""
        for line in self._lines:
            line.left = chance.randrange(CUT_WITHIN_BYTES)

    def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = _Line(is_lossy=self._is_lossy)
        self._lines[line] = asyncio.create_task(self._carry(line, reader, writer))

    async def _carry(
        self, line: _Line, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writers = [writer]
        try:
            its_reader, its_writer = await asyncio.open_connection(*self._target)
            writers.append(its_writer)
            await asyncio.gather(
                self._forward(line, reader, its_writer), self._forward(line, its_reader, writer)
            )
        except (OSError, asyncio.CancelledError):
            for each in writers:
                each.transport.abort()
        finally:
            del self._lines[line]

    async def _forward(
        self, line: _Line, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while some := await reader.read(65_536):
            await self._flows.wait()
            if line.is_lossy:
                continue
            if line.left is not None:
                some = some[: line.left]
                line.left -= len(some)
            writer.write(some)
            await writer.drain()
            if line.left == 0:
                raise ConnectionAbortedError
        with contextlib.suppress(OSError):
            writer.close()
