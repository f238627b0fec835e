"""Topics as they are read: positions, pages of the log, and the words that processes exchange."""

import asyncio
import logging
import os
import threading
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from channels.layers import get_channel_layer
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from runner.models import Event, Topic
from runner.registry import may_follow

log = logging.getLogger(__name__)

Actor = AbstractBaseUser | AnonymousUser

PAGE_EVENTS = 300
WAKE_TIMEOUT_SECONDS = 2.0


class Head(NamedTuple):
    """Where a topic stands: the last sequence given out, in this epoch of its history."""

    epoch: int
    seq: int


class TopicState(NamedTuple):
    """A topic's row: its events `first_seq` to `head_seq` are there."""

    id: int
    epoch: int
    first_seq: int
    head_seq: int


class Entry(NamedTuple):
    """One event of the log."""

    seq: int
    type: str
    payload: Any
    at: datetime


NO_EVENTS_YET = TopicState(id=0, epoch=1, first_seq=1, head_seq=0)
# Nobody follows this topic. Its epoch is what topics begin with that have no row yet; it has a row
# itself once a backup has been restored (`manage.py after_restore`).
HISTORY = "history:0"


def head(topic: str) -> Head:
    """Return where the topic stands. Read it before the state that a page shows, never after."""
    return heads([topic])[topic]


def heads(topics: Iterable[str]) -> dict[str, Head]:
    """Return where each of these topics stands, in one query; one without a row is at 0."""
    names = list(topics)
    states = topic_states([*names, HISTORY])
    none_yet = states.get(HISTORY, NO_EVENTS_YET)
    return {
        name: Head(state.epoch, state.head_seq)
        for name in names
        for state in (states.get(name, none_yet),)
    }


def topic_states(topics: Collection[str]) -> dict[str, TopicState]:
    """Return the rows of those of these topics that have one, in one query."""
    rows = Topic.objects.filter(name__in=topics).values_list(
        "name", "id", "epoch", "first_seq", "head_seq"
    )
    return {name: TopicState(*state) for name, *state in rows}


def open_topic(topic: str) -> TopicState:
    """Return the topic's row, made if there is none, so that its wake-ups can be listened for."""
    return open_topics([topic])[topic]


def open_topics(topics: Collection[str]) -> dict[str, TopicState]:
    """Return the rows of these topics, in one query where all are there."""
    states = topic_states(topics) if topics else {}
    if missing := sorted(set(topics) - states.keys()):
        epoch = head(HISTORY).epoch
        rows = [Topic(name=name, epoch=epoch) for name in missing]
        # In one order, so that nobody who makes the same ones waits in a circle.
        Topic.objects.bulk_create(rows, ignore_conflicts=True)
        states |= topic_states(missing)
    return states


def read_events(topic: str, after: int, limit: int = PAGE_EVENTS) -> list[Entry]:
    """Return the topic's next events after `after`, in order; each page is a prefix of the rest.

    The numbers are given out under the topic's lock, so what is committed has no gap.
    """
    rows = (
        Event.objects.filter(topic__name=topic, seq__gt=after)
        .order_by("seq")
        .values_list("seq", "type", "payload", "created_at")[:limit]
    )
    return [Entry(*row) for row in rows]


def reset_reason(state: TopicState, epoch: int | None, after: int) -> str:
    """Say why a client that has seen `after` cannot go on from there; empty when it can."""
    if epoch is not None and epoch != state.epoch:
        return "epoch"
    if after > state.head_seq:
        return "future"
    if after + 1 < state.first_seq:
        return "purged"
    return ""


def poll_events(actor: Actor, topic: str, after: int, epoch: int | None = None) -> dict[str, Any]:
    """Answer a client that cannot open a socket: the next page of events, or that it must reset.

    Raises PermissionError when the actor may not follow the topic, whether or not it exists. The
    answer is `{topic, epoch, head, events}`; where the client cannot go on from `after`, it has no
    events, and `reset` (true) and `reason` besides.
    """
    if not may_follow(actor, topic):
        raise PermissionError(f"topic {topic} is not there, or not for this reader")
    states = topic_states([topic, HISTORY])
    state = states.get(topic) or states.get(HISTORY, NO_EVENTS_YET)
    reason = reset_reason(state, epoch, after)
    entries = [] if reason else read_events(topic, after)
    if entries and entries[0].seq != after + 1:  # purged since the row was read
        reason, entries = "purged", []
    answer = {
        "topic": topic,
        "epoch": state.epoch,
        "head": max(state.head_seq, entries[-1].seq) if entries else state.head_seq,
        "events": [event_fields(entry) for entry in entries],
    }
    return {**answer, "reset": True, "reason": reason} if reason else answer


