"""The protocol over real sockets: a client gets what it asks for, and never what it may not."""

import asyncio
import logging
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings
from websockets.exceptions import InvalidStatus

from runner import registry
from runner.events import log_reader, topics, wakeups
from runner.events.log_reader import EventPage, Position
from runner.models import Topic
from runner.sockets import consumer, subscriptions, topic_log
from runner.sockets import frames as messages
from runner.sockets.topic_log import query
from socialcode.accounts.sessions import Session
from tests.patience import PATIENCE_SECONDS
from tests.support.sockets.event_log import purge, write
from tests.support.sockets.server import Peer, Server, signed_in

TOPIC = "open:a"


class Nobody:
    """Follows and does not care."""

    def notify(self, topic: str) -> None:
        pass


async def test_events_committed_between_rendering_and_subscribing_are_delivered(
    server: Server,
) -> None:
    await query(write, TOPIC, ["seen in the page"])
    page = await query(topics.head, TOPIC)
    await query(write, TOPIC, ["missed by the page", "too"])
    async with Peer(server) as peer:
        await peer.subscribe(TOPIC, epoch=page.epoch, after=page.seq)
        frame = await peer.receive()
        assert frame["type"] == "events"
        assert [(event["seq"], event["payload"]) for event in frame["events"]] == [
            (2, "missed by the page"),
            (3, "too"),
        ]
        assert await peer.receive() == {"type": "caught_up", "topic": TOPIC, "head": 3}


async def test_live_events_follow_by_their_wake_ups(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscriptions, "POLL_SECONDS", 2 * PATIENCE_SECONDS)
    async with Peer(server) as peer:
        await peer.subscribe(TOPIC)
        assert (await peer.receive())["type"] == "caught_up"
        for seq in range(1, 6):
            await query(write, TOPIC, [f"number {seq}"])
            assert await peer.receive_seqs(1) == [seq]


async def test_replaying_while_more_is_written_leaves_no_gap_and_no_duplicate(
    server: Server,
) -> None:
    await query(write, TOPIC, list(range(1_500)))

    def go_on() -> None:
        for number in range(100):
            write(TOPIC, [number] * 5)

    async with Peer(server) as early, Peer(server) as late:
        await early.subscribe(TOPIC, after=1_499)
        writing = asyncio.create_task(query(go_on))
        await late.subscribe(TOPIC)
        received = await asyncio.gather(early.receive_seqs(501), late.receive_seqs(2_000))
        await writing
    assert list(received) == [list(range(1_500, 2_001)), list(range(1, 2_001))]


@pytest.mark.parametrize(
    ("after", "epoch", "reason"), [(1, 1, "purged"), (4, 1, "future"), (3, 2, "epoch")]
)
async def test_a_place_that_the_log_does_not_go_on_from_is_reset_never_silence(
    server: Server, after: int, epoch: int, reason: str
) -> None:
    await query(write, TOPIC, ["x", "y", "z"])
    await query(purge, TOPIC, 3)
    async with Peer(server) as peer:
        await peer.subscribe(TOPIC, epoch=epoch, after=after)
        reset = await peer.receive()
        assert reset == {"type": "reset", "topic": TOPIC, "epoch": 1, "head": 3, "reason": reason}
        await peer.subscribe(TOPIC, epoch=reset["epoch"], after=reset["head"])
        assert (await peer.receive())["type"] == "caught_up"


async def test_another_history_while_following_is_reset(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscriptions, "POLL_SECONDS", 0.2)
    await query(write, TOPIC, ["x"])
    async with Peer(server) as peer:
        await peer.subscribe(TOPIC)
        await peer.receive_until("caught_up")
        await query(Topic.objects.filter(name=TOPIC).update, epoch=2)
        _, reset = await peer.receive_until("reset")
        assert (reset["epoch"], reset["reason"]) == (2, "epoch")
        await query(write, TOPIC, ["y"])
        await peer.subscribe(TOPIC, epoch=2, after=1)
        assert await peer.receive_seqs(1) == [2]


