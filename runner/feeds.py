"""What the connections of one process share: each topic's log is read and encoded once for all."""

import asyncio
import itertools
import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, Protocol, TypeVar
from weakref import WeakKeyDictionary

from django.db import DatabaseError, InterfaceError, close_old_connections

from runner import messages, topics
from runner.topics import Entry, TopicState
from runner.windows import FRAME_CHARACTERS, FRAME_EVENTS, Frame

log = logging.getLogger(__name__)

LOOK_SECONDS = 5.0  # how late a lost wake-up makes an event at most
RING_EVENTS = 1_024
RING_CHARACTERS = 2_000_000
REPLAYED_PAGES = 4

# What a database that is away, restarting or out of connections raises.
DATABASE_AWAY = (DatabaseError, InterfaceError)

P = ParamSpec("P")
T = TypeVar("T")

_threads = ThreadPoolExecutor(max_workers=4, thread_name_prefix="topics")


async def query(read: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call this in one of a few threads kept for reading, so that sockets never crowd out pages."""

    def with_own_connection() -> T:
        try:
            return read(*args, **kwargs)
        finally:
            close_old_connections()

    return await asyncio.get_running_loop().run_in_executor(_threads, with_own_connection)


class Follower(Protocol):
    """A connection that follows feeds."""

    def notify(self, topic: str) -> None:
        """Take note that the topic has news; called on the event loop, must not wait."""


class Guest(Protocol):
    """A connection that somebody has signed in on."""

    def recheck(self) -> None:
        """Look soon at what is still allowed; called on the event loop, must not wait."""


class Gone(Exception):
    """The log cannot be followed on from where the follower is."""

    def __init__(self, reason: str, state: TopicState) -> None:
        super().__init__(reason)
        self.reason = reason
        self.state = state


class Feed:
    """One topic's log, with its latest events kept ready: `ring` ends at `tail`."""

    def __init__(self, topic: str, state: TopicState) -> None:
        self.topic = topic
        self.state = state
        self.head = self.tail = state.head_seq
        self.followers: set[Follower] = set()
        self._ring: deque[str] = deque()
        self._ring_characters = 0
        self._stale = True  # there may be events after the tail
        self._reading = asyncio.Lock()
        self._replaying = asyncio.Lock()
        self._gone: Gone | None = None
        self._latest: tuple[int, int, Frame] | None = None  # (after, tail, what follows)
        # Pages before the ring, for those who are behind: (after, events).
        self._older: deque[tuple[int, list[str]]] = deque(maxlen=REPLAYED_PAGES)

    @property
    def is_gone(self) -> bool:
        return self._gone is not None

    def refresh(self) -> None:
        """Have the log looked at again, and all who follow told."""
        self._stale = True
        for follower in self.followers:
            follower.notify(self.topic)

    def observe(self, state: TopicState, tail: int = 0) -> None:
        """Compare with the topic's row, read when the tail was at `tail` or later."""
        if state.epoch != self.state.epoch:
            self._gone = Gone("epoch", state)
        elif state.head_seq < tail:
            self._gone = Gone("future", state)
        self.head = max(self.head, state.head_seq)
        if self._gone or self.head > self.tail:
            self.refresh()

    async def next_frame(self, after: int) -> Frame | None:
        """Return what follows `after`, None at the head; raises Gone, and DATABASE_AWAY."""
        # One who comes while another reads waits for what that brings: it has had its notice.
        if after >= self.tail and (self._stale or self._reading.locked()):
            await self._extend()
        if self._gone:
            raise self._gone
        if after >= self.tail:
            return None
        if after < self.tail - len(self._ring):
            return await self._replay(after)
        if self._latest is None or self._latest[:2] != (after, self.tail):
            ready = itertools.islice(self._ring, after - self.tail + len(self._ring), None)
            self._latest = after, self.tail, self._frame(after, ready)
        return self._latest[2]

    async def _extend(self) -> None:
        """Read on at the tail; of all who wait for that, one does it."""
        async with self._reading:
            if not self._stale:
                return
            # Before reading: a wake-up that comes meanwhile may be about what is not seen yet.
            self._stale = False
            try:
                entries = await query(topics.read_events, self.topic, self.tail)
                if entries and entries[0].seq != self.tail + 1:
                    self._gone = await self._explain_gap(self.tail)
                    return
            except BaseException:  # a follower that leaves while reading, too
                self._stale = True
                raise
            self._keep(entries)
            if len(entries) == topics.PAGE_EVENTS:
                self._stale = True

    def _keep(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            text = messages.encode(topics.event_fields(entry))
            self._ring.append(text)
            self._ring_characters += len(text)
        self.tail += len(entries)
        self.head = max(self.head, self.tail)
        while len(self._ring) > RING_EVENTS or self._ring_characters > RING_CHARACTERS:
            self._ring_characters -= len(self._ring.popleft())

    async def _replay(self, after: int) -> Frame:
        """Read what is older than the ring, for one who is behind."""
        async with self._replaying:  # of all who come to one place at once, one reads
            for start, page in self._older:
                if start <= after < start + len(page):
                    return self._frame(after, itertools.islice(page, after - start, None))
            entries = await query(topics.read_events, self.topic, after)
            if not entries or entries[0].seq != after + 1:
                raise await self._explain_gap(after)
            page = [messages.encode(topics.event_fields(entry)) for entry in entries]
            # Kept for others who come back to the same place, and for the next frames.
            self._older.append((after, page))
            return self._frame(after, page)

    async def _explain_gap(self, after: int) -> Gone:
        states = await query(topics.topic_states, [self.topic])
        state = states.get(self.topic, topics.NO_EVENTS_YET)
        return Gone(topics.reset_reason(state, self.state.epoch, after) or "purged", state)

    def _frame(self, after: int, encoded: Iterable[str]) -> Frame:
        taken: list[str] = []
        characters = 0
        for text in itertools.islice(encoded, FRAME_EVENTS):
            if taken and characters + len(text) > FRAME_CHARACTERS:
                break
            taken.append(text)
            characters += len(text)
        return Frame(messages.events(self.topic, self.state.epoch, taken), after + len(taken))


class Hub:
    """The feeds of one event loop, kept fresh by wake-ups and by looking at the heads."""

    def __init__(self) -> None:
        self._feeds: dict[str, Feed] = {}
        self._listener: topics.Listener | None = None
        self._guests: dict[int, set[Guest]] = {}  # by the id of their user
        self._joined: dict[int, str] = {}  # the topics we hear of, by id
        self._joining = asyncio.Lock()
        self._redis_is_away = False
        self._tasks: list[asyncio.Task[None]] = []

    def feed(self, topic: str) -> Feed | None:
        """Return the topic's feed, if anyone follows it."""
        return self._feeds.get(topic)

    async def welcome(self, user_id: int, guest: Guest) -> None:
        """Have the guest told, from now on, when its user has to be looked at anew."""
        self._guests.setdefault(user_id, set()).add(guest)
        self._start_looking()
        if self._listener is None:
            await self._join_groups()

    def dismiss(self, user_id: int, guest: Guest) -> None:
        """Tell this guest no more."""
        guests = self._guests.get(user_id, set())
        guests.discard(guest)
        if not guests:
            self._guests.pop(user_id, None)

    async def follow(self, topic: str, state: TopicState, follower: Follower) -> Feed:
        """Return the topic's feed, followed from now on; read it only after this has returned."""
        self._start_looking()
        feed = self._feeds.get(topic)
        if feed is not None:
            feed.observe(state)
        if feed is None or feed.is_gone:
            feed = self._feeds[topic] = Feed(topic, state)
        feed.followers.add(follower)
        if state.id not in self._joined:
            await self._join_groups()
            feed.refresh()
        return feed

    def leave(self, feed: Feed, follower: Follower) -> None:
        """Tell this follower no more; a feed that nobody follows is forgotten."""
        feed.followers.discard(follower)
        if not feed.followers and self._feeds.get(feed.topic) is feed:
            del self._feeds[feed.topic]

    def _start_looking(self) -> None:
        if not self._tasks:
            self._tasks.append(asyncio.create_task(self._look_now_and_then()))

    async def _join_groups(self, *, again: bool = False) -> None:
        """Make the groups joined those of the feeds there are, if Redis lets us.

        Once Redis is found to be away, only the look tries again: nobody else waits for it.
        """
        async with self._joining:
            if self._redis_is_away and not again:
                return
            wanted = {feed.state.id: feed.topic for feed in self._feeds.values()}
            try:
                if self._listener is None:
                    listener = topics.Listener()
                    await listener.start()
                    self._listener = listener
                    self._tasks.append(asyncio.create_task(self._listen(listener)))
                for topic_id in wanted.keys() - self._joined.keys():
                    await self._listener.join(topic_id)
                    self._joined[topic_id] = wanted[topic_id]
                for topic_id in self._joined.keys() - wanted.keys():
                    await self._listener.leave(topic_id)
                    del self._joined[topic_id]
            except Exception as error:  # noqa: BLE001 - whatever ails Redis, we do look
                if not self._redis_is_away:
                    log.warning("no wake-ups are heard, heads are looked at: %r", error)
                self._redis_is_away = True
            else:
                self._redis_is_away = False

    async def _listen(self, listener: topics.Listener) -> None:
        while True:
            match await listener.next_word():
                case topics.Wake(topic_id):
                    feed = self.feed(self._joined.get(topic_id, ""))
                    if feed is not None:
                        feed.refresh()
                case topics.Recheck(user_id):
                    for guest in self._guests.get(user_id, ()):
                        guest.recheck()

    async def _look_now_and_then(self) -> None:
        """Notice what a lost wake-up hides: one query for all topics of this process."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await self._join_groups(again=True)
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


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def hub() -> Hub:
    """Return the hub of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _hubs:
        _hubs[loop] = Hub()
    return _hubs[loop]
