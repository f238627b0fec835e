"""Presence: shows the followers of a topic to one another, in frames that are not events.

Once a second, each process signals its members by topic to all processes, including itself.
Members that are not renewed expire, so a killed process leaves nothing behind. A process that
doesn't receive its own signal knows that it doesn't receive those of others either. The work per
second depends on the number of processes, topics and connections, not on their activity.
"""

import asyncio
import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from runner.events.wakeups import MembersByTopic, share_members
from runner.registry import Actor, handlers
from runner.sockets import frames
from runner.sockets.topic_log import DATABASE_AWAY, query

log = logging.getLogger(__name__)

KIND = "presence"
TICK_SECONDS = 1.0
GRACE_SECONDS = 2.0  # a member who returns within this time is shown throughout
LEASE_SECONDS = 12.0  # of a process's members
CONNECTION_TIMEOUT_SECONDS = 20.0  # without a heartbeat, a connection counts as lost
NAMES_TTL_SECONDS = 10.0  # the longest time until a suspended user vanishes or a new name is shown
LOOKUP_WAIT_SECONDS = 1.0  # how long a tick waits for names
# More users are only counted: no page shows more names, and frames stay small.
MAX_NAMES = 20
# The limit of frames per topic: topics with many followers are updated less often.
FRAMES_PER_SECOND = 250
MAX_PAUSE_SECONDS = 4.0


class Connection(Protocol):
    """An open connection; equal only to itself."""

    alive_at: float  # when the client last read something, on the loop's clock

    @property
    def actor(self) -> Actor:
        """The user, or AnonymousUser."""

    def post(self, topic: str, kind: str, frame: str) -> None:
        """Send this frame; it replaces an unsent one. Called on the event loop, must not wait."""


class Members(NamedTuple):
    """A topic's followers: the ids of users, and the number of anonymous connections."""

    users: frozenset[int] = frozenset()
    others: int = 0


class _Share(NamedTuple):
    """The members signalled by one process."""

    received_at: float
    members: Mapping[str, Members]  # by topic


class _Picture(NamedTuple):
    """The content of a topic's presence frame; None: unknown."""

    people: list[str] | None
    others: int | None


@dataclass(slots=True, eq=False)
class _Topic:
    """A topic with followers in this process, and the last frame's content."""

    connections: set[Connection] = field(default_factory=set)
    # Those who have just left remain members for a while: (until when, user id).
    left: list[tuple[float, int | None]] = field(default_factory=list)
    uninformed: set[Connection] = field(default_factory=set)  # got no frame yet
    picture: _Picture | None = None
    next_frame_at: float = 0.0

    def members(self, now: float) -> Members:
        present = [each.actor.pk for each in self.connections if _is_alive(each, now)]
        present += [user_id for until, user_id in self.left if until > now]
        users = frozenset(user_id for user_id in present if user_id is not None)
        return Members(users, present.count(None))