def event_fields(entry: Entry) -> dict[str, Any]:
    """Return an event as clients get it, over a socket or by polling."""
    at = entry.at.astimezone(UTC).isoformat(timespec="milliseconds")
    return {
        "seq": entry.seq,
        "type": entry.type,
        "payload": entry.payload,
        "at": at.replace("+00:00", "Z"),
    }


RECHECKS = "rechecks"  # the group of all processes that have sockets


def group_name(topic_id: int) -> str:
    """Return the group that is told when the topic has new events."""
    return f"topic.{topic_id}"


class Wake(NamedTuple):
    """The word that a topic has new events."""

    topic_id: int

    @property
    def group(self) -> str:
        return group_name(self.topic_id)

    @property
    def message(self) -> dict[str, Any]:
        return {"type": "wake", "topic": self.topic_id}


class Recheck(NamedTuple):
    """The word that a user may be signed out by now, or may see less than before."""

    user_id: int

    @property
    def group(self) -> str:
        return RECHECKS

    @property
    def message(self) -> dict[str, Any]:
        return {"type": "recheck", "user": self.user_id}


Signal = Wake | Recheck


class _SignalSender:
    """Sends words from a loop of its own, so that threads without one can call it at no cost.

    A word given again while a send is under way is sent once more, however often it was given.
    """

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._pending: set[Signal] = set()
        self._sending = False
        self._redis_is_away = False
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="wake-ups", daemon=True).start()

    def send(self, signals: Sequence[Signal]) -> None:
        self._loop.call_soon_threadsafe(self._add, signals)

    def _add(self, signals: Sequence[Signal]) -> None:
        self._pending.update(signals)
        if not self._sending:
            self._sending = True
            self._task = self._loop.create_task(self._send_pending())

    async def _send_pending(self) -> None:
        try:
            while self._pending:
                signals, self._pending = self._pending, set()
                await self._send(signals)
        finally:
            self._sending = False

    async def _send(self, signals: set[Signal]) -> None:
        layer = get_channel_layer()
        if layer is None:
            return
        try:
            async with asyncio.timeout(WAKE_TIMEOUT_SECONDS):
                for signal in signals:
                    await layer.group_send(signal.group, signal.message)
        except Exception as error:  # noqa: BLE001 - whatever ails Redis, followers do look
            if not self._redis_is_away:
                log.warning("wake-ups are not sent, followers look every few seconds: %r", error)
            self._redis_is_away = True
        else:
            self._redis_is_away = False


class SignalReceiver:
    """The receiving end, for one event loop: hears all rechecks, and the wake-ups it has joined.

    Redis being away makes `start` and `join` raise within two seconds; what was joined before is
    joined again by the layer when Redis is back.
    """

    def __init__(self) -> None:
        self._layer = get_channel_layer()
        self._channel = ""

    async def start(self) -> None:
        async with asyncio.timeout(WAKE_TIMEOUT_SECONDS):
            self._channel = await self._layer.new_channel()
            await self._layer.group_add(RECHECKS, self._channel)

    async def subscribe(self, topic_id: int) -> None:
        async with asyncio.timeout(WAKE_TIMEOUT_SECONDS):
            await self._layer.group_add(group_name(topic_id), self._channel)

    async def unsubscribe(self, topic_id: int) -> None:
        async with asyncio.timeout(WAKE_TIMEOUT_SECONDS):
            await self._layer.group_discard(group_name(topic_id), self._channel)

    async def next_signal(self) -> Signal:
        message = await self._layer.receive(self._channel)
        if message["type"] == "recheck":
            return Recheck(int(message["user"]))
        return Wake(int(message["topic"]))


_sender: _SignalSender | None = None
_sender_lock = threading.Lock()


def wake_followers(topic_ids: Iterable[int]) -> None:
    """Tell all followers of these topics, in every process, that there are new events.

    Returns at once, from any thread, and never raises: a wake-up that is lost costs its followers
    seconds, and nothing else.
    """
    _send_signals([Wake(topic_id) for topic_id in topic_ids])


def recheck_user(user_id: int) -> None:
    """Have all sockets of this user, in every process, look anew at what they are allowed.

    Call it when what they are to find is committed. Returns at once, from any thread, and never
    raises: sockets that a lost word does not reach look within a minute by themselves.
    """
    _send_signals([Recheck(user_id)])


def _send_signals(signals: Sequence[Signal]) -> None:
    global _sender  # noqa: PLW0603 - one per process, made when it is first needed
    if not signals:
        return
    with _sender_lock:
        if _sender is None or _sender.pid != os.getpid():  # a fork has no thread to run the loop
            _sender = _SignalSender()
    _sender.send(signals)
