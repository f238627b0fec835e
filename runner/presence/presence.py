"""Who else follows a topic now: told to all who follow it, in frames that are no events.

Every process counts its own connections, hears of those of the others once a second (`shares`) and
tells its own visitors when the picture has changed. Nothing is done for a connection that only
stays: what a second costs depends on the processes there are, and on what has changed.
"""

import asyncio
import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from runner.presence import counts, redis_shares
from runner.presence.counts import NOBODY, Members, TopicPresence
from runner.registry import audiences
from runner.sockets.observers import Connection, register_observer
from runner.sockets.topic_log import DATABASE_AWAY, query

log = logging.getLogger(__name__)

KIND = "presence"
TICK_SECONDS = 1.0
GRACE_SECONDS = 2.0
CONNECTION_TIMEOUT_SECONDS = 20.0  # without a heartbeat going out, a connection is taken to be lost
NAMES_TTL_SECONDS = 10.0  # how late a suspended user vanishes at most, or a new name is shown
LOOKUP_WAIT_SECONDS = 1.0  # how long a tick waits for names
# The more are to be told, the rarer: nobody's coming and going costs more than so many frames.
FRAMES_PER_SECOND = 250
MAX_PAUSE_SECONDS = 4.0


@dataclass(slots=True, eq=False)
class _LocalTopic:
    """A topic that is followed here, and what its followers have been told."""

    room: TopicPresence
    visitors: set[Connection] = field(default_factory=set)
    unaware: set[Connection] = field(default_factory=set)  # those who have been told nothing yet
    told: str = ""
    not_before: float = 0.0


@dataclass(slots=True, eq=False)
class _ConnectionState:
    """When a connection was last seen to take what it is sent."""

    at: float
    topics: set[str] = field(default_factory=set)
    is_silent: bool = False


