"""Who attends the topics is told of every connection that comes, stays, leaves and ends."""

import asyncio
from collections.abc import Iterator, Sequence

import pytest

from runner import registry
from runner.sockets import consumer, frames, observers
from runner.sockets.observers import Connection
from runner.sockets.topic_log import query
from tests.patience import PATIENCE_SECONDS
from tests.support.sockets.event_log import write
from tests.support.sockets.server import Peer, Server, signed_in

TOPIC = "open:a"


class Book:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str]] = []
        self.visitors: set[Connection] = set()

    def on_join(self, visitor: Connection, topic: str) -> None:
        self.visitors.add(visitor)
        self.lines.append(("came", topic))

    def on_leave(self, _visitor: Connection, topic: str, /) -> None:
        self.lines.append(("left", topic))

    def on_heartbeat(self, _visitor: Connection, topics: Sequence[str], /) -> None:
        self.lines.append(("stays", " ".join(topics)))

    def on_close(self, visitor: Connection) -> None:
        self.visitors.remove(visitor)
        self.lines.append(("ended", ""))

    async def until_ended(self) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while self.visitors:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)


@pytest.fixture
def book() -> Iterator[Book]:
    book = Book()
    observers.register_observer(book)
    yield book
    observers.observers.remove(book)


async def test_coming_leaving_and_ending_are_told(server: Server, book: Book) -> None:
    async with Peer(server) as peer:
        for _ in range(2):
            await peer.subscribe(TOPIC, present=True)
            await peer.receive_until("caught_up")
        await peer.subscribe("private:0", present=True)  # refused: never there
        await peer.subscribe("open:b", present=True)
        await peer.receive_until("caught_up")
        await peer.send("unsubscribe", topic=TOPIC)
        await peer.send("ping")
        await peer.receive_until("heartbeat")
        assert book.lines == [("came", TOPIC), ("came", "open:b"), ("left", TOPIC)]
    await book.until_ended()
    assert book.lines[3:] == [("left", "open:b"), ("ended", "")]


async def test_who_is_reset_or_not_allowed_any_more_has_left(
    server: Server, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumer, "REAUTHORISE_SECONDS", 0.5)
    async with Peer(server) as peer:
        await peer.subscribe(TOPIC, present=True)
        await peer.receive_until("caught_up")
        await peer.subscribe(TOPIC, after=9, present=True)
        await peer.receive_until("reset")
        await peer.subscribe("open:b", present=True)
        await peer.receive_until("caught_up")
        monkeypatch.setitem(registry.topic_permissions, "open", lambda _actor, _row_id: False)
        await peer.receive_until("error")
        told = [("came", TOPIC), ("left", TOPIC), ("came", "open:b"), ("left", "open:b")]
        assert book.lines == told
    await book.until_ended()
    assert book.lines == [*told, ("ended", "")]


async def test_staying_is_told_with_every_heartbeat(
    server: Server, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumer, "HEARTBEAT_SECONDS", 0.1)
    mira, _, cookie = await query(signed_in, "mira")
    async with Peer(server, cookie=cookie) as peer:
        await peer.subscribe(TOPIC, present=True)
        for _ in range(3):
            await peer.receive_until("heartbeat")
        assert ("stays", TOPIC) in book.lines
        assert [visitor.actor.pk for visitor in book.visitors] == [mira.pk]


async def test_a_post_is_sent_while_the_topic_is_followed(server: Server, book: Book) -> None:
    async with Peer(server) as peer:
        await peer.subscribe(TOPIC, present=True)
        await peer.receive_until("caught_up")
        (visitor,) = book.visitors
        for people in (1, 2):
            frame = frames.encode({"type": "people", "topic": TOPIC, "people": people})
            visitor.post(TOPIC, "people", frame)
        visitor.post("open:b", "people", "not followed")
        # The later one took the place of the one that had not been sent.
        assert (await peer.receive())["people"] == 2
        visitor.post(TOPIC, "people", "left meanwhile")
        await peer.send("unsubscribe", topic=TOPIC)


async def test_an_attendant_that_fails_disturbs_nobody(
    server: Server, book: Book, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(Book):
        def on_join(self, _visitor: Connection, _topic: str, /) -> None:
            raise LookupError

    observers.observers.insert(0, broken := Broken())
    try:
        await query(write, TOPIC, ["x"])
        async with Peer(server) as peer:
            await peer.subscribe(TOPIC, present=True)
            assert await peer.receive_seqs(1) == [1]
            assert book.lines == [("came", TOPIC)]
    finally:
        observers.observers.remove(broken)
    assert "an observer failed" in caplog.text
    caplog.clear()