class Presence:
    """The members of one event loop's topics, in this process and in all others."""

    def __init__(self) -> None:
        self._clock = asyncio.get_running_loop().time
        self._process = secrets.token_hex(8)
        self._topics: dict[str, _Topic] = {}
        self._shares: dict[str, _Share] = {}  # by process
        self._names: dict[str, dict[int, str | None]] = {}  # by topic kind; None: not to be shown
        self._names_due_at = 0.0
        self._name_lookup: asyncio.Task[None] | None = None
        self._task: asyncio.Task[None] | None = None

    def join(self, connection: Connection, topic: str) -> None:
        """Show the connection among the topic's followers, if its kind has an audience."""
        if _kind(topic) not in handlers.audiences:
            return
        here = self._topics.setdefault(topic, _Topic())
        here.connections.add(connection)
        here.uninformed.add(connection)
        if connection.actor.pk is None:  # it may be one that has just left
            anonymous = (entry for entry in here.left if entry[1] is None)
            if entry := next(anonymous, None):
                here.left.remove(entry)
        if self._task is None:
            self._task = asyncio.create_task(self._work())

    def leave(self, connection: Connection, topic: str) -> None:
        """Stop showing the connection, after the grace period."""
        here = self._topics.get(topic)
        if here is None or connection not in here.connections:
            return
        here.connections.discard(connection)
        here.uninformed.discard(connection)
        if _is_alive(connection, self._clock()):
            here.left.append((self._clock() + GRACE_SECONDS, connection.actor.pk))

    def receive(self, shares: Mapping[str, MembersByTopic]) -> None:
        """Replace the members of these processes; a process without topics is removed."""
        for process, topics in shares.items():
            self._shares.pop(process, None)
            if members := {topic: Members(frozenset(ids), n) for topic, (ids, n) in topics.items()}:
                self._shares[process] = _Share(self._clock(), members)

    # --- Every second --------------------------------------------------------------------------

    async def _work(self) -> None:
        try:
            while self._topics:
                self._share()
                await asyncio.sleep(TICK_SECONDS)
                self._expire()
                try:
                    await self._show()
                except Exception:
                    log.exception("showing presence failed")
        finally:
            self._task = None
            share_members(self._process, {})

    def _share(self) -> None:
        members = {topic: here.members(self._clock()) for topic, here in self._topics.items()}
        share_members(
            self._process,
            {topic: (sorted(users), others) for topic, (users, others) in members.items()},
        )

    def _expire(self) -> None:
        """Drop ended grace periods, topics without members, and expired processes."""
        now = self._clock()
        for topic, here in list(self._topics.items()):
            here.left = [entry for entry in here.left if entry[0] > now]
            if not here.connections and not here.left:
                del self._topics[topic]
        for process, share in list(self._shares.items()):
            if now - share.received_at > LEASE_SECONDS:
                del self._shares[process]

    async def _show(self) -> None:
        """Send frames to the followers of topics whose members have changed."""
        await self._update_names()
        for topic, here in self._topics.items():
            picture = self._picture(topic)
            if picture is not None and self._clock() >= here.next_frame_at:
                self._send(topic, here, picture)

    def _members(self, topic: str) -> Members:
        """Return the topic's members in all processes."""
        members = [
            self._topics[topic].members(self._clock()),
            *(
                share.members[topic]
                for process, share in self._shares.items()
                if process != self._process and topic in share.members
            ),
        ]
        return Members(
            frozenset().union(*(each.users for each in members)),
            sum(each.others for each in members),
        )

    def _picture(self, topic: str) -> _Picture | None:
        """Return the content of the next frame, or None while names are missing."""
        if self._process not in self._shares:
            return _Picture(None, None)
        members, names = self._members(topic), self._names.get(_kind(topic), {})
        if not members.users <= names.keys():
            return None
        people = sorted(name for each in members.users if (name := names[each]) is not None)
        return _Picture(people[:MAX_NAMES], members.others + len(people[MAX_NAMES:]))

    def _send(self, topic: str, here: _Topic, picture: _Picture) -> None:
        is_new = picture != here.picture
        names = self._names.get(_kind(topic), {})
        for connection in here.connections if is_new else here.uninformed:
            user_id = connection.actor.pk
            you = None if user_id is None else names.get(user_id)
            connection.post(topic, KIND, frames.presence(topic, *picture, you))
        here.picture, here.uninformed = picture, set()
        if is_new:
            pause_seconds = len(here.connections) / FRAMES_PER_SECOND
            here.next_frame_at = self._clock() + min(MAX_PAUSE_SECONDS, pause_seconds)

    # --- Names ---------------------------------------------------------------------------------

    async def _update_names(self) -> None:
        """Look up all names if one is missing or they are old; wait LOOKUP_WAIT_SECONDS at most."""
        users: dict[str, set[int]] = {}
        for topic in self._topics:
            users.setdefault(_kind(topic), set()).update(self._members(topic).users)
        is_missing = any(ids - self._names.get(kind, {}).keys() for kind, ids in users.items())
        if self._name_lookup is None and (is_missing or self._clock() >= self._names_due_at):
            self._name_lookup = asyncio.create_task(self._look_up(users))
        if self._name_lookup is not None:
            await asyncio.wait([self._name_lookup], timeout=LOOKUP_WAIT_SECONDS)

    async def _look_up(self, users: Mapping[str, set[int]]) -> None:
        try:
            for kind, ids in users.items():
                names = await query(handlers.audiences[kind], ids)
                self._names[kind] = {user_id: names.get(user_id) for user_id in ids}
            self._names_due_at = self._clock() + NAMES_TTL_SECONDS
        except DATABASE_AWAY as error:
            log.warning("the names of followers can't be looked up: %r", error)
        finally:
            self._name_lookup = None


def _is_alive(connection: Connection, now: float) -> bool:
    return now - connection.alive_at <= CONNECTION_TIMEOUT_SECONDS


def _kind(topic: str) -> str:
    return topic.partition(":")[0]
