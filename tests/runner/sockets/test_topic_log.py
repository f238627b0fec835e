"""What the sockets of a process share of a topic's log."""

import asyncio
from datetime import UTC, datetime

import pytest

from runner.events.log_reader import EventPage
from runner.events.topics import Entry, TopicState, open_topic
from runner.sockets import subscriptions
from runner.sockets.flow_control import FRAME_EVENTS
from runner.sockets.topic_log import TopicLog, query
from tests.patience import PATIENCE_SECONDS
from tests.support.sockets.event_log import write
from tests.support.sockets.server import Peer, Server

TOPIC = "open:a"


class Reader:
    """A connection that is told nothing."""

    def notify(self, topic: str) -> None:
        raise AssertionError(topic)


def entries(first: int, last: int) -> list[Entry]:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return [Entry(seq, "tally.changed", {}, at) for seq in range(first, last + 1)]


async def test_who_is_behind_soon_shares_frames_with_all_who_are_wherever_they_began() -> None:
    feed = TopicLog("open:a", TopicState(1, 1, 1, 0), lambda _feed: None)
    await feed.add_page(EventPage(entries(1, 3 * FRAME_EVENTS - 1), is_full=False))
    reader = Reader()
    first = [await feed.next_frame(after, reader) for after in (0, 5, 40)]
    assert [frame and frame.last for frame in first] == [FRAME_EVENTS] * 3
    shared = await feed.next_frame(FRAME_EVENTS, reader)
    tail = await feed.next_frame(2 * FRAME_EVENTS, reader)
    assert tail is not None
    assert tail.last == 3 * FRAME_EVENTS - 1
    await feed.add_page(EventPage(entries(3 * FRAME_EVENTS, 3 * FRAME_EVENTS + 9), is_full=False))
    assert await feed.next_frame(FRAME_EVENTS, reader) is shared
    whole = await feed.next_frame(2 * FRAME_EVENTS, reader)
    assert whole is not None
    assert whole.last == 3 * FRAME_EVENTS
    assert whole.text.startswith(tail.text[:-2])


@pytest.mark.usefixtures("transactional_db")
async def test_all_who_come_to_an_older_place_at_once_get_one_frame() -> None:
    await query(write, TOPIC, ["x"] * 3)
    feed = TopicLog(TOPIC, await query(open_topic, TOPIC), lambda _feed: None)
    frames = await asyncio.gather(*(feed.next_frame(0, Reader()) for _ in range(30)))
    assert frames[0] is not None
    assert frames[0].last == 3
    assert all(frame is frames[0] for frame in frames)


async def test_who_is_back_soon_finds_the_latest_events_ready_though_all_had_gone(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Peer(server) as peer:
        await peer.subscribe(TOPIC)
        await peer.receive_until("caught_up")
        await query(write, TOPIC, ["a", "b"])
        assert await peer.receive_seqs(2) == [1, 2]
    feed = subscriptions.subscription_manager().log(TOPIC)
    assert feed is not None
    async with asyncio.timeout(PATIENCE_SECONDS):
        while feed.followers:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)
    await query(write, TOPIC, ["c", "d"])
    async with Peer(server) as again:
        await again.subscribe(TOPIC, after=1)
        assert await again.receive_seqs(3) == [2, 3, 4]
        assert subscriptions.subscription_manager().log(TOPIC) is feed
        assert not feed._older
    monkeypatch.setattr(subscriptions, "GRACE_SECONDS", 0.0)
    async with asyncio.timeout(PATIENCE_SECONDS):
        while subscriptions.subscription_manager().log(TOPIC):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)
