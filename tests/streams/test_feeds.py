"""What the sockets of a process share of a topic's log."""

from datetime import UTC, datetime

from runner.feeds import Feed
from runner.reading import Page
from runner.topics import Entry, TopicState
from runner.windows import FRAME_EVENTS


class Reader:
    """A connection that is told nothing."""

    def notify(self, topic: str) -> None:
        raise AssertionError(topic)


def entries(first: int, last: int) -> list[Entry]:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return [Entry(seq, "tally.changed", {}, at) for seq in range(first, last + 1)]


async def test_who_is_behind_soon_shares_frames_with_all_who_are_wherever_they_began() -> None:
    feed = Feed("open:a", TopicState(1, 1, 1, 0), lambda _feed: None)
    await feed.take(Page(entries(1, 3 * FRAME_EVENTS - 1), is_full=False))
    reader = Reader()
    first = [await feed.next_frame(after, reader) for after in (0, 5, 40)]
    assert [frame and frame.last for frame in first] == [FRAME_EVENTS] * 3
    shared = await feed.next_frame(FRAME_EVENTS, reader)
    tail = await feed.next_frame(2 * FRAME_EVENTS, reader)
    assert tail is not None
    assert tail.last == 3 * FRAME_EVENTS - 1
    await feed.take(Page(entries(3 * FRAME_EVENTS, 3 * FRAME_EVENTS + 9), is_full=False))
    assert await feed.next_frame(FRAME_EVENTS, reader) is shared
    whole = await feed.next_frame(2 * FRAME_EVENTS, reader)
    assert whole is not None
    assert whole.last == 3 * FRAME_EVENTS
    assert whole.text.startswith(tail.text[:-2])
