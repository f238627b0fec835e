"""The feeds of one process: who follows which, and what keeps them fresh."""

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

POLL_SECONDS = 5.0  # how late a lost wake-up makes an event at most
# What nobody follows is kept for so long at least: all who were cut off at once may be back soon.
GRACE_SECONDS = 10.0
LOGS_PER_QUERY = 50  # read on with one query


class Connection(Protocol):
    """A connection that somebody has signed in on."""

    def recheck(self) -> None:
        """Look soon at what is still allowed; called on the event loop, must not wait."""


class SubscriptionManager:
    """The feeds of one event loop, kept fresh by wake-ups and by looking at the heads."""

    def __init__(self) -> None:
        self._logs: dict[str, TopicLog] = {}
        self._logs_by_id: dict[int, TopicLog] = {}
        self._connections: dict[int, set[Connection]] = {}  # by the id of their user
        self._wakeups = WakeupListener(self._on_signal)
        self._to_read: dict[TopicLog, None] = {}  # followers wait for what comes next in these
        self._reading: asyncio.Task[None] | None = None
        self._tasks: list[asyncio.Task[None]] = []

    def log(self, topic: str) -> TopicLog | None:
        """Return the topic's feed, if anyone follows it or has just done so."""
        return self._logs.get(topic)

    async def add_connection(self, user_id: int, connection: Connection) -> None:
        """Have the guest told, from now on, when its user has to be looked at anew."""
        self._connections.setdefault(user_id, set()).add(connection)
        self._start_polling()
        await self._wakeups.start()

    def remove_connection(self, user_id: int, connection: Connection) -> None:
        """Tell this guest no more."""
        connections = self._connections.get(user_id, set())
        connections.discard(connection)
        if not connections:
            self._connections.pop(user_id, None)

    async def follow(self, topic: str, state: TopicState, follower: Follower) -> TopicLog:
        """Return the topic's feed, followed from now on; read it only after this has returned."""
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
        """Tell this follower no more; a feed that nobody follows is forgotten after a while."""
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
        """Read what comes next; what is asked for meanwhile is read together after that."""
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
                except Exception as error:  # noqa: BLE001 - whatever it is, somebody waits
                    log.warning("sockets wait, the log cannot be read: %r", error)
                    for topic_events in some:
                        topic_events.refresh()
                    await asyncio.sleep(topic_log.RETRY_SECONDS)
        finally:
            self._reading = None

    # --- Hearing of news ------------------------------------------------------------------------

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
        """Notice what a lost wake-up hides: one query for all topics of this process."""
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
                log.warning("the heads of topics cannot be looked at: %r", error)
                continue
            for topic, tail in tails.items():
                if topic in self._logs:
                    self._logs[topic].observe(states.get(topic, topics.NO_EVENTS_YET), tail)


_managers: WeakKeyDictionary[asyncio.AbstractEventLoop, SubscriptionManager] = WeakKeyDictionary()


def subscription_manager() -> SubscriptionManager:
    """Return the hub of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _managers:
        _managers[loop] = SubscriptionManager()
    return _managers[loop]