class Presence:
    """The visitors of one event loop, and those of all other processes."""

    def __init__(self) -> None:
        self._clock = asyncio.get_running_loop().time
        self._places: dict[str, _LocalTopic] = {}
        self._sightings: dict[Connection, _ConnectionState] = {}
        self._due: set[str] = set()  # topics whose picture may have changed
        self._has_changed = True  # our own share, since it was encoded
        self._own = ""
        self._said: dict[str, str] = {}  # by the other processes, as it came
        self._elsewhere: dict[str, dict[str, Members]] = {}  # the same, read
        self._heard_at: float | None = None
        self._is_known = False
        self._redis_is_away = False
        self._names: dict[str, dict[int, str | None]] = {}  # by kind; None is not to be shown
        self._names_at = 0.0
        self._naming: asyncio.Task[None] | None = None
        self._task: asyncio.Task[None] | None = None

    # --- What connections do ------------------------------------------------------------------

    def came(self, visitor: Connection, topic: str) -> None:
        place = self._places.setdefault(topic, _LocalTopic(TopicPresence(GRACE_SECONDS)))
        place.visitors.add(visitor)
        place.unaware.add(visitor)
        sighting = self._sightings.setdefault(visitor, _ConnectionState(self._clock()))
        sighting.topics.add(topic)
        if not sighting.is_silent:
            self._count_in(visitor, topic)
        if self._task is None:
            self._task = asyncio.create_task(self._work())

    def left(self, visitor: Connection, topic: str) -> None:
        place = self._places.get(topic)
        if place is None or visitor not in place.visitors:
            return
        place.visitors.discard(visitor)
        place.unaware.discard(visitor)
        sighting = self._sightings[visitor]
        sighting.topics.discard(topic)
        if not sighting.is_silent:
            self._count_out(visitor, topic)
        if not sighting.topics:
            del self._sightings[visitor]

    def stays(self, visitor: Connection) -> None:
        sighting = self._sightings.get(visitor)
        if sighting is None:
            return
        sighting.at = self._clock()
        if sighting.is_silent:
            sighting.is_silent = False
            for topic in sighting.topics:
                self._count_in(visitor, topic)

    def _count_in(self, visitor: Connection, topic: str) -> None:
        self._places[topic].room.enter(visitor.actor.pk)
        self._mark(topic)

    def _count_out(self, visitor: Connection, topic: str) -> None:
        self._places[topic].room.leave(visitor.actor.pk, self._clock())
        self._mark(topic)

    def _mark(self, topic: str) -> None:
        self._has_changed = True
        self._due.add(topic)

    # --- What is done every second -----------------------------------------------------------

    async def _work(self) -> None:
        try:
            while self._places:
                async with redis_shares.RedisPresence() as ledger:
                    while self._places:
                        await asyncio.sleep(TICK_SECONDS)
                        await self._tick(ledger)
        finally:
            if self._naming is not None:
                self._naming.cancel()
            _presences.pop(asyncio.get_running_loop(), None)

    async def _tick(self, ledger: redis_shares.RedisPresence) -> None:
        try:
            self._let_go()
            await self._exchange(ledger)
            await self._find_names()
            self._tell()
        except Exception:
            log.exception("who is there could not be told")

    def _let_go(self) -> None:
        """Count no more who has fallen silent or left, and forget topics where nobody is left."""
        now = self._clock()
        for visitor, sighting in self._sightings.items():
            if not sighting.is_silent and now - sighting.at > CONNECTION_TIMEOUT_SECONDS:
                sighting.is_silent = True
                for topic in sighting.topics:
                    self._count_out(visitor, topic)
        for topic, place in list(self._places.items()):
            if place.room.has_leaving and place.room.let_go(now):
                self._mark(topic)
            if not place.visitors and not place.room.has_leaving:
                del self._places[topic]
                self._mark(topic)

    async def _exchange(self, ledger: redis_shares.RedisPresence) -> None:
        """Say who is here, and hear who is elsewhere; after a while without word, nobody knows."""
        if self._has_changed:
            self._has_changed = False
            ours = {topic: place.room.share() for topic, place in self._places.items()}
            self._own = counts.encode_members(ours)
        try:
            said = await ledger.exchange(self._own)
        except redis_shares.REDIS_AWAY as error:
            if not self._redis_is_away:
                log.warning("who follows topics in other processes is not heard: %r", error)
            self._redis_is_away = True
        else:
            self._redis_is_away = False
            self._heard_at = self._clock()
            self._read(said)
        heard_at = self._heard_at
        is_known = heard_at is not None and self._clock() - heard_at <= redis_shares.LEASE_SECONDS
        if is_known != self._is_known:
            self._is_known = is_known
            self._due.update(self._places)

    def _read(self, said: dict[str, str]) -> None:
        for process in self._said.keys() | said.keys():
            if self._said.get(process) == said.get(process):
                continue
            before = self._elsewhere.pop(process, {})
            after = counts.decode_members(said[process]) if process in said else {}
            if after:
                self._elsewhere[process] = after
            self._due |= counts.changed_topics(before, after) & self._places.keys()
        self._said = said

    def _share(self, topic: str) -> Members:
        """Return who follows the topic anywhere."""
        share = self._places[topic].room.share()
        for elsewhere in self._elsewhere.values():
            share = share.joined(elsewhere.get(topic, NOBODY))
        return share

    # --- Names ---------------------------------------------------------------------------------

    async def _find_names(self) -> None:
        """Start looking up who is new, and now and then everybody; wait for that, but not long."""
        is_renewal = self._clock() - self._names_at > NAMES_TTL_SECONDS
        topics: Iterable[str] = self._places if is_renewal else self._due & self._places.keys()
        wanted: dict[str, set[int]] = {}
        for topic in topics:
            kind = kind_of(topic)
            known: Collection[int] = () if is_renewal else self._names.get(kind, ())
            if missing := self._share(topic).users.difference(known):
                wanted.setdefault(kind, set()).update(missing)
        if wanted and (self._naming is None or self._naming.done()):
            self._naming = asyncio.create_task(self._look_up(wanted, is_renewal=is_renewal))
        if self._naming is not None:
            await asyncio.wait([self._naming], timeout=LOOKUP_WAIT_SECONDS)

    async def _look_up(self, wanted: dict[str, set[int]], *, is_renewal: bool) -> None:
        try:
            found = {kind: await query(audiences[kind], ids) for kind, ids in wanted.items()}
        except DATABASE_AWAY as error:
            log.warning("the names of followers cannot be looked up: %r", error)
            return
        names = {kind: {one: found[kind].get(one) for one in ids} for kind, ids in wanted.items()}
        if is_renewal:
            self._names_at = self._clock()
            if names != self._names:
                self._names = names
                self._due.update(self._places)
        else:
            for kind, known in names.items():
                self._names.setdefault(kind, {}).update(known)

    # --- What visitors are told ------------------------------------------------------------------

    def _tell(self) -> None:
        now = self._clock()
        for topic in list(self._due):
            place = self._places.get(topic)
            if place is None or not place.visitors:
                self._due.discard(topic)
                continue
            picture = self._picture(topic)
            if now >= place.not_before and picture is not None:
                self._due.discard(topic)
                self._show(topic, place, picture)

    def _picture(self, topic: str) -> str | None:
        """Return what is to be told, or None while names are missing."""
        if not self._is_known:
            return counts.unknown_frame(topic)
        share = self._share(topic)
        names = self._names.get(kind_of(topic), {})
        return counts.presence_frame(topic, share, names) if share.users <= names.keys() else None

    def _show(self, topic: str, place: _LocalTopic, picture: str) -> None:
        is_new = picture != place.told
        names = self._names.get(kind_of(topic), {})
        for visitor in place.visitors if is_new else place.unaware:
            user_id = visitor.actor.pk
            you = None if user_id is None else names.get(user_id)
            visitor.post(topic, KIND, counts.complete_frame(picture, you))
        place.told = picture
        place.unaware = set()
        if is_new:
            pause_seconds = len(place.visitors) / FRAMES_PER_SECOND
            place.not_before = self._clock() + min(MAX_PAUSE_SECONDS, pause_seconds)


_presences: dict[asyncio.AbstractEventLoop, Presence] = {}


def presence() -> Presence:
    """Return who is present on the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _presences:
        _presences[loop] = Presence()
    return _presences[loop]


def kind_of(topic: str) -> str:
    """Return the kind of a topic, by which names were registered for it."""
    return topic.partition(":")[0]


class PresenceObserver:
    """Counts the followers of those topics whose kind has an audience: of no others is told."""

    def came(self, visitor: Connection, topic: str) -> None:
        if kind_of(topic) in audiences:
            presence().came(visitor, topic)

    def left(self, visitor: Connection, topic: str) -> None:
        if kind_of(topic) in audiences:
            presence().left(visitor, topic)

    def stays(self, visitor: Connection, topics: Sequence[str]) -> None:
        if any(kind_of(topic) in audiences for topic in topics):
            presence().stays(visitor)

    def ended(self, visitor: Connection) -> None:
        """Do nothing: it has left all its topics before."""


def register() -> None:
    """Have all visitors of this process counted; called once, when all apps are loaded."""
    register_observer(PresenceObserver())
