"""Manages the connections and topic logs of one event loop, and keeps the logs up to date."""

import asyncio
import itertools
import logging
from collections.abc import Callable
from typing import Protocol
from weakref import WeakKeyDictionary

from runner.events import log_reader, topics
from runner.events.topics import TopicState
from runner.events.wakeups import Signal, WakeupListener
from runner.registry import Actor
from runner.sockets import topic_log
from runner.sockets.presence import Presence
from runner.sockets.topic_log import DATABASE_AWAY, Follower, TopicLog, query

log = logging.getLogger(__name__)

POLL_SECONDS = 5.0  # the longest delay of events after a lost wake-up
# Logs without followers are kept this long, because disconnected clients may return soon.
GRACE_SECONDS = 10.0
LOGS_PER_QUERY = 50


class Connection(Protocol):
    """An open connection."""

    @property
    def actor(self) -> Actor:
        """The user, or AnonymousUser."""

    def recheck(self) -> None:
        """Check permissions soon; called on the event loop, must not wait."""


class SubscriptionManager:
    """The topic logs and connections of one event loop; wake-ups and polls refresh the logs."""

    def __init__(self) -> None:
        self._logs: dict[int, TopicLog] = {}  # by topic id
        self._connections: dict[int | None, set[Connection]] = {}  # by user id
        self.presence = Presence()
        self._listener = WakeupListener(self._on_signal)
        self._to_read: dict[TopicLog, None] = {}  # logs whose followers wait for events
        self._reading: asyncio.Task[None] | None = None
        self._polling: asyncio.Task[None] | None = None
        self._others: set[Callable[[Signal], None]] = set()

    async def listen(self, on_signal: Callable[[Signal], None]) -> None:
        """Also pass on all signals from now on. Idempotent."""
        self._others.add(on_signal)
        await self._listener.start()

    async def add_connection(self, connection: Connection) -> None:
        """Register the connection for rechecks; await this before it follows topics."""
        self._connections.setdefault(connection.actor.pk, set()).add(connection)
        if self._polling is None:
            self._polling = asyncio.create_task(self._poll_heads())
        await self._listener.start()

    def remove_connection(self, connection: Connection) -> None:
        """Remove the connection; it is not called any more."""
        connections = self._connections.get(connection.actor.pk, set())
        connections.discard(connection)
        if not connections:
            self._connections.pop(connection.actor.pk, None)

    def follow(self, topic: str, state: TopicState, follower: Follower) -> TopicLog:
        """Add the follower to the topic's log; return the log."""
        events = self._logs.get(state.id)
        if events is not None:
            events.observe(state)
        if events is None or events.is_reset:
            events = self._logs[state.id] = TopicLog(topic, state, self._read_soon)
        events.followers.add(follower)
        return events

    def leave(self, events: TopicLog, follower: Follower) -> None:
        """Remove this follower; a log without followers is discarded after a while."""
        events.leave(follower)
        events.unfollowed_at = asyncio.get_running_loop().time()

    def _discard_idle_logs(self) -> None:
        before = asyncio.get_running_loop().time() - GRACE_SECONDS
        for topic_id, events in list(self._logs.items()):
            if not events.followers and events.unfollowed_at <= before:
                del self._logs[topic_id]

    # --- Reading --------------------------------------------------------------------------------

    def _read_soon(self, events: TopicLog) -> None:
        self._to_read[events] = None
        if self._reading is None:
            self._reading = asyncio.create_task(self._read_on())

    async def _read_on(self) -> None:
        """Read the next pages of all logs in `_to_read`, many in one query."""
        try:
            while self._to_read:
                some = list(itertools.islice(self._to_read, LOGS_PER_QUERY))
                for events in some:
                    del self._to_read[events]
                try:
                    pages = await query(
                        log_reader.read_pages, [events.position() for events in some]
                    )
                    for events, page in zip(some, pages, strict=True):
                        await events.add_page(page)
                except Exception as error:  # noqa: BLE001 - followers wait, so it is retried
                    log.warning("sockets wait, the log can't be read: %r", error)
                    for events in some:
                        events.refresh()
                    await asyncio.sleep(topic_log.RETRY_SECONDS)
        finally:
            self._reading = None

    # --- Signals and polling ----------------------------------------------------------------------

    def _on_signal(self, signal: Signal) -> None:
        for topic_id in signal.topic_ids:
            if events := self._logs.get(topic_id):
                events.refresh()
        for user_id in signal.user_ids:
            for connection in self._connections.get(user_id, ()):
                connection.recheck()
        self.presence.receive(signal.members)
        for on_signal in self._others:
            on_signal(signal)

    async def _poll_heads(self) -> None:
        """Find events whose wake-up was lost, with one query for all topics of this process."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            self._discard_idle_logs()
            if not self._logs:
                continue
            tails = {events: events.tail for events in self._logs.values()}
            try:
                states = await query(topics.topic_states, [each.topic for each in tails])
            except DATABASE_AWAY as error:
                log.warning("the heads of topics can't be read: %r", error)
                continue
            for events, tail in tails.items():
                state = states.get(events.topic, topics.NO_EVENTS_YET)
                events.observe(state, tail)


_managers: WeakKeyDictionary[asyncio.AbstractEventLoop, SubscriptionManager] = WeakKeyDictionary()


def subscription_manager() -> SubscriptionManager:
    """Return the manager of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _managers:
        _managers[loop] = SubscriptionManager()
    return _managers[loop]
