"""Who else follows a function is told to all who follow it, whatever becomes of their processes."""

import asyncio
import base64
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest
import redis
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from functions.models import Function
from runner.presence import presence, redis_shares
from runner.presence.redis_shares import PROCESSES
from runner.sockets import consumer
from runner.sockets.frames import encode
from runner.sockets.topic_log import query
from socialcode import web
from socialcode.embedded.children import start_child, stop_child
from socialcode.embedded.engines import Engines
from tests.patience import PATIENCE_SECONDS
from tests.support.site import ROOT, Site
from tests.support.sockets.server import Address, Peer, Server, signed_in
from tests.support.works import define, draft_implementation

PROMISED_SECONDS = 30
TICK_SECONDS = 0.1
# A fraction of what it is in earnest, for tests to wait less.
HASTE = {
    "runner.presence.presence:TICK_SECONDS": TICK_SECONDS,
    "runner.presence.presence:GRACE_SECONDS": 0.3,
    "runner.presence.presence:NAMES_TTL_SECONDS": 0.5,
    "runner.presence.presence:MAX_PAUSE_SECONDS": 0.2,
    # More than a busy machine holds up a process that is there.
    "runner.presence.redis_shares:LEASE_SECONDS": 3.0,
    "socialcode.web:PING_INTERVAL_SECONDS": 1.0,
    "socialcode.web:PING_TIMEOUT_SECONDS": 1.0,
}


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process hurry as those do that the tests start."""
    for place, seconds in HASTE.items():
        monkeypatch.setattr(place.replace(":", "."), seconds)


@pytest.fixture
def valkey() -> Iterator[redis.Redis]:
    with redis.Redis.from_url(django_settings.REDIS_URL) as client:
        yield client


@asynccontextmanager
async def watching(
    server: Server | Address, function: Function, name: str = ""
) -> AsyncIterator[Peer]:
    """Look at the function, as this user or as nobody."""
    cookie = (await query(signed_in, name))[2] if name else ""
    async with Peer(server, cookie=cookie) as peer:
        await be_present(peer, function.topic)
        yield peer


async def be_present(peer: Peer, topic: str) -> None:
    await peer.send("subscribe", topic=topic, epoch=1, after=0, present=True)


async def sees(peer: Peer, *people: str, others: int = 0, within: float = PATIENCE_SECONDS) -> Any:
    """Read on until the peer is told that just these are there; returns the frame."""
    last = None
    try:
        async with asyncio.timeout(within):
            while True:
                last = (await peer.receive_until("presence", within=within))[1]
                if (last["people"], last["others"]) == (list(people), others):
                    return last
    except TimeoutError:
        pytest.fail(f"not {people} and {others} others, but {last}")


async def pictures_until_quiet(peer: Peer, *, quiet_seconds: float) -> list[Any]:
    """Return what the peer is told until for so long there is nothing new."""
    told = []
    while True:
        try:
            told.append((await peer.receive_until("presence", within=quiet_seconds))[1])
        except TimeoutError:
            return told


@asynccontextmanager
async def second_process(folder: Path, site: Site) -> AsyncIterator[tuple[Address, Popen[bytes]]]:
    """Serve the same site once more, in a process in a hurry."""
    with web.listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        child = start_child(
            [sys.executable, "-m", "tests.support.sockets.process", "--fd", str(listener.fileno())],
            log=folder / "second.log",
            folder=ROOT,
            environment={**site.environment, "STREAM_CONSTANTS": json.dumps(HASTE)},
            pass_fds=(listener.fileno(),),
        )
    try:
        yield Address(f"ws://127.0.0.1:{port}/ws/", f"http://127.0.0.1:{port}"), child
    finally:
        stop_child(child, signal.SIGKILL)


async def test_followers_are_told_of_one_another_and_who_they_are_themselves(
    server: Server,
) -> None:
    function = await query(define, "Add")
    async with watching(server, function) as stranger:
        assert (await sees(stranger, others=1))["you"] is None
        async with watching(server, function, "mira") as mira, watching(server, function, "otto"):
            told = await sees(mira, "mira", "otto", others=1)
            assert told == {
                "type": "presence",
                "topic": function.topic,
                "people": ["mira", "otto"],
                "others": 1,
                "you": "mira",
            }
            assert (await sees(stranger, "mira", "otto", others=1))["you"] is None
        await sees(stranger, others=1)


async def test_a_user_with_several_tabs_counts_once(server: Server) -> None:
    function = await query(define, "Add")
    async with watching(server, function) as stranger, watching(server, function, "mira"):
        await sees(stranger, "mira", others=1)
        async with watching(server, function, "mira") as second:
            await sees(second, "mira", others=1)
        assert await pictures_until_quiet(stranger, quiet_seconds=1) == []


async def test_those_at_another_topic_are_not_there(server: Server) -> None:
    add, double = await query(define, "Add"), await query(define, "Double")
    async with watching(server, double, "otto"), watching(server, add, "mira") as mira:
        await sees(mira, "mira")
        await be_present(mira, double.topic)
        assert (await sees(mira, "mira", "otto"))["topic"] == double.topic
        await mira.send("unsubscribe", topic=add.topic)
        async with watching(server, add) as stranger:
            await sees(stranger, others=1)


async def test_who_follows_without_saying_so_is_not_seen_and_sees_nobody(server: Server) -> None:
    function = await query(define, "Add")
    async with Peer(server) as list_of_runs, watching(server, function, "mira") as mira:
        await list_of_runs.subscribe(function.topic)
        await list_of_runs.receive_until("caught_up")
        await sees(mira, "mira")
        assert await pictures_until_quiet(list_of_runs, quiet_seconds=0.5) == []
        assert await pictures_until_quiet(mira, quiet_seconds=0.5) == []


async def test_nobody_is_told_who_follows_a_draft(server: Server) -> None:
    function = await query(define, "Add")
    draft = await query(draft_implementation, function, "", author="mira")
    async with watching(server, function, "mira") as mira:
        await be_present(mira, f"draft:implementation-{draft.pk}")
        await mira.receive_until("caught_up")
        told = await pictures_until_quiet(mira, quiet_seconds=1)
        assert {frame["topic"] for frame in told} == {function.topic}


async def test_whoever_signs_out_or_is_suspended_is_not_shown(server: Server) -> None:
    function = await query(define, "Add")
    async with watching(server, function) as stranger:
        user, client, cookie = await query(signed_in, "mira")
        async with Peer(server, cookie=cookie) as mira, watching(server, function, "otto"):
            await be_present(mira, function.topic)
            await sees(stranger, "mira", "otto", others=1)
            await query(client.post, "/accounts/logout/")
            await sees(stranger, "otto", others=1)
            # Without a word to the sockets, as if it had been lost.
            await query(User.objects.filter(username="otto").update, is_active=False)
            await sees(stranger, others=1)
            assert user.is_active


async def test_nothing_that_a_client_sends_makes_it_somebody(server: Server) -> None:
    function = await query(define, "Add")
    user = (await query(signed_in, "mira"))[0]
    async with Peer(server) as forger:
        claims = {"present": True, "user": user.pk, "you": "mira", "people": ["mira"]}
        await forger.send("subscribe", topic=function.topic, epoch=1, after=0, **claims)
        assert (await sees(forger, others=1))["you"] is None
        await forger.send("presence", topic=function.topic, **claims)
        assert await forger.await_close() == 4400


async def test_who_comes_and_goes_all_the_time_disturbs_nobody(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presence, "GRACE_SECONDS", 2.0)  # longer than coming back takes
    function = await query(define, "Add")
    async with watching(server, function, "mira") as mira:
        await sees(mira, "mira")
        async with watching(server, function, "otto") as otto, watching(server, function) as other:
            await sees(mira, "mira", "otto", others=1)
            for peer in (otto, other):
                for _ in range(20):
                    await peer.send("unsubscribe", topic=function.topic)
                    await asyncio.sleep(2 * TICK_SECONDS)
                    await be_present(peer, function.topic)
                await peer.receive_until("caught_up")
            assert await pictures_until_quiet(mira, quiet_seconds=0.5) == []


async def test_a_crowd_is_told_of_at_once_and_not_one_by_one(server: Server) -> None:
    function = await query(define, "Add")
    async with watching(server, function, "mira") as mira, AsyncExitStack() as crowd:
        await sees(mira, "mira")
        clock = asyncio.get_running_loop().time
        started = clock()
        for _ in range(40):
            await crowd.enter_async_context(watching(server, function))
        told = await pictures_until_quiet(mira, quiet_seconds=2)
        assert told[-1]["others"] == 40
        assert len(told) <= (clock() - started) / TICK_SECONDS + 1
        assert len(told) < 40


async def test_a_connection_that_takes_nothing_is_not_there_until_it_does_again(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumer, "HEARTBEAT_SECONDS", 3.0)
    monkeypatch.setattr(presence, "CONNECTION_TIMEOUT_SECONDS", 1.0)
    function = await query(define, "Add")
    async with watching(server, function, "mira") as mira:
        await sees(mira, "mira")
        await sees(mira)  # no heartbeat has gone out for a while
        await sees(mira, "mira")


async def test_what_a_process_says_takes_one_key_however_many_it_serves(
    server: Server, valkey: redis.Redis
) -> None:
    functions = [await query(define, f"F{number}") for number in range(20)]
    async with AsyncExitStack() as crowd:
        peers = [await crowd.enter_async_context(watching(server, one)) for one in functions]
        for peer in peers:
            await sees(peer, others=1)
        assert len(valkey.keys(f"{PROCESSES}:*")) == 1
    # All have left: it is taken back.
    async with asyncio.timeout(PATIENCE_SECONDS):
        while valkey.keys(f"{PROCESSES}:*"):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.05)


async def test_two_processes_know_of_one_another_and_a_killed_one_is_forgotten(
    server: Server, live_site: Site, tmp_path: Path
) -> None:
    function = await query(define, "Add")
    async with (
        second_process(tmp_path, live_site) as (address, process),
        watching(server, function, "mira") as mira,
        watching(server, function, "nora"),
        watching(address, function, "otto") as otto,
        watching(address, function, "nora"),
        watching(address, function),
    ):
        for peer in (mira, otto):
            await sees(peer, "mira", "nora", "otto", others=1)
        process.kill()
        await sees(mira, "mira", "nora", within=PROMISED_SECONDS)


async def test_a_browser_that_vanishes_without_a_word_is_forgotten(
    server: Server, live_site: Site, tmp_path: Path
) -> None:
    function = await query(define, "Add")
    async with (
        second_process(tmp_path, live_site) as (address, _),
        watching(server, function, "mira") as mira,
    ):
        await sees(mira, "mira")
        writer = await deaf_follower(address, function)
        await sees(mira, "mira", others=1)
        await sees(mira, "mira", within=PROMISED_SECONDS)
        writer.close()


async def deaf_follower(address: Address, function: Function) -> asyncio.StreamWriter:
    """Follow the function on a connection that is never read again: no ping is answered."""
    host = address.origin.removeprefix("http://")
    name, port = host.split(":")
    reader, writer = await asyncio.open_connection(name, int(port))
    key = base64.b64encode(os.urandom(16)).decode()
    writer.write(
        f"GET /ws/ HTTP/1.1\r\nHost: {host}\r\nOrigin: {address.origin}\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
        f"Sec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    await reader.readuntil(b"\r\n\r\n")
    fields = {"type": "subscribe", "topic": function.topic, "epoch": 1, "after": 0}
    frame = encode({**fields, "present": True}).encode()
    assert len(frame) < 126
    writer.write(bytes([0x81, 0x80 | len(frame), 0, 0, 0, 0]) + frame)  # masked with zeros
    return writer


async def test_an_emptied_redis_is_whole_again(
    server: Server, live_site: Site, tmp_path: Path, valkey: redis.Redis
) -> None:
    function = await query(define, "Add")
    async with (
        second_process(tmp_path, live_site) as (address, _),
        watching(server, function, "mira") as mira,
        watching(address, function, "otto") as otto,
    ):
        for peer in (mira, otto):
            await sees(peer, "mira", "otto")
        valkey.flushdb()
        async with watching(address, function, "nora"), watching(server, function):
            for peer in (mira, otto):
                await sees(peer, "mira", "nora", "otto", others=1, within=PROMISED_SECONDS)


async def test_while_redis_hangs_nobody_claims_to_know_and_events_go_on(
    server: Server, settings: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    function = await query(define, "Add")
    with Engines(tmp_path, durable=False, postgres=False) as engines:
        ((process, _),) = engines._running
        settings.REDIS_URL = engines.places.redis_url
        async with watching(server, function, "mira") as mira:
            await sees(mira, "mira")
            process.send_signal(signal.SIGSTOP)
            try:
                _, told = await mira.receive_until("presence")
                assert (told["people"], told["others"]) == (None, None)
                async with watching(server, function) as late:
                    assert (await late.receive())["type"] == "caught_up"
                    _, told = await late.receive_until("presence")
                    assert told["people"] is None
            finally:
                process.send_signal(signal.SIGCONT)
            await sees(mira, "mira", within=PROMISED_SECONDS)
    caplog.clear()


def test_in_earnest_nobody_is_wrong_for_longer_than_promised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.undo()
    tick = presence.TICK_SECONDS + presence.LOOKUP_WAIT_SECONDS
    # Told by its own process, heard by another, and told to those who were told just before.
    told = 2 * tick + presence.MAX_PAUSE_SECONDS
    vanished = web.PING_INTERVAL_SECONDS + web.PING_TIMEOUT_SECONDS
    assert redis_shares.LEASE_SECONDS + told <= PROMISED_SECONDS  # a killed process
    assert vanished + presence.GRACE_SECONDS + told <= PROMISED_SECONDS  # a lost browser
    assert presence.CONNECTION_TIMEOUT_SECONDS + presence.GRACE_SECONDS + told <= PROMISED_SECONDS
    assert presence.NAMES_TTL_SECONDS + told <= PROMISED_SECONDS  # a suspended user
    # Redis is away: nobody claims to know; a tick then takes as long as Redis is waited for.
    assert redis_shares.LEASE_SECONDS + redis_shares.TIMEOUT_SECONDS + told <= PROMISED_SECONDS
    # One that is there is not taken to be gone for being slow once.
    assert 2 * (tick + redis_shares.TIMEOUT_SECONDS) <= redis_shares.LEASE_SECONDS
    assert presence.CONNECTION_TIMEOUT_SECONDS >= 2 * consumer.HEARTBEAT_SECONDS
