"""The feeds of one process: who follows which, and what keeps them fresh."""

import asyncio
import itertools
import logging
from typing import Protocol
from weakref import WeakKeyDictionary

from runner.events import log_reader, topics
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
        self._feeds: dict[str, TopicLog] = {}
        self._feeds_by_id: dict[int, TopicLog] = {}
        self._guests: dict[int, set[Connection]] = {}  # by the id of their user
        self._hearing = WakeupListener(self._heed)
        self._unread: dict[TopicLog, None] = {}  # followers wait for what comes next in these
        self._reading: asyncio.Task[None] | None = None
        self._tasks: list[asyncio.Task[None]] = []

    def feed(self, topic: str) -> TopicLog | None:
        """Return the topic's feed, if anyone follows it or has just done so."""
        return self._feeds.get(topic)

    async def welcome(self, user_id: int, guest: Connection) -> None:
        """Have the guest told, from now on, when its user has to be looked at anew."""
        self._guests.setdefault(user_id, set()).add(guest)
        self._start_looking()
        await self._hearing.start()

    def dismiss(self, user_id: int, guest: Connection) -> None:
        """Tell this guest no more."""
        guests = self._guests.get(user_id, set())
        guests.discard(guest)
        if not guests:
            self._guests.pop(user_id, None)

    async def follow(self, topic: str, state: TopicState, follower: Follower) -> TopicLog:
        """Return the topic's feed, followed from now on; read it only after this has returned."""
        self._start_looking()
        feed = self._feeds.get(topic)
        if feed is not None:
            feed.observe(state)
        if feed is None or feed.is_gone:
            feed = TopicLog(topic, state, self._read_soon)
            self._feeds[topic] = self._feeds_by_id[state.id] = feed
        feed.followers.add(follower)
        if not self._hearing.has_joined(state.id):
            try:
                await self._hearing.join(state.id)
            except asyncio.CancelledError:
                self.leave(feed, follower)
                raise
            feed.refresh()
        return feed

    def leave(self, feed: TopicLog, follower: Follower) -> None:
        """Tell this follower no more; a feed that nobody follows is forgotten after a while."""
        feed.leave(follower)
        feed.left_at = asyncio.get_running_loop().time()

    def _forget_feeds(self) -> None:
        before = asyncio.get_running_loop().time() - GRACE_SECONDS
        for feed in list(self._feeds.values()):
            if not feed.followers and feed.left_at <= before:
                del self._feeds[feed.topic], self._feeds_by_id[feed.state.id]

    # --- Reading --------------------------------------------------------------------------------

    def _read_soon(self, feed: TopicLog) -> None:
        self._unread[feed] = None
        if self._reading is None:
            self._reading = asyncio.create_task(self._read_on())

    async def _read_on(self) -> None:
        """Read what comes next; what is asked for meanwhile is read together after that."""
        try:
            while self._unread:
                some = list(itertools.islice(self._unread, LOGS_PER_QUERY))
                for feed in some:
                    del self._unread[feed]
                try:
                    pages = await query(log_reader.read_pages, [feed.place() for feed in some])
                    for feed, page in zip(some, pages, strict=True):
                        await feed.take(page)
                except Exception as error:  # noqa: BLE001 - whatever it is, somebody waits
                    log.warning("sockets wait, the log cannot be read: %r", error)
                    for feed in some:
                        feed.refresh()
                    await asyncio.sleep(topic_log.RETRY_SECONDS)
        finally:
            self._reading = None

    # --- Hearing of news ------------------------------------------------------------------------

    def _start_looking(self) -> None:
        if not self._tasks:
            self._tasks.append(asyncio.create_task(self._look_now_and_then()))

    def _heed(self, word: topics.Signal) -> None:
        match word:
            case topics.Wake(topic_id):
                feed = self._feeds_by_id.get(topic_id)
                if feed is not None:
                    feed.refresh()
            case topics.Recheck(user_id):
                for guest in self._guests.get(user_id, ()):
                    guest.recheck()

    async def _look_now_and_then(self) -> None:
        """Notice what a lost wake-up hides: one query for all topics of this process."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            self._forget_feeds()
            await self._hearing.tidy(self._feeds_by_id.__contains__)
            if not self._feeds:
                continue
            tails = {topic: feed.tail for topic, feed in self._feeds.items()}
            try:
                states = await query(topics.topic_states, list(tails))
            except DATABASE_AWAY as error:
                log.warning("the heads of topics cannot be looked at: %r", error)
                continue
            for topic, tail in tails.items():
                if topic in self._feeds:
                    self._feeds[topic].observe(states.get(topic, topics.NO_EVENTS_YET), tail)


_managers: WeakKeyDictionary[asyncio.AbstractEventLoop, SubscriptionManager] = WeakKeyDictionary()


def subscription_manager() -> SubscriptionManager:
    """Return the hub of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _managers:
        _managers[loop] = SubscriptionManager()
    return _managers[loop]