async def test_purging_what_a_slow_reader_has_not_read_is_reset(server: Server) -> None:
    await query(write, TOPIC, list(range(3_000)))
    async with Peer(server) as peer, Peer(server) as other:
        await other.subscribe(TOPIC, after=3_000)
        await other.receive_until("caught_up")
        state = await query(topics.open_topic, TOPIC)
        feed = await subscriptions.subscription_manager().follow(TOPIC, state, Nobody())
        await query(purge, TOPIC, 2_000)
        with pytest.raises(topic_log.LogReset, match="purged"):
            await feed.next_frame(100, Nobody())
        await peer.subscribe(TOPIC, after=1_999)
        assert (await peer.receive_seqs(1_001))[-1] == 3_000


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://127.0.0.1.evil.example:{port}",
        "https://127.0.0.1:{port}",  # another scheme
        "http://localhost:{port}",  # another name of ours
        "http://127.0.0.1:1",  # another port: somebody else's server on this machine
        "http://127.0.0.1",
        "http://mira@127.0.0.1:{port}",
        "http://127.0.0.1:{port}/page",
        "http://127.0.0.1:no-port",
        "127.0.0.1:{port}",
        "file://",
    ],
)
async def test_a_foreign_origin_gets_no_socket(server: Server, origin: str) -> None:
    with pytest.raises(InvalidStatus) as refusal:
        async with Peer(server, origin=origin.format(port=server.port)):
            pass
    assert refusal.value.response.status_code == 403


@pytest.mark.parametrize(
    ("trusted", "origin", "is_allowed"),
    [
        ("https://example.org", "https://example.org", True),
        ("https://example.org", "https://example.org:443", True),
        ("https://example.org", "http://example.org", False),
        ("https://example.org", "https://example.org:8443", False),
        ("https://example.org", "https://a.example.org", False),
        ("https://*.example.org", "https://a.example.org", True),
        ("https://*.example.org", "https://a.example.org.evil.example", False),
        ("https://*.example.org", "https://evilexample.org", False),
        ("https://*.example.org:8443", "https://a.example.org", False),
    ],
)
async def test_origins_that_may_post_forms_may_open_sockets(
    server: Server, settings: Settings, trusted: str, origin: str, is_allowed: bool
) -> None:
    settings.CSRF_TRUSTED_ORIGINS = [trusted]
    if is_allowed:
        async with Peer(server, origin=origin):
            return
    with pytest.raises(InvalidStatus):
        async with Peer(server, origin=origin):
            pass


async def test_a_host_that_is_not_ours_gets_no_socket(server: Server, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["example.org"]
    with pytest.raises(InvalidStatus):
        async with Peer(server):
            pass


async def test_a_topic_of_another_is_refused_and_the_socket_goes_on(server: Server) -> None:
    mira, _, _ = await query(signed_in, "mira")
    _, _, cookie = await query(signed_in, "otto")
    await query(write, f"private:{mira.pk}", ["secret"])
    for credentials in ("", cookie):
        async with Peer(server, cookie=credentials) as peer:
            for topic in (f"private:{mira.pk}", "private:0", "unknown:1"):
                await peer.subscribe(topic)
                refusal = await peer.receive()
                assert (refusal["type"], refusal["code"]) == ("error", "forbidden")
                assert refusal["topic"] == topic
            await peer.subscribe(TOPIC)
            assert (await peer.receive())["type"] == "caught_up"
    assert not await query(Topic.objects.filter(name__startswith="unknown").exists)


async def test_ones_own_topic_is_followed(server: Server) -> None:
    mira, _, cookie = await query(signed_in, "mira")
    await query(write, f"private:{mira.pk}", ["secret"])
    async with Peer(server, cookie=cookie) as peer:
        await peer.subscribe(f"private:{mira.pk}")
        assert await peer.receive_seqs(1) == [1]


async def test_permission_lost_ends_the_following(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumer, "REAUTHORISE_SECONDS", 0.3)
    async with Peer(server) as peer:
        await peer.subscribe(TOPIC)
        await peer.receive_until("caught_up")
        monkeypatch.setitem(registry.topic_permissions, "open", lambda _actor, _row_id: False)
        _, refusal = await peer.receive_until("error")
        assert (refusal["code"], refusal["topic"]) == ("forbidden", TOPIC)
        await query(write, TOPIC, ["not for you any more"])
        with pytest.raises(TimeoutError):
            await peer.receive(within=0.5)


async def test_permission_lost_while_asking_ends_the_following_at_once(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumer, "REAUTHORISE_SECONDS", 100 * PATIENCE_SECONDS)
    mira, _, cookie = await query(signed_in, "mira")
    allowed, is_asked, may_answer = [True], threading.Event(), threading.Event()

    def may_follow(_actor: topics.Actor, _row_id: str) -> bool:
        (answer,) = allowed
        is_asked.set()
        may_answer.wait(PATIENCE_SECONDS)
        return answer

    monkeypatch.setitem(registry.topic_permissions, "slow", may_follow)
    async with Peer(server, cookie=cookie) as peer:
        (connection,) = subscriptions.subscription_manager()._connections[mira.pk]
        assert isinstance(connection, consumer.TopicsConsumer)
        await peer.subscribe("slow:1")
        await asyncio.to_thread(is_asked.wait, PATIENCE_SECONDS)
        allowed[:] = [False]
        wakeups.recheck_user(mira.pk)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not connection._rechecks:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)  # it has looked, and found nothing that is followed
        may_answer.set()
        _, refusal = await peer.receive_until("error")
        assert (refusal["code"], refusal["topic"]) == ("forbidden", "slow:1")


