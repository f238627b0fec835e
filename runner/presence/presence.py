"""Presence: shows the followers of a topic to one another, in frames that are not events.

Each process counts its own connections, exchanges the counts with other processes once a second
(`redis_shares`) and sends a frame to its connections when something has changed. An idle connection
costs nothing: the work per second depends on the number of processes and of changes.
"""

import asyncio
import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from runner.presence import counts, redis_shares
from runner.presence.counts import NOBODY, Members, TopicPresence
from runner.registry import handlers
from runner.sockets.observers import Connection, register_observer
from runner.sockets.topic_log import DATABASE_AWAY, query

log = logging.getLogger(__name__)

KIND = "presence"
TICK_SECONDS = 1.0
GRACE_SECONDS = 2.0
CONNECTION_TIMEOUT_SECONDS = 20.0  # without a heartbeat, a connection counts as lost
NAMES_TTL_SECONDS = 10.0  # until a suspended user vanishes or a new name is shown, at most
LOOKUP_WAIT_SECONDS = 1.0  # how long a tick waits for names
# Topics with many followers are updated less often: changes cause no more frames than this.
FRAMES_PER_SECOND = 250
MAX_PAUSE_SECONDS = 4.0


@dataclass(slots=True, eq=False)
class _LocalTopic:
    """A topic that is followed here, and the last frame that its followers got."""

    presence: TopicPresence
    connections: set[Connection] = field(default_factory=set)
    uninformed: set[Connection] = field(default_factory=set)  # have got no frame yet
    last_frame: str = ""
    next_frame_at: float = 0.0


@dataclass(slots=True, eq=False)
class _ConnectionState:
    """When a connection was last alive, and its topics."""

    seen_at: float
    topics: set[str] = field(default_factory=set)
    is_timed_out: bool = False


