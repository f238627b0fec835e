"""Clients behind proxies are told apart, and nobody is taken for who they say they are."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin

from tests.patience import PATIENCE_SECONDS
from tests.support.forwarding_proxy import ForwardingProxy
from tests.support.site import Site, url_of_test_database

pytestmark = pytest.mark.django_db(transaction=True)

# All are this machine's. The site trusts the two proxies, and nobody else.
OUTER, INNER, STRANGER = "127.0.0.2", "127.0.0.3", "127.0.0.4"
MIRA, OTTO = "127.0.0.11", "127.0.0.12"
TRUSTED = f"{OUTER}/32,{INNER}"
FORGED = "203.0.113.9"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Serve behind these proxies, one socket for each address."""
    found = start(tmp_path, SOCIALCODE_BEHIND_PROXY="On", SOCIALCODE_TRUSTED_PROXIES=TRUSTED)
    yield found
    found.stop()


def start(folder: Path, **environment: str) -> Site:
    named = {"DATABASE_URL": url_of_test_database(), "SOCIALCODE_SOCKETS_PER_ADDRESS": "1"}
    site = Site(folder, {**os.environ, **named, **environment})
    site.start_web()
    return site


@asynccontextmanager
async def socket(
    at: tuple[str, int],
    *,
    client: str,
    host: str = "localhost",
    origin: str = "https://localhost",
    **headers: str,
) -> AsyncIterator[ClientConnection]:
    """Open one from this address; `x_forwarded_for` is what its own words are."""
    connection = await connect(
        f"ws://{host}/ws/",
        host=at[0],
        port=at[1],
        local_addr=(client, 0),
        origin=Origin(origin),
        additional_headers={name.replace("_", "-"): value for name, value in headers.items()},
        proxy=None,
        open_timeout=PATIENCE_SECONDS,
    )
    async with connection:
        yield connection


async def is_taken(connection: ClientConnection) -> bool:
    """Tell whether it is let in, or turned away as one too many of its address."""
    frame = json.loads(await asyncio.wait_for(connection.recv(), PATIENCE_SECONDS))
    assert frame["type"] in ("hello", "error")
    return bool(frame["type"] == "hello")


async def test_clients_behind_two_proxies_are_told_apart_and_forge_nothing(site: Site) -> None:
    async with (
        ForwardingProxy(INNER, ("127.0.0.1", site.port)) as inner,
        ForwardingProxy(OUTER, (INNER, inner.port), scheme="https") as outer,
    ):
        at = (OUTER, outer.port)
        async with socket(at, client=MIRA) as first:
            assert await is_taken(first)
            for forged in (FORGED, OTTO, f"{OUTER}, {INNER}", "unknown", f"{FORGED}:80"):
                async with socket(at, client=MIRA, x_forwarded_for=forged) as again:
                    assert not await is_taken(again), forged
            async with socket(at, client=OTTO) as other:
                assert await is_taken(other)


async def test_whoever_is_no_trusted_proxy_is_believed_nothing(site: Site) -> None:
    at = ("127.0.0.1", site.port)
    plain = {"origin": "http://localhost"}
    async with socket(at, client=STRANGER, x_forwarded_for=FORGED, **plain) as first:
        assert await is_taken(first)
        for forged in (FORGED, OTTO, MIRA):
            async with socket(at, client=STRANGER, x_forwarded_for=forged, **plain) as again:
                assert not await is_taken(again), forged
        # Nor by which scheme it came.
        with pytest.raises(InvalidStatus, match="403"):
            async with socket(at, client=OTTO, x_forwarded_proto="https"):
                pass


async def test_the_origin_is_compared_with_what_the_proxy_announces(site: Site) -> None:
    async with ForwardingProxy(INNER, ("127.0.0.1", site.port), scheme="https") as proxy:
        at = (INNER, proxy.port)
        async with socket(at, client=MIRA, origin="https://localhost") as ours:
            assert await is_taken(ours)
        for foreign in ("http://localhost", "https://localhost:8443", "https://127.0.0.1"):
            with pytest.raises(InvalidStatus, match="403"):
                async with socket(at, client=OTTO, origin=foreign, x_forwarded_proto="http"):
                    pass


async def test_without_a_proxy_nobody_is_believed(tmp_path: Path) -> None:
    site = start(tmp_path, SOCIALCODE_BEHIND_PROXY="no")
    try:
        at = ("127.0.0.1", site.port)
        plain = {"origin": "http://localhost", "client": "127.0.0.1"}
        async with socket(at, x_forwarded_for=FORGED, **plain) as first:
            assert await is_taken(first)
            async with socket(at, x_forwarded_for=OTTO, **plain) as again:
                assert not await is_taken(again)
    finally:
        site.stop()