async def test_a_socket_does_not_outlive_its_session(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumer, "REAUTHORISE_SECONDS", 0.3)
    _, client, cookie = await query(signed_in, "mira")
    async with Peer(server, cookie=cookie) as peer:
        await peer.subscribe(TOPIC)
        await peer.receive_until("caught_up")
        with pytest.raises(TimeoutError):
            await peer.receive(within=0.7)
        # It expires: nobody says a word of that.
        session = Session.objects.filter(pk=client.session.session_key)
        await query(session.update, expire_date=timezone.now())
        _, refusal = await peer.receive_until("error")
        assert refusal["code"] == "signed_out"
        assert await peer.await_close() == 4401


async def test_heartbeats_tell_the_heads(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumer, "HEARTBEAT_SECONDS", 0.2)
    await query(write, TOPIC, ["x", "y"])
    async with Peer(server) as peer:
        await peer.subscribe(TOPIC)
        await peer.subscribe("open:b")
        for _ in range(2):
            _, beat = await peer.receive_until("heartbeat")
            assert beat["heads"] == {TOPIC: 2, "open:b": 0}


async def test_a_ping_is_answered_before_a_heartbeat_is_due(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumer, "HEARTBEAT_SECONDS", 2 * PATIENCE_SECONDS)
    async with Peer(server) as peer:
        await peer.send("ping")
        assert await peer.receive() == {"type": "heartbeat", "heads": {}}


async def test_several_topics_share_a_socket_and_one_can_be_left(server: Server) -> None:
    async with Peer(server) as peer:
        for topic in (TOPIC, "open:b"):
            await peer.subscribe(topic)
            await peer.receive_until("caught_up")
        await peer.send("unsubscribe", topic=TOPIC)
        await peer.send("ping")
        assert (await peer.receive())["heads"] == {"open:b": 0}
        await query(write, TOPIC, ["left"])
        await query(write, "open:b", ["followed"])
        frame = await peer.receive()
        assert (frame["topic"], len(frame["events"])) == ("open:b", 1)


async def test_asking_again_sends_again_from_there(server: Server) -> None:
    await query(write, TOPIC, ["x", "y", "z"])
    async with Peer(server) as peer:
        await peer.subscribe(TOPIC)
        assert (await peer.receive_until("caught_up"))[0] == [1, 2, 3]
        await peer.subscribe(TOPIC, after=1)
        await peer.send("ack", topic=TOPIC, seq=3)  # what was on its way when asking again
        assert (await peer.receive_until("caught_up"))[0] == [2, 3]


async def test_acks_of_what_was_sent_are_taken(server: Server) -> None:
    await query(write, TOPIC, ["x", "y"])
    async with Peer(server) as peer:
        await peer.subscribe(TOPIC)
        await peer.receive_until("caught_up")
        for seq in (2, 1, 2):
            await peer.send("ack", topic=TOPIC, seq=seq)
        await peer.send("ack", topic="open:never-followed", seq=5)
        await peer.send("ping")
        assert (await peer.receive())["type"] == "heartbeat"


