"""Nobody is sent more than they acknowledge; what they don't acknowledge comes again, and ends."""

import asyncio
import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.events import log_reader
from runner.events.log_reader import EventPage, Position
from runner.sockets import consumer, flow_control, socket_writer, subscriptions
from runner.sockets.client import StreamClient
from runner.sockets.flow_control import WINDOW_CHARACTERS, WINDOW_EVENTS, Frame, Window
from runner.sockets.frames import Code, ProtocolError
from runner.sockets.topic_log import query
from tests.patience import PATIENCE_SECONDS
from tests.support.sockets.event_log import write
from tests.support.sockets.server import Peer, Server

TOPIC = "open:a"
QUIET_SECONDS = 1.0


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send again soon."""
    monkeypatch.setattr(flow_control, "RESEND_SECONDS", 0.5)
    monkeypatch.setattr(consumer, "HEARTBEAT_SECONDS", 0.1)
    monkeypatch.setattr(consumer, "TICK_SECONDS", 0.05)


async def events_until_quiet(peer: Peer) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    try:
        while True:
            events += (await peer.receive(within=QUIET_SECONDS)).get("events", [])
    except TimeoutError:
        return events


def seqs(events: list[dict[str, Any]]) -> list[int]:
    return [event["seq"] for event in events]


async def test_without_acks_a_window_is_sent_and_no_more(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    await query(write, TOPIC, list(range(1_000)))
    readings: list[Sequence[Position]] = []
    read_pages = log_reader.read_pages

    def counted(places: Sequence[Position]) -> list[EventPage]:
        readings.append(places)
        return read_pages(places)

    async with Peer(server, acks=False) as peer:
        await peer.subscribe(TOPIC)
        assert await peer.receive_seqs(WINDOW_EVENTS) == list(range(1, WINDOW_EVENTS + 1))
        assert await events_until_quiet(peer) == []
        # Full: nothing is read for it, whatever is written.
        monkeypatch.setattr(log_reader, "read_pages", counted)
        await query(write, TOPIC, ["x"] * 10)
        assert await events_until_quiet(peer) == []
        assert readings == []
        await peer.send("ack", topic=TOPIC, seq=100)
        assert await events_until_quiet(peer) == []  # no room for a whole frame yet
        await peer.send("ack", topic=TOPIC, seq=200)
        more = seqs(await events_until_quiet(peer))
        assert more == list(range(257, more[-1] + 1))
        assert 300 <= more[-1] <= 200 + WINDOW_EVENTS


async def test_one_who_has_been_sent_all_there_was_is_told_though_there_is_more_by_now(
    server: Server,
) -> None:
    await query(write, TOPIC, list(range(WINDOW_EVENTS)))
    async with Peer(server, acks=False) as peer:
        await peer.subscribe(TOPIC)
        assert len(await peer.receive_seqs(WINDOW_EVENTS)) == WINDOW_EVENTS
        await query(write, TOPIC, ["more"])  # which there is no room for
        told = {"type": "caught_up", "topic": TOPIC, "head": WINDOW_EVENTS}
        assert await peer.receive() == told


async def test_a_window_is_full_by_its_size_too(server: Server) -> None:
    await query(write, TOPIC, ["x" * 20_000] * 100)
    async with Peer(server, acks=False) as peer:
        await peer.subscribe(TOPIC)
        first = await events_until_quiet(peer)
        assert 0.5 * WINDOW_CHARACTERS < len(first) * 20_000 <= WINDOW_CHARACTERS
        await peer.send("ack", topic=TOPIC, seq=first[-1]["seq"])
        assert (await events_until_quiet(peer))[0]["seq"] == len(first) + 1


async def test_an_event_larger_than_a_window_is_sent_and_fills_it(server: Server) -> None:
    await query(write, TOPIC, ["x", "y" * 2 * WINDOW_CHARACTERS, "z"])
    async with Peer(server, acks=False) as peer:
        await peer.subscribe(TOPIC)
        assert await peer.receive_seqs(2) == [1, 2]
        await peer.send("ack", topic=TOPIC, seq=1)
        assert await events_until_quiet(peer) == []
        await peer.send("ack", topic=TOPIC, seq=2)
        assert await peer.receive_seqs(1) == [3]


async def test_a_full_window_holds_up_no_other_topic(server: Server) -> None:
    await query(write, TOPIC, list(range(1_000)))
    async with Peer(server, acks=False) as peer:
        await peer.subscribe(TOPIC)
        await events_until_quiet(peer)
        await peer.subscribe("open:b")
        await query(write, "open:b", ["x"])
        assert await peer.receive_seqs(1) == [1]


@pytest.mark.usefixtures("hasty")
async def test_what_is_not_acknowledged_comes_again_from_the_ack_on(server: Server) -> None:
    await query(write, TOPIC, list(range(5)))
    async with Peer(server, acks=False) as peer:
        await peer.subscribe(TOPIC)
        assert await peer.receive_seqs(5) == [1, 2, 3, 4, 5]
        await peer.send("ack", topic=TOPIC, seq=2)
        assert await peer.receive_seqs(3) == [3, 4, 5]
        await peer.send("ack", topic=TOPIC, seq=5)
        # All is there: nothing comes again.
        assert seqs(await events_until_quiet_though_it_beats(peer)) == []


async def events_until_quiet_though_it_beats(peer: Peer) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    for _ in range(10):
        while (frame := await peer.receive())["type"] != "heartbeat":
            events += frame.get("events", [])
    return events


@pytest.mark.usefixtures("hasty")
async def test_who_never_acknowledges_is_presumed_gone_after_five_more_sendings(
    server: Server,
) -> None:
    await query(write, TOPIC, ["x"])
    async with Peer(server, acks=False) as peer:
        await peer.subscribe(TOPIC)
        received, refusal = await peer.receive_until("error")
        assert received == [1] * 6
        assert refusal["code"] == "presumed_gone"
        assert await peer.await_close() == 4408


@pytest.mark.usefixtures("hasty")
async def test_a_client_whose_acks_were_lost_gives_them_again(server: Server) -> None:
    class Forgetful(StreamClient):
        lost = 0

        async def _send(self, frame: Mapping[str, Any]) -> None:
            if frame["type"] == "ack" and self.lost < 2:
                self.lost += 1
            else:
                await super()._send(frame)

    await query(write, TOPIC, list(range(40)))
    async with Forgetful(server.url, origin=server.origin) as client:
        await client.follow(TOPIC)
        async with asyncio.timeout(PATIENCE_SECONDS):
            received = [(await client.next_event()).seq for _ in range(40)]
            (connection,) = subscriptions.subscription_manager()._logs[TOPIC].followers
            assert isinstance(connection, consumer.TopicsConsumer)
            while connection.subscriptions[TOPIC].window.is_waiting:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)
            await query(write, TOPIC, ["x"])
            received.append((await client.next_event()).seq)
        assert received == list(range(1, 42))
        assert (client.lost, client.connections) == (2, 1)


async def test_a_socket_that_does_not_drain_gets_no_second_sending(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(flow_control, "RESEND_SECONDS", 0.05)
    monkeypatch.setattr(socket_writer, "BLOCKED_SECONDS", 0.01)
    has_drained = asyncio.Event()
    given: list[str] = []

    async def give(message: Mapping[str, Any]) -> None:
        await has_drained.wait()
        given.append(message["text"])

    outlet = socket_writer.SocketWriter(give)
    sending = asyncio.create_task(outlet.send("once"))
    await asyncio.sleep(0.12)  # two strikes
    has_drained.set()
    await sending
    assert given == ["once"]
    assert outlet.drained_at > 0
    has_drained.clear()
    with pytest.raises(ProtocolError) as end:
        await outlet.send("never")
    assert end.value.code == Code.PRESUMED_GONE
    assert given == ["once"]


def test_a_socket_that_was_full_is_given_time_to_acknowledge() -> None:
    window = Window(0)
    window.add(Frame("...", 3), now=100.0)
    assert window.is_overdue(now=131.0, drained_at=0.0)
    assert not window.is_overdue(now=131.0, drained_at=130.0)


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("send"), st.integers(1, flow_control.FRAME_EVENTS)),
            st.tuples(st.just("ack"), st.integers(0, 400)),
            st.tuples(st.just("rewind"), st.just(0)),
        )
    )
)
def test_whatever_happens_a_window_is_never_exceeded_and_never_stuck(
    steps: list[tuple[str, int]],
) -> None:
    window = Window(7)
    highest = 7
    for now, (step, number) in enumerate(steps):
        if step == "send" and window.has_room:
            window.add(Frame("x" * number * 1_000, window.sent + number), now)
            highest = max(highest, window.sent)
        elif step == "ack" and number > highest:
            with pytest.raises(ProtocolError):
                window.acknowledge(number, now)
        elif step == "ack":
            window.acknowledge(number, now)
        elif step == "rewind" and window.resends < flow_control.MAX_RESENDS:
            window.rewind(now)
        assert 7 <= window.acked <= window.sent <= highest
        assert window.sent - window.acked <= WINDOW_EVENTS
        assert window.has_room or window.is_waiting
    window.acknowledge(window.sent, math.inf)
    assert window.has_room
