"""Whatever breaks between the log and a client, it ends with every event, once, in order."""

import asyncio
import json
import os
import random
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit, urlunsplit
from urllib.request import Request, urlopen

import psycopg
import pytest
import redis
from django.conf import settings as django_settings
from django.db import connection
from pytest_django.fixtures import Settings

from runner import registry
from runner.events import wakeups
from runner.events.topics import open_topic
from runner.events.wakeups import wake_followers
from runner.models import Topic
from runner.sockets import client as stream_client
from runner.sockets import consumer, subscriptions, topic_log
from runner.sockets.client import StreamClient, StreamRefusedError, StreamResetError
from runner.sockets.topic_log import query
from socialcode.embedded.engines import Engines
from tests.patience import PATIENCE_SECONDS
from tests.support.sockets.event_log import write
from tests.support.sockets.raw_client import TEXT, Raw, subscribe
from tests.support.sockets.server import Address, Peer, Server, signed_in

TOPIC = "open:a"


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look and beat more often than in earnest, to wait less; take nobody for silent for that."""
    monkeypatch.setattr(subscriptions, "POLL_SECONDS", 0.3)
    monkeypatch.setattr(consumer, "HEARTBEAT_SECONDS", 0.3)
    monkeypatch.setattr(stream_client, "TIMEOUT_HEARTBEATS", PATIENCE_SECONDS / 0.3)


@pytest.fixture
def valkey() -> Iterator[redis.Redis]:
    with redis.Redis.from_url(django_settings.REDIS_URL) as client:
        yield client


@asynccontextmanager
async def following(server: Server, *, after: int = 0) -> AsyncIterator[StreamClient]:
    async with StreamClient(
        server.url, origin=server.origin, first_retry_seconds=0.1, last_retry_seconds=0.2
    ) as client:
        await client.follow(TOPIC, after=after)
        yield client


async def seqs(client: StreamClient, count: int, *, within: float = PATIENCE_SECONDS) -> list[int]:
    async with asyncio.timeout(within):
        return [(await client.next_event()).seq for _ in range(count)]


@pytest.mark.usefixtures("soon")
async def test_an_event_whose_wake_up_is_lost_is_delivered_all_the_same(server: Server) -> None:
    async with Peer(server) as peer:
        await peer.subscribe(TOPIC)
        await peer.receive_until("caught_up")
        await query(write, TOPIC, ["x", "y"], waking=False)
        assert await peer.receive_seqs(2) == [1, 2]


def test_a_lost_wake_up_costs_five_seconds_at_most() -> None:
    assert subscriptions.POLL_SECONDS <= 5


@pytest.mark.usefixtures("soon")
async def test_emptying_redis_loses_nothing(server: Server, valkey: redis.Redis) -> None:
    async with following(server) as client:
        await query(write, TOPIC, ["x"])
        assert await seqs(client, 1) == [1]
        valkey.flushdb()
        await query(write, TOPIC, ["y"])
        assert await seqs(client, 1) == [2]
        assert client.connections == 1


@pytest.mark.usefixtures("soon")
async def test_a_lost_connection_to_redis_loses_nothing_and_wakes_again(
    server: Server, valkey: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    database = str(valkey.connection_pool.connection_kwargs.get("db", 0))
    async with following(server) as client:
        await query(write, TOPIC, ["x"])
        assert await seqs(client, 1) == [1]
        for other in valkey.client_list(_type="pubsub"):
            if other["db"] == database:
                valkey.client_kill_filter(_id=other["id"])
        for seq in (2, 3, 4):
            await query(write, TOPIC, ["y"])
            assert await seqs(client, 1) == [seq]
        caplog.clear()  # the layer's complaint about its lost connection


@pytest.mark.usefixtures("soon")
async def test_following_without_redis_costs_seconds_and_loses_nothing(
    server: Server, settings: Settings
) -> None:
    layers = settings.CHANNEL_LAYERS
    settings.CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {"hosts": [{"address": "unix:///nowhere/valkey.sock"}]},
        }
    }
    async with following(server) as client:
        for seq in (1, 2):
            await query(write, TOPIC, ["x"])
            assert await seqs(client, 1) == [seq]
        settings.CHANNEL_LAYERS = layers
        await query(write, TOPIC, ["x"])
        assert await seqs(client, 1) == [3]


async def test_wake_ups_are_heard_after_an_idle_while(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Looked at too late for this test: only a wake-up brings it.
    monkeypatch.setattr(subscriptions, "POLL_SECONDS", 2 * PATIENCE_SECONDS)
    async with following(server) as client:
        await client.wait_caught_up(TOPIC)
        await asyncio.sleep(6)  # the Redis client's own timeout is five
        await query(write, TOPIC, ["x"])
        assert await seqs(client, 1) == [1]


@pytest.mark.usefixtures("soon")
async def test_a_redis_that_hangs_holds_nobody_up(
    server: Server, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Engines(tmp_path, durable=False, postgres=False) as engines:
        ((valkey, _),) = engines._running
        address = {"address": engines.places.redis_url, "socket_timeout": None}
        settings.CHANNEL_LAYERS = {
            "default": {
                "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
                "CONFIG": {"hosts": [address]},
            }
        }
        async with following(server) as early:
            await query(write, TOPIC, ["x"])
            assert await seqs(early, 1) == [1]
            valkey.send_signal(signal.SIGSTOP)
            try:
                with monkeypatch.context() as patched:
                    # Who waited for the word to be given would wait for that long.
                    patched.setattr(wakeups, "WAKE_TIMEOUT_SECONDS", 100 * PATIENCE_SECONDS)
                    async with asyncio.timeout(PATIENCE_SECONDS):
                        await query(write, TOPIC, ["y"])
                assert await seqs(early, 1) == [2]
                async with following(server) as late:
                    assert await seqs(late, 2) == [1, 2]
            finally:
                valkey.send_signal(signal.SIGCONT)
            await query(write, TOPIC, ["z"])
            assert await seqs(early, 1) == [3]


@contextmanager
def database_away() -> Iterator[None]:
    """Have the database refuse whoever comes."""
    name = connection.settings_dict["NAME"]
    # Another database of the same server takes the order.
    server = urlsplit(os.environ["DATABASE_URL"])._replace(path="/postgres")
    with psycopg.connect(urlunsplit(server), autocommit=True) as administrator:
        administrator.execute(f'alter database "{name}" allow_connections false')
        try:
            yield
        finally:
            administrator.execute(f'alter database "{name}" allow_connections true')


@pytest.mark.usefixtures("soon")
async def test_sockets_outlive_a_database_that_is_away(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topic_log, "RETRY_SECONDS", 0.1)
    state = await query(open_topic, TOPIC)
    async with Peer(server) as early:
        await early.subscribe(TOPIC)
        await early.receive_until("caught_up")
        with database_away():
            wake_followers([state.id])
            async with Peer(server) as late:
                await late.subscribe(TOPIC)
                assert await late.await_close() == 1013
            await early.receive_until("heartbeat")
        await query(write, TOPIC, ["x"])
        assert await early.receive_seqs(1) == [1]


async def test_whoever_comes_while_the_database_is_away_is_told_to_try_again(
    server: Server,
) -> None:
    _, _, cookie = await query(signed_in, "mira")
    with database_away():
        async with Raw(Address(server.url, server.origin), cookie=cookie) as client:
            assert await client.receive_to_the_end() == ([], 1013)
        for path, kind in (("/", "text/html"), ("/api/v1/functions/", "application/problem+json")):
            for headers in ({}, {"Cookie": cookie}):
                request = Request(server.origin + path, headers=headers)
                with pytest.raises(HTTPError) as refused:
                    await asyncio.to_thread(urlopen, request, timeout=PATIENCE_SECONDS)
                with refused.value as answer:
                    assert (answer.code, answer.headers["Retry-After"]) == (503, "5")
                    assert answer.headers.get_content_type() == kind


async def test_permission_lost_while_the_database_is_away_is_noticed_when_it_is_back(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(topic_log, "RETRY_SECONDS", 0.1)
    monkeypatch.setattr(consumer, "REAUTHORISE_SECONDS", 100 * PATIENCE_SECONDS)
    mira, _, cookie = await query(signed_in, "mira")
    async with Peer(server, cookie=cookie) as peer:
        await peer.subscribe(TOPIC)
        await peer.receive_until("caught_up")
        (connection,) = subscriptions.subscription_manager()._connections[mira.pk]
        assert isinstance(connection, consumer.TopicsConsumer)
        with database_away():
            monkeypatch.setitem(registry.topic_permissions, "open", lambda _actor, _row_id: False)
            wakeups.recheck_user(mira.pk)
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not connection._rechecks:  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.01)
            await asyncio.sleep(0.3)  # it has looked, in vain
        assert (await peer.receive_until("error"))[1]["code"] == "forbidden"


async def test_dropped_again_and_again_a_client_gets_every_event_once(server: Server) -> None:
    chance = random.Random(7)  # noqa: S311
    total = 600

    def write_all() -> None:
        for number in range(total // 4):
            write(TOPIC, [number] * 4)
            time.sleep(0.005)

    async with following(server) as client:
        writing = asyncio.create_task(query(write_all))
        received: list[int] = []
        while len(received) < total:
            received += await seqs(client, min(chance.randrange(1, 20), total - len(received)))
            await client.disconnect()
        await writing
        assert received == list(range(1, total + 1))
        assert client.connections > 5


async def test_ten_seconds_after_a_reconnect_a_client_is_at_the_head(server: Server) -> None:
    async with StreamClient(server.url, origin=server.origin) as client:
        await client.follow(TOPIC)
        await client.wait_caught_up(TOPIC)
        await client.disconnect()
        await query(write, TOPIC, ["x"] * 3_000)
        computed = time.process_time()
        assert await seqs(client, 3_000) == list(range(1, 3_001))
        # Of both ends of the socket: nothing else is under way in this process.
        assert time.process_time() - computed < 10
        assert client.connections == 2


async def test_a_server_that_restarts_is_followed_on(transactional_db: None) -> None:
    first = Server()
    await first.start()
    async with following(first) as client:
        await query(write, TOPIC, ["x"])
        assert await seqs(client, 1) == [1]
        await first.stop()
        await query(write, TOPIC, ["while nobody listens"])
        second = Server(port=first.port)
        await second.start()
        assert await seqs(client, 1) == [2]
    await second.stop()


async def test_a_client_is_told_of_reset_and_refusal_in_turn(server: Server) -> None:
    async with following(server, after=5) as client:
        with pytest.raises(StreamResetError, match="future") as reset:
            await client.next_event()
        await query(write, TOPIC, ["x"])
        await client.follow(TOPIC, epoch=reset.value.epoch, after=reset.value.head)
        assert await seqs(client, 1) == [1]
        await client.follow("private:0")
        with pytest.raises(StreamRefusedError):
            await client.next_event()


@pytest.mark.usefixtures("soon")
async def test_a_client_notices_a_lost_tail_by_the_heartbeat(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with following(server) as client:
        await query(write, TOPIC, ["x"])
        assert await seqs(client, 1) == [1]
        feed = subscriptions.subscription_manager().log(TOPIC)
        assert feed is not None
        await query(write, TOPIC, ["y"], waking=False)
        # The server knows the head, and believes to have sent it.
        (connection,) = feed.followers
        assert isinstance(connection, consumer.TopicsConsumer)
        connection.subscriptions[TOPIC].window.sent = 2
        await query(write, TOPIC, ["z"], waking=False)
        assert await seqs(client, 2) == [2, 3]


async def test_one_who_reads_slowly_is_waited_for_and_one_who_has_vanished_is_not(
    transactional_db: None,
) -> None:
    server = Server(ping_seconds=0.5)
    await server.start()
    await query(write, TOPIC, ["x" * 20_000] * 50)
    async with Raw(Address(server.url, server.origin)) as client:
        await client.send(subscribe(TOPIC))
        await asyncio.sleep(2)  # a ping waits behind what is not read
        received: list[int] = []
        async with asyncio.timeout(PATIENCE_SECONDS):
            while len(received) < 40:
                opcode, payload = await client.receive()
                if opcode == TEXT:
                    received += [each["seq"] for each in json.loads(payload).get("events", ())]
        assert received == list(range(1, len(received) + 1))
    async with Raw(Address(server.url, server.origin)) as client:
        await client.send(subscribe("open:empty"))
        await until_nobody_follows("open:empty", after_somebody=True)  # it answers no ping
    await server.stop()


async def until_nobody_follows(topic: str, *, after_somebody: bool = False) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while after_somebody and subscriptions.subscription_manager().log(topic) is None:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)
        while subscriptions.subscription_manager().log(topic) is not None:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@pytest.mark.usefixtures("soon")
async def test_connections_that_have_gone_are_forgotten(server: Server) -> None:
    async with Peer(server) as peer:
        await peer.subscribe(TOPIC)
        await peer.receive_until("caught_up")
        assert subscriptions.subscription_manager().log(TOPIC) is not None
    await until_nobody_follows(TOPIC)
    assert await query(Topic.objects.filter(name=TOPIC).exists)
