"""Clients that dawdle, or come in numbers, end; all others notice nothing."""

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import pytest

from socialcode.server import http_protocol
from socialcode.server.connection_limits import SWEEP_SECONDS
from tests.patience import PATIENCE_SECONDS
from tests.support.site import Site, url_of_test_database

pytestmark = pytest.mark.django_db(transaction=True)

GET = b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n\r\n"
MOST = 40
ATTACKER, NEIGHBOUR = "127.0.0.21", "127.0.0.22"
# What the server, and a machine with other work, may take on top.
SOON_SECONDS = 3 * SWEEP_SECONDS + 3.0


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    named = {
        "DATABASE_URL": url_of_test_database(),
        "SOCIALCODE_CONNECTIONS_PER_ADDRESS": str(MOST),
    }
    found = Site(tmp_path, {**os.environ, **named})
    found.start_web()
    yield found
    found.stop()


class Client:
    """A connection from an address of its own choice."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._since = time.monotonic()

    @classmethod
    async def connect(cls, site: Site, stack: AsyncExitStack, address: str) -> "Client":
        made = await asyncio.open_connection("127.0.0.1", site.port, local_addr=(address, 0))
        stack.callback(made[1].close)
        return cls(*made)

    async def drip(self, first: bytes, drop: bytes) -> tuple[bytes, float]:
        """Send the one, then a drop each tenth of a second; return what is said, and when."""
        self._writer.write(first)
        dripping = asyncio.create_task(self._drip(drop))
        said = b""
        with suppress(ConnectionError):  # from what was sent after the end
            while piece := await asyncio.wait_for(self._reader.read(65_536), 60):
                said += piece
        dripping.cancel()
        return said, time.monotonic() - self._since

    async def _drip(self, drop: bytes) -> None:
        while drop:
            await asyncio.sleep(0.1)
            self._writer.write(drop)

    async def ask(self) -> bytes:
        """Return the first line of an answer, and read it to its end."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            self._writer.write(GET + b"Connection: close\r\n\r\n")
            return (await self._reader.read()).partition(b"\r\n")[0]


async def test_who_dawdles_is_told_so_and_ends_within_seconds(site: Site) -> None:
    async with AsyncExitStack() as stack:
        cases = {
            "nothing at all": (b"", b"", b""),
            "headers by the letter": (GET + b"X-Slow: ", b"a", b"HTTP/1.1 408"),
            "headers by the line": (GET, b"X: 1\r\n", b"HTTP/1.1 408"),
            "a body by the letter": (POST, b"a", b"HTTP/1.1 408"),
            "headers, then nothing": (GET, b"", b"HTTP/1.1 408"),
            "a body that never comes": (POST, b"", b"HTTP/1.1 408"),
            "half a handshake": (GET + b"Upgrade: websocket\r\n", b"a", b"HTTP/1.1 408"),
        }
        clients = [await Client.connect(site, stack, ATTACKER) for _ in cases]
        dripped = [
            client.drip(first, drop)
            for client, (first, drop, _) in zip(clients, cases.values(), strict=True)
        ]
        for name, (said, seconds), (*_, begun) in zip(
            cases, await asyncio.gather(*dripped), cases.values(), strict=True
        ):
            assert said.startswith(begun), name
            assert bool(said) == bool(begun), name
            assert seconds > http_protocol.HEAD_SECONDS - SWEEP_SECONDS, name
            assert seconds < http_protocol.HEAD_SECONDS + SOON_SECONDS, name


async def test_between_two_requests_nobody_dawdles_either(site: Site) -> None:
    async with AsyncExitStack() as stack:
        # The first answer of a server takes it longer.
        assert b" 200 " in await (await Client.connect(site, stack, NEIGHBOUR)).ask()
        client = await Client.connect(site, stack, ATTACKER)
        said, seconds = await client.drip(GET + b"\r\n" + GET + b"X-Slow: ", b"a")
        assert said.count(b"HTTP/1.1 200 OK") == 1
        assert said.count(b"HTTP/1.1 408") == 1
        assert seconds < http_protocol.HEAD_SECONDS + SOON_SECONDS


async def test_an_address_has_so_many_connections_and_others_notice_nothing(site: Site) -> None:
    async with AsyncExitStack() as stack:
        held = [await Client.connect(site, stack, ATTACKER) for _ in range(MOST)]
        first = await Client.connect(site, stack, NEIGHBOUR)
        assert b" 200 " in await first.ask()  # by when those before are known, too
        one_more = await Client.connect(site, stack, ATTACKER)
        said, seconds = await one_more.drip(b"", b"")
        assert said.startswith(b"HTTP/1.1 429 Too Many Requests\r\n")
        assert seconds < SOON_SECONDS
        for _ in range(5):
            neighbour = await Client.connect(site, stack, NEIGHBOUR)
            assert b" 200 " in await neighbour.ask()
        assert b" 200 " in await held[0].ask()
        # What has ended counts no more.
        assert b" 200 " in await (await Client.connect(site, stack, ATTACKER)).ask()
