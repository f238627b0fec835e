"""Manages which connections of one process follow which topic logs, and keeps those fresh."""

import asyncio
import itertools
import logging
from typing import Protocol
from weakref import WeakKeyDictionary

from runner.events import log_reader, topics, wakeups
from runner.events.topics import TopicState
from runner.events.wakeups import WakeupListener
from runner.sockets import topic_log
from runner.sockets.topic_log import DATABASE_AWAY, Follower, TopicLog, query

log = logging.getLogger(__name__)

POLL_SECONDS = 5.0  # how much a lost wake-up delays events at most
# Logs are kept this long without followers: clients that were disconnected may return soon.
GRACE_SECONDS = 10.0
LOGS_PER_QUERY = 50


class Connection(Protocol):
    """A connection whose user is signed in."""

    def recheck(self) -> None:
        """Check permissions soon; called on the event loop, must not wait."""


class SubscriptionManager:
    """The topic logs of one event loop, kept fresh by wake-ups and by polling heads."""

    def __init__(self) -> None:
        self._logs: dict[str, TopicLog] = {}
        self._logs_by_id: dict[int, TopicLog] = {}
        self._connections: dict[int, set[Connection]] = {}  # by the id of their user
        self._wakeups = WakeupListener(self._on_signal)
        self._to_read: dict[TopicLog, None] = {}  # logs whose followers wait for events
        self._reading: asyncio.Task[None] | None = None
        self._tasks: list[asyncio.Task[None]] = []

    def log(self, topic: str) -> TopicLog | None:
        """Return the topic's log, if it has or recently had followers."""
        return self._logs.get(topic)

    async def add_connection(self, user_id: int, connection: Connection) -> None:
        """Call the connection's `recheck` when its user has to be checked."""
        self._connections.setdefault(user_id, set()).add(connection)
        self._start_polling()
        await self._wakeups.start()

    def remove_connection(self, user_id: int, connection: Connection) -> None:
        """Call this connection no more."""
        connections = self._connections.get(user_id, set())
        connections.discard(connection)
        if not connections:
            self._connections.pop(user_id, None)

    async def follow(self, topic: str, state: TopicState, follower: Follower) -> TopicLog:
        """Return the topic's log, followed from now on; read it only after this has returned."""
        self._start_polling()
        topic_events = self._logs.get(topic)
        if topic_events is not None:
            topic_events.observe(state)
        if topic_events is None or topic_events.is_reset:
            topic_events = TopicLog(topic, state, self._read_soon)
            self._logs[topic] = self._logs_by_id[state.id] = topic_events
        topic_events.followers.add(follower)
        if not self._wakeups.is_subscribed(state.id):
            try:
                await self._wakeups.subscribe(state.id)
            except asyncio.CancelledError:
                self.leave(topic_events, follower)
                raise
            topic_events.refresh()
        return topic_events

    def leave(self, topic_events: TopicLog, follower: Follower) -> None:
        """Remove this follower; a log without followers is discarded after a while."""
        topic_events.leave(follower)
        topic_events.unfollowed_at = asyncio.get_running_loop().time()

    def _discard_idle_logs(self) -> None:
        before = asyncio.get_running_loop().time() - GRACE_SECONDS
        for topic_events in list(self._logs.values()):
            if not topic_events.followers and topic_events.unfollowed_at <= before:
                del self._logs[topic_events.topic], self._logs_by_id[topic_events.state.id]

    # --- Reading --------------------------------------------------------------------------------

    def _read_soon(self, topic_events: TopicLog) -> None:
        self._to_read[topic_events] = None
        if self._reading is None:
            self._reading = asyncio.create_task(self._read_on())

    async def _read_on(self) -> None:
        """Read the next pages; logs that are added meanwhile are read together afterwards."""
        try:
            while self._to_read:
                some = list(itertools.islice(self._to_read, LOGS_PER_QUERY))
                for topic_events in some:
                    del self._to_read[topic_events]
                try:
                    pages = await query(
                        log_reader.read_pages, [topic_events.position() for topic_events in some]
                    )
                    for topic_events, page in zip(some, pages, strict=True):
                        await topic_events.add_page(page)
                except Exception as error:  # noqa: BLE001 - followers wait, so it is retried
                    log.warning("sockets wait, the log can't be read: %r", error)
                    for topic_events in some:
                        topic_events.refresh()
                    await asyncio.sleep(topic_log.RETRY_SECONDS)
        finally:
            self._reading = None

    # --- Signals and polling ----------------------------------------------------------------------

    def _start_polling(self) -> None:
        if not self._tasks:
            self._tasks.append(asyncio.create_task(self._poll_heads()))

    def _on_signal(self, signal: wakeups.Signal) -> None:
        match signal:
            case wakeups.Wake(topic_id):
                topic_events = self._logs_by_id.get(topic_id)
                if topic_events is not None:
                    topic_events.refresh()
            case wakeups.Recheck(user_id):
                for connection in self._connections.get(user_id, ()):
                    connection.recheck()

    async def _poll_heads(self) -> None:
        """Find events whose wake-up was lost, with one query for all topics of this process."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            self._discard_idle_logs()
            await self._wakeups.refresh(self._logs_by_id.__contains__)
            if not self._logs:
                continue
            tails = {topic: topic_events.tail for topic, topic_events in self._logs.items()}
            try:
                states = await query(topics.topic_states, list(tails))
            except DATABASE_AWAY as error:
                log.warning("the heads of topics can't be read: %r", error)
                continue
            for topic, tail in tails.items():
                if topic in self._logs:
                    self._logs[topic].observe(states.get(topic, topics.NO_EVENTS_YET), tail)


_managers: WeakKeyDictionary[asyncio.AbstractEventLoop, SubscriptionManager] = WeakKeyDictionary()


def subscription_manager() -> SubscriptionManager:
    """Return the manager of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _managers:
        _managers[loop] = SubscriptionManager()
    return _managers[loop]
