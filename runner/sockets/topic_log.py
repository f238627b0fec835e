"""A topic's log, read and encoded once for all connections of a process."""

import asyncio
import itertools
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, Protocol, TypeVar

from django.db import DatabaseError, InterfaceError, close_old_connections

from runner.events import log_reader, topics
from runner.events.log_reader import EventPage, Position
from runner.events.topics import Entry, TopicState
from runner.sockets import frames
from runner.sockets.flow_control import FRAME_CHARACTERS, FRAME_EVENTS, Frame

RETRY_SECONDS = 1.0
RECENT_EVENTS = 1_024
RECENT_CHARACTERS = 2_000_000
CACHED_FRAMES = 16
CACHED_PAGES = 4

# The errors of a database that is away, restarting or out of connections.
DATABASE_AWAY = (DatabaseError, InterfaceError)

P = ParamSpec("P")
T = TypeVar("T")

_threads = ThreadPoolExecutor(max_workers=4, thread_name_prefix="topics")


async def query(read: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call `read` in one of a few threads, so that sockets can't take all database connections."""

    def with_own_connection() -> T:
        try:
            return read(*args, **kwargs)
        finally:
            close_old_connections()

    return await asyncio.get_running_loop().run_in_executor(_threads, with_own_connection)


class Follower(Protocol):
    """A connection that follows topic logs."""

    def notify(self, topic: str) -> None:
        """Take notice of new events of the topic; called on the event loop, must not wait."""


class LogReset(Exception):
    """The log does not continue from the follower's position."""

    def __init__(self, reason: str, state: TopicState) -> None:
        super().__init__(reason)
        self.reason = reason
        self.state = state


class TopicLog:
    """One topic's log with its latest events in memory: `_recent` ends at `tail`."""

    def __init__(
        self, topic: str, state: TopicState, read_soon: Callable[["TopicLog"], None]
    ) -> None:
        self.topic = topic
        self.state = state
        self.head = self.tail = state.head_seq
        self.followers: set[Follower] = set()
        self._waiting: set[Follower] = set()  # followers at the tail, to be notified
        self._read_soon = read_soon
        self._recent: deque[str] = deque()
        self._recent_characters = 0
        self._stale = True  # there may be events after the tail
        self._frames: dict[int, Frame] = {}  # LRU cache, by the sequence before the frame
        self._lock = asyncio.Lock()
        self._replays: dict[int, asyncio.Task[Frame]] = {}  # running, by the sequence before them
        # Pages before the recent events, for followers that are behind: (after, events).
        self._older: deque[tuple[int, list[str]]] = deque(maxlen=CACHED_PAGES)
        self._reset: LogReset | None = None
        self.unfollowed_at = 0.0  # on the loop's clock

    @property
    def is_reset(self) -> bool:
        return self._reset is not None

    def leave(self, follower: Follower) -> None:
        """Remove this follower."""
        self.followers.discard(follower)
        self._waiting.discard(follower)

    def refresh(self) -> None:
        """Read new events now if a follower is waiting for them, else when one is."""
        self._stale = True
        if self._waiting:
            self._read_soon(self)

    def observe(self, state: TopicState, tail: int = 0) -> None:
        """Compare with the topic's row, which was read after the tail had reached `tail`."""
        if state.epoch != self.state.epoch:
            self._mark_reset(LogReset("epoch", state))
        elif state.head_seq < tail:
            self._mark_reset(LogReset("future", state))
        self.head = max(self.head, state.head_seq)
        if self.head > self.tail:
            self.refresh()

    async def next_frame(self, after: int, follower: Follower) -> Frame | None:
        """Return the frame after `after`; None at the tail, where the follower will be notified.

        Raises LogReset, and DATABASE_AWAY if a page has to be read.
        """
        if self._reset:
            raise self._reset
        if after >= self.tail:
            self._waiting.add(follower)
            if self._stale:
                self._read_soon(self)
            return None
        frame = self._frames.pop(after, None) or await self._make_frame(after)
        self._frames[after] = frame  # moved to the end; the first is dropped
        if len(self._frames) > CACHED_FRAMES:
            del self._frames[next(iter(self._frames))]
        return frame

    def position(self) -> Position:
        """Return the position to read from, now; resets the notifications received so far."""
        self._stale = False
        return Position(self.state.id, self.tail)

    async def add_page(self, page: EventPage) -> None:
        """Append the page read at that position, and notify waiting followers."""
        if page.entries and page.entries[0].seq != self.tail + 1:
            self._mark_reset(await self._explain_gap(self.tail))
        elif page.entries:
            self._append(page.entries)
            self._stale |= page.is_full
            self._notify_waiting()

    def _append(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            text = _encode(entry)
            self._recent.append(text)
            self._recent_characters += len(text)
        self.tail += len(entries)
        self.head = max(self.head, self.tail)
        while len(self._recent) > RECENT_EVENTS or self._recent_characters > RECENT_CHARACTERS:
            self._recent_characters -= len(self._recent.popleft())
        # Frames that end at a multiple are full; others could hold more events now.
        self._frames = {
            after: frame for after, frame in self._frames.items() if not frame.last % FRAME_EVENTS
        }

    def _mark_reset(self, reset: LogReset) -> None:
        self._reset = reset
        self._notify_waiting()

    def _notify_waiting(self) -> None:
        waiting, self._waiting = self._waiting, set()
        for follower in waiting:
            follower.notify(self.topic)

    async def _make_frame(self, after: int) -> Frame:
        if after < self.tail - len(self._recent):
            return await self._replay(after)
        ready = itertools.islice(self._recent, after - self.tail + len(self._recent), None)
        return self._frame(after, ready)

    async def _replay(self, after: int) -> Frame:
        """Return a frame from before the recent events; followers at one position share the read.

        They share a task, because with a lock they would continue one by one, each in its own
        iteration of the event loop.
        """
        task = self._replays.get(after)
        if task is None:
            task = self._replays[after] = asyncio.create_task(self._read_older(after))
            task.add_done_callback(lambda done: self._end_replay(after, done))
        return await asyncio.shield(task)

    def _end_replay(self, after: int, done: asyncio.Task[Frame]) -> None:
        del self._replays[after]
        if not done.cancelled():
            done.exception()  # mark as retrieved, because no follower may be left to raise it

    async def _read_older(self, after: int) -> Frame:
        async with self._lock:
            for start, events in self._older:
                if start <= after < start + len(events):
                    return self._frame(after, itertools.islice(events, after - start, None))
            (page,) = await query(log_reader.read_pages, [Position(self.state.id, after)])
            if not page.entries or page.entries[0].seq != after + 1:
                raise await self._explain_gap(after)
            events = [_encode(entry) for entry in page.entries]
            # Kept for others at the same position, and for the next frames.
            self._older.append((after, events))
            return self._frame(after, events)

    async def _explain_gap(self, after: int) -> LogReset:
        states = await query(topics.topic_states, [self.topic])
        state = states.get(self.topic, topics.NO_EVENTS_YET)
        return LogReset(topics.reset_reason(state, self.state.epoch, after) or "purged", state)

    def _frame(self, after: int, encoded: Iterable[str]) -> Frame:
        taken: list[str] = []
        characters = 0
        # Frames end at multiples of FRAME_EVENTS, so that followers behind the tail can share them.
        for text in itertools.islice(encoded, FRAME_EVENTS - after % FRAME_EVENTS):
            if taken and characters + len(text) > FRAME_CHARACTERS:
                break
            taken.append(text)
            characters += len(text)
        return Frame(frames.events(self.topic, self.state.epoch, taken), after + len(taken))


def _encode(entry: Entry) -> str:
    return frames.encode(topics.event_fields(entry))