async def test_an_ack_beyond_what_was_sent_closes(server: Server) -> None:
    await query(write, TOPIC, ["x", "y"])
    async with Peer(server) as peer:
        await peer.subscribe(TOPIC)
        await peer.receive_until("caught_up")
        await peer.send("ack", topic=TOPIC, seq=3)
        assert (await peer.receive())["code"] == "ack_beyond_sent"
        assert await peer.await_close() == 4409


@pytest.mark.parametrize(
    ("frames", "code", "close"),
    [
        (["not JSON"], "malformed", 4400),
        ([b"\x00\xff"], "malformed", 4400),
        (["[" * 60_000], "malformed", 4400),
        (['{"type":"ack","topic":"open:a","seq":-1}'], "malformed", 4400),
        (["x" * 70_000], "frame_too_large", 4413),
        (['{"type":"ping"}'] * 500, "too_many_frames", 4429),
        (
            [
                f'{{"type":"subscribe","topic":"open:{number}","epoch":1,"after":0}}'
                for number in range(51)
            ],
            "too_many_topics",
            4422,
        ),
    ],
    ids=["text", "binary", "deep", "negative", "large", "flood", "topics"],
)
async def test_a_hostile_client_is_told_why_it_is_closed_and_nothing_is_logged(
    server: Server,
    caplog: pytest.LogCaptureFixture,
    frames: list[str | bytes],
    code: str,
    close: int,
) -> None:
    await query(write, TOPIC, ["x"])
    with caplog.at_level(logging.WARNING):
        async with Peer(server) as hostile, Peer(server) as other:
            for frame in frames:
                await hostile.send_raw(frame)
            _, refusal = await hostile.receive_until("error")
            assert refusal["code"] == code
            assert await hostile.await_close() == close
            await other.subscribe(TOPIC)
            assert await other.receive_seqs(1) == [1]
    assert not caplog.records


async def test_one_who_stops_reading_costs_others_nothing_and_misses_nothing(
    server: Server,
) -> None:
    events = 1_200
    async with Peer(server) as stuck, Peer(server) as reader:
        for peer in (stuck, reader):
            await peer.subscribe(TOPIC)
            await peer.receive_until("caught_up")
        for _ in range(events // 100):
            await query(write, TOPIC, ["x" * 10_000] * 100)
        everything = list(range(1, events + 1))
        assert await reader.receive_seqs(events) == everything
        assert await stuck.receive_seqs(events) == everything


async def test_many_sockets_at_one_place_cost_one_reading(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    readings: list[Sequence[Position]] = []
    read_pages = log_reader.read_pages

    def counted(places: Sequence[Position]) -> list[EventPage]:
        readings.append(places)
        return read_pages(places)

    peers = [Peer(server) for _ in range(20)]
    for peer in peers:
        await peer.__aenter__()
        await peer.subscribe(TOPIC)
        await peer.receive_until("caught_up")
    monkeypatch.setattr(log_reader, "read_pages", counted)
    await query(write, TOPIC, ["x"])
    for peer in peers:
        assert await peer.receive_seqs(1) == [1]
        await peer.__aexit__()
    assert len(readings) <= 2


async def test_many_who_come_back_at_once_cost_one_replaying(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = 900
    await query(write, TOPIC, list(range(events)))
    readings: list[Sequence[Position]] = []
    read_pages, encode = log_reader.read_pages, messages.encode
    encoded: Counter[int] = Counter()

    def counted(places: Sequence[Position]) -> list[EventPage]:
        readings.append(places)
        return read_pages(places)

    def noted(fields: Mapping[str, Any]) -> str:
        if "seq" in fields:
            encoded[fields["seq"]] += 1
        return encode(fields)

    monkeypatch.setattr(log_reader, "read_pages", counted)
    monkeypatch.setattr(messages, "encode", noted)
    async with AsyncExitStack() as stack:
        peers = [await stack.enter_async_context(Peer(server)) for _ in range(10)]
        # Together from the second event on, so that their pages are the same.
        await asyncio.gather(*(peer.subscribe(TOPIC, after=1) for peer in peers))
        received = await asyncio.gather(*(peer.receive_seqs(events - 1) for peer in peers))
    assert received == [list(range(2, events + 1))] * 10
    assert set(encoded) == set(range(2, events + 1))
    assert set(encoded.values()) == {1}
    assert len(readings) <= 5  # three pages, and perhaps a look at the tail
