"""A socket that somebody has signed in on ends with the session or the account, at once."""

import asyncio
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from pytest_django.fixtures import Settings

from runner.sockets import consumer
from runner.sockets.topic_log import query
from socialcode.accounts import suspensions
from socialcode.accounts.models import DeletedAccount
from socialcode.accounts.personal_data import deletion
from tests.patience import PATIENCE_SECONDS
from tests.support.site import Site
from tests.support.sockets.event_log import write
from tests.support.sockets.server import Address, Peer, Server, signed_in
from tests.support.works import account

TOPIC = "open:a"
# Sooner than a server that nobody gives word looks by itself.
AT_ONCE_SECONDS = 15.0


@pytest.fixture(autouse=True)
def no_look_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let sockets wait for word: the look at intervals comes too late for any of these tests."""
    monkeypatch.setattr(consumer, "REAUTHORISE_SECONDS", 100 * PATIENCE_SECONDS)


async def is_signed_out(peer: Peer) -> bool:
    _, refusal = await peer.receive_until("error")
    return (refusal["code"], await peer.await_close()) == ("signed_out", 4401)


async def is_open(peer: Peer) -> bool:
    await peer.send("ping")
    return bool((await peer.receive())["type"] == "heartbeat")


def sign_out(_user: User, client: Client) -> None:
    client.post("/accounts/logout/")


def sign_in_as_another(_user: User, client: Client) -> None:
    client.force_login(User.objects.create(username="otto"))


def suspend(user: User, _client: Client) -> None:
    suspensions.suspend(
        actor=account("sam", is_staff=True), username=user.get_username(), reason="spam"
    )


def change_password(user: User, _client: Client) -> None:
    user.set_password("another, unknown to the session")
    user.save(update_fields=["password"])


def delete(user: User, _client: Client) -> None:
    user.delete()


def delete_account(user: User, _client: Client) -> None:
    deletion.delete_account(actor=user, work=DeletedAccount.Work.KEPT)


@pytest.mark.parametrize(
    "act",
    [sign_out, sign_in_as_another, suspend, change_password, delete, delete_account],
    ids=lambda act: act.__name__,
)
async def test_a_socket_closes_at_once_with_its_session_or_account(
    server: Server, act: Callable[[User, Client], None]
) -> None:
    user, client, cookie = await query(signed_in, "mira")
    own_topic = f"private:{user.pk}"
    async with Peer(server, cookie=cookie) as idle, Peer(server, cookie=cookie) as following:
        await following.subscribe(TOPIC)
        await following.receive_until("caught_up")
        await query(act, user, client)
        assert await is_signed_out(idle)
        assert await is_signed_out(following)
        await query(write, TOPIC, ["not for who has left"])
        async with Peer(server, cookie=cookie) as again:
            await again.subscribe(own_topic)
            assert (await again.receive())["code"] == "forbidden"


async def test_signing_out_closes_no_socket_of_another_session_or_user(server: Server) -> None:
    _, client, cookie = await query(signed_in, "mira")
    _, _, elsewhere = await query(signed_in, "mira")
    _, _, another = await query(signed_in, "otto")
    async with (
        Peer(server, cookie=cookie) as ending,
        Peer(server, cookie=elsewhere) as staying,
        Peer(server, cookie=another) as other,
        Peer(server) as stranger,
    ):
        await query(client.logout)
        assert await is_signed_out(ending)
        for peer in (staying, other, stranger):
            assert await is_open(peer)


async def test_a_suspension_counts_once_it_is_committed(server: Server) -> None:
    user, client, cookie = await query(signed_in, "mira")

    def suspend_and_think_better_of_it() -> None:
        with transaction.atomic():
            suspend(user, client)
            transaction.set_rollback(True)

    async with Peer(server, cookie=cookie) as peer:
        await query(suspend_and_think_better_of_it)
        with pytest.raises(TimeoutError):
            await peer.receive(within=0.5)
        await query(suspend, user, client)
        assert await is_signed_out(peer)


async def test_a_socket_of_another_process_hears_of_signing_out(live_site: Site) -> None:
    _, client, cookie = await query(signed_in, "mira")
    async with Peer(Address(live_site.socket_url, live_site.url), cookie=cookie) as peer:
        await query(client.logout)
        async with asyncio.timeout(AT_ONCE_SECONDS):
            assert await is_signed_out(peer)


async def test_without_redis_signing_out_waits_for_nobody_and_still_closes(
    server: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumer, "REAUTHORISE_SECONDS", 0.5)
    settings.CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [{"address": "unix:///nowhere/valkey.sock"}]},
        }
    }
    user, client, cookie = await query(signed_in, "mira")
    async with Peer(server, cookie=cookie) as peer:
        assert await is_open(peer)
        await query(sign_out, user, client)
        assert await is_signed_out(peer)
