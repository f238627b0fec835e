"""What one client may ask of the sockets is limited, and no other client is."""

import asyncio
import math

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from runner.models import QuotaOverride
from runner.sockets import consumer
from runner.sockets.authorization import permissions
from runner.sockets.limits import connection_limits
from runner.sockets.networks import network_of
from runner.sockets.topic_log import query
from tests.patience import PATIENCE_SECONDS
from tests.support.sockets.event_log import write
from tests.support.sockets.raw_client import Raw, subscribe
from tests.support.sockets.server import Address, Peer, Server, signed_in

TOPIC = "open:a"


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "::ffff:203.0.113.7"),
        ("", ""),
        ("a unix socket", "a unix socket"),
    ],
)
def test_an_address_is_what_one_customer_has(address: str, network: str) -> None:
    assert network_of(address) == network


def allow_sockets(user: User, limit: int) -> None:
    QuotaOverride.objects.create(user=user, resource="sockets", limit=limit)


async def is_full_for(server: Server, cookie: str) -> bool:
    """Say whether one more socket is refused; where it isn't, it is closed again."""
    async with Raw(Address(server.url, server.origin), cookie=cookie) as client:
        if b"hello" in (await client.receive())[1]:
            return False
        _, code = await client.receive_to_the_end()
        assert code == 4423
        return True


async def test_sockets_are_counted_by_user_and_by_address_of_those_who_are_none(
    server: Server, settings: Settings
) -> None:
    settings.SOCKETS_PER_USER, settings.SOCKETS_PER_ADDRESS = 2, 1
    mira_user, _, mira = await query(signed_in, "mira")
    _, _, mira_elsewhere = await query(signed_in, "mira")
    _, _, otto = await query(signed_in, "otto")
    async with Peer(server, cookie=mira), Peer(server, cookie=mira_elsewhere) as second:
        assert await is_full_for(server, mira)
        assert not await is_full_for(server, otto)
        async with Peer(server):
            assert await is_full_for(server, "")
            assert await is_full_for(server, "sessionid=made-up")
        await query(allow_sockets, mira_user, 3)
        permissions()._overrides_due = -math.inf  # staff's limit is read once a minute
        assert not await is_full_for(server, mira)
        # Who was there already is not disturbed.
        await query(write, TOPIC, ["x"])
        await second.subscribe(TOPIC)
        assert await second.receive_seqs(1) == [1]
    async with asyncio.timeout(PATIENCE_SECONDS):
        while await is_full_for(server, mira) or await is_full_for(server, ""):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        while connection_limits.taken:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)


async def test_who_asks_and_reads_no_answers_is_closed(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumer, "MAX_REPLIES", 20)
    await query(write, TOPIC, ["x" * 10_000] * 300)
    async with Raw(Address(server.url, server.origin)) as client:
        await client.send(subscribe(TOPIC))
        await asyncio.sleep(1)  # until the socket is full
        for number in range(40):
            await client.send(subscribe(f"private:{number}"))
        async with asyncio.timeout(PATIENCE_SECONDS):
            while connection_limits.taken:  # noqa: ASYNC110 - or reading would let the answers out
                await asyncio.sleep(0.01)
        _, code = await client.receive_to_the_end()
        assert code == 4429


async def test_asking_for_topics_again_and_again_is_a_flood(server: Server) -> None:
    async with Peer(server) as peer:
        for _ in range(400):
            await peer.subscribe(TOPIC)
        _, refusal = await peer.receive_until("error")
        assert refusal["code"] == "too_many_frames"
        assert await peer.await_close() == 4429