class Presence:
    """The members of one event loop's topics, with those of all other processes."""

    def __init__(self) -> None:
        self._clock = asyncio.get_running_loop().time
        self._topics: dict[str, _LocalTopic] = {}
        self._states: dict[Connection, _ConnectionState] = {}
        self._changed_topics: set[str] = set()  # their frames may have changed
        self._members_changed = True  # since `_own_text` was encoded
        self._own_text = ""
        self._remote_texts: dict[str, str] = {}  # by process
        self._remote_members: dict[str, dict[str, Members]] = {}  # the same, decoded
        self._received_at: float | None = None
        self._is_known = False
        self._redis_is_away = False
        self._names: dict[str, dict[int, str | None]] = {}  # by kind; None is not to be shown
        self._names_read_at = 0.0
        self._name_lookup: asyncio.Task[None] | None = None
        self._task: asyncio.Task[None] | None = None

    # --- Connections ---------------------------------------------------------------------------

    def on_join(self, connection: Connection, topic: str) -> None:
        local = self._topics.setdefault(topic, _LocalTopic(TopicPresence(GRACE_SECONDS)))
        local.connections.add(connection)
        local.uninformed.add(connection)
        state = self._states.setdefault(connection, _ConnectionState(self._clock()))
        state.topics.add(topic)
        if not state.is_timed_out:
            self._add_member(connection, topic)
        if self._task is None:
            self._task = asyncio.create_task(self._work())

    def on_leave(self, connection: Connection, topic: str) -> None:
        local = self._topics.get(topic)
        if local is None or connection not in local.connections:
            return
        local.connections.discard(connection)
        local.uninformed.discard(connection)
        state = self._states[connection]
        state.topics.discard(topic)
        if not state.is_timed_out:
            self._remove_member(connection, topic)
        if not state.topics:
            del self._states[connection]

    def on_heartbeat(self, connection: Connection) -> None:
        state = self._states.get(connection)
        if state is None:
            return
        state.seen_at = self._clock()
        if state.is_timed_out:
            state.is_timed_out = False
            for topic in state.topics:
                self._add_member(connection, topic)

    def _add_member(self, connection: Connection, topic: str) -> None:
        self._topics[topic].presence.join(connection.actor.pk)
        self._mark_changed(topic)

    def _remove_member(self, connection: Connection, topic: str) -> None:
        self._topics[topic].presence.leave(connection.actor.pk, self._clock())
        self._mark_changed(topic)

    def _mark_changed(self, topic: str) -> None:
        self._members_changed = True
        self._changed_topics.add(topic)

    # --- Every second --------------------------------------------------------------------------

    async def _work(self) -> None:
        try:
            while self._topics:
                async with redis_shares.RedisPresence() as redis_presence:
                    while self._topics:
                        await asyncio.sleep(TICK_SECONDS)
                        await self._tick(redis_presence)
        finally:
            if self._name_lookup is not None:
                self._name_lookup.cancel()
            _presences.pop(asyncio.get_running_loop(), None)

    async def _tick(self, redis_presence: redis_shares.RedisPresence) -> None:
        try:
            self._expire()
            await self._exchange(redis_presence)
            await self._update_names()
            self._send_changes()
        except Exception:
            log.exception("updating presence failed")

    def _expire(self) -> None:
        """Drop connections that are silent or have left, and topics without followers."""
        now = self._clock()
        for connection, state in self._states.items():
            if not state.is_timed_out and now - state.seen_at > CONNECTION_TIMEOUT_SECONDS:
                state.is_timed_out = True
                for topic in state.topics:
                    self._remove_member(connection, topic)
        for topic, local in list(self._topics.items()):
            if local.presence.has_expiring and local.presence.expire(now):
                self._mark_changed(topic)
            if not local.connections and not local.presence.has_expiring:
                del self._topics[topic]
                self._mark_changed(topic)

    async def _exchange(self, redis_presence: redis_shares.RedisPresence) -> None:
        """Exchange members with other processes; after a while without answer they are unknown."""
        if self._members_changed:
            self._members_changed = False
            ours = {topic: local.presence.members() for topic, local in self._topics.items()}
            self._own_text = counts.encode_members(ours)
        try:
            texts = await redis_presence.exchange(self._own_text)
        except redis_shares.REDIS_AWAY as error:
            if not self._redis_is_away:
                log.warning("the presence of other processes can't be read: %r", error)
            self._redis_is_away = True
        else:
            self._redis_is_away = False
            self._received_at = self._clock()
            self._apply_remote(texts)
        received_at = self._received_at
        is_known = (
            received_at is not None and self._clock() - received_at <= redis_shares.LEASE_SECONDS
        )
        if is_known != self._is_known:
            self._is_known = is_known
            self._changed_topics.update(self._topics)

    def _apply_remote(self, texts: dict[str, str]) -> None:
        for process in self._remote_texts.keys() | texts.keys():
            if self._remote_texts.get(process) == texts.get(process):
                continue
            before = self._remote_members.pop(process, {})
            after = counts.decode_members(texts[process]) if process in texts else {}
            if after:
                self._remote_members[process] = after
            self._changed_topics |= counts.changed_topics(before, after) & self._topics.keys()
        self._remote_texts = texts

    def _members_of(self, topic: str) -> Members:
        """Return the topic's members in all processes."""
        members = self._topics[topic].presence.members()
        for remote in self._remote_members.values():
            members = members.union(remote.get(topic, NOBODY))
        return members

    # --- Names ---------------------------------------------------------------------------------

    async def _update_names(self) -> None:
        """Look up new members' names, regularly all names; wait for that, but not long."""
        is_renewal = self._clock() - self._names_read_at > NAMES_TTL_SECONDS
        topics: Iterable[str] = (
            self._topics if is_renewal else self._changed_topics & self._topics.keys()
        )
        missing_names: dict[str, set[int]] = {}
        for topic in topics:
            kind = kind_of(topic)
            known: Collection[int] = () if is_renewal else self._names.get(kind, ())
            if missing := self._members_of(topic).users.difference(known):
                missing_names.setdefault(kind, set()).update(missing)
        if missing_names and (self._name_lookup is None or self._name_lookup.done()):
            self._name_lookup = asyncio.create_task(
                self._read_names(missing_names, is_renewal=is_renewal)
            )
        if self._name_lookup is not None:
            await asyncio.wait([self._name_lookup], timeout=LOOKUP_WAIT_SECONDS)

    async def _read_names(self, missing_names: dict[str, set[int]], *, is_renewal: bool) -> None:
        try:
            found = {
                kind: await query(handlers.audiences[kind], ids)
                for kind, ids in missing_names.items()
            }
        except DATABASE_AWAY as error:
            log.warning("the names of followers can't be looked up: %r", error)
            return
        names = {
            kind: {one: found[kind].get(one) for one in ids} for kind, ids in missing_names.items()
        }
        if is_renewal:
            self._names_read_at = self._clock()
            if names != self._names:
                self._names = names
                self._changed_topics.update(self._topics)
        else:
            for kind, known in names.items():
                self._names.setdefault(kind, {}).update(known)

    # --- Frames --------------------------------------------------------------------------------

    def _send_changes(self) -> None:
        now = self._clock()
        for topic in list(self._changed_topics):
            local = self._topics.get(topic)
            if local is None or not local.connections:
                self._changed_topics.discard(topic)
                continue
            frame = self._frame(topic)
            if now >= local.next_frame_at and frame is not None:
                self._changed_topics.discard(topic)
                self._send_frame(topic, local, frame)

    def _frame(self, topic: str) -> str | None:
        """Return the frame to send, or None while names are missing."""
        if not self._is_known:
            return counts.unknown_frame(topic)
        members = self._members_of(topic)
        names = self._names.get(kind_of(topic), {})
        return (
            counts.presence_frame(topic, members, names) if members.users <= names.keys() else None
        )

    def _send_frame(self, topic: str, local: _LocalTopic, frame: str) -> None:
        is_new = frame != local.last_frame
        names = self._names.get(kind_of(topic), {})
        for connection in local.connections if is_new else local.uninformed:
            user_id = connection.actor.pk
            you = None if user_id is None else names.get(user_id)
            connection.post(topic, KIND, counts.complete_frame(frame, you))
        local.last_frame = frame
        local.uninformed = set()
        if is_new:
            pause_seconds = len(local.connections) / FRAMES_PER_SECOND
            local.next_frame_at = self._clock() + min(MAX_PAUSE_SECONDS, pause_seconds)


_presences: dict[asyncio.AbstractEventLoop, Presence] = {}


def presence() -> Presence:
    """Return the presence of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _presences:
        _presences[loop] = Presence()
    return _presences[loop]


def kind_of(topic: str) -> str:
    """Return the topic's kind."""
    return topic.partition(":")[0]


class PresenceObserver:
    """Passes connections to `presence`, for topics whose kind has an audience."""

    def on_join(self, connection: Connection, topic: str) -> None:
        if kind_of(topic) in handlers.audiences:
            presence().on_join(connection, topic)

    def on_leave(self, connection: Connection, topic: str) -> None:
        if kind_of(topic) in handlers.audiences:
            presence().on_leave(connection, topic)

    def on_heartbeat(self, connection: Connection, topics: Sequence[str]) -> None:
        if any(kind_of(topic) in handlers.audiences for topic in topics):
            presence().on_heartbeat(connection)

    def on_close(self, connection: Connection) -> None:
        """Do nothing: the connection has left all its topics."""


def register() -> None:
    """Observe all connections of this process; called once, when all apps are loaded."""
    register_observer(PresenceObserver())
