"""A proxy before the web hosts: gives connections in turn to those that are ready.

python -m chaos.hosts.balancer ADDRESS PORT FILE       # with an address and a port on each line
"""

import asyncio
import contextlib
import itertools
import sys
from pathlib import Path

from runner.calls.addresses import TcpAddress, keep_alive

CHECK_SECONDS = 0.5
PATIENCE_SECONDS = 2.0
# As docs/operations.md recommends.
PROBE = "/readyz?exclude=queue&exclude=sandbox&exclude=analysis"
CHECK = f"GET {PROBE} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode()


class Balancer:
    """The web servers that are listed in a file, which may change, and which of them are ready."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._ready: list[TcpAddress] = []
        self._turns = itertools.count()

    async def watch(self) -> None:
        """Check all web servers again and again."""
        while True:
            listed = [line.split() for line in self._file.read_text("ascii").splitlines()]
            servers = [TcpAddress(address, int(port)) for address, port in listed]
            checks = await asyncio.gather(*map(_is_ready, servers))
            self._ready = list(itertools.compress(servers, checks))
            await asyncio.sleep(CHECK_SECONDS)

    async def forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Connect a client with a web server, the next one that can be reached."""
        ready = self._ready
        for _ in ready:
            server = ready[next(self._turns) % len(ready)]
            with contextlib.suppress(OSError):
                async with asyncio.timeout(PATIENCE_SECONDS):
                    its_reader, its_writer = await asyncio.open_connection(*server)
                for each in (writer, its_writer):
                    keep_alive(each.get_extra_info("socket"))
                await asyncio.gather(_copy(reader, its_writer), _copy(its_reader, writer))
                return
        writer.transport.abort()


async def _is_ready(server: TcpAddress) -> bool:
    with contextlib.suppress(OSError):
        async with asyncio.timeout(PATIENCE_SECONDS):
            reader, writer = await asyncio.open_connection(*server)
            try:
                writer.write(CHECK)
                return (await reader.readline()).startswith(b"HTTP/1.1 200 ")
            finally:
                writer.transport.abort()
    return False


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Forward what comes until one side ends; then end both directions."""
    try:
        while some := await reader.read(65_536):
            writer.write(some)
            await writer.drain()
    except OSError:
        writer.transport.abort()
    else:
        with contextlib.suppress(OSError):
            writer.close()


async def main(address: str, port: str, file: str) -> None:
    """Serve until killed."""
    balancer = Balancer(Path(file))
    server = await asyncio.start_server(balancer.forward, address, int(port), backlog=1024)
    await asyncio.gather(server.serve_forever(), balancer.watch())


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:4]))
