"""Who is asking, may follow what, and is still signed in: found out for many sockets at once."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from django.contrib.auth.models import AnonymousUser
from django.db import InterfaceError, OperationalError

from runner.events import topics
from runner.events.topics import Actor, TopicState
from runner.registry import existing_topics, may_follow_restricted, users_of_sessions
from runner.sockets.query_batcher import QueryBatcher

Given = TypeVar("Given")
Found = TypeVar("Found")


class FollowRequest(NamedTuple):
    """To follow a topic."""

    actor: Actor
    topic: str


class AccessCheck(NamedTuple):
    """What one connection was allowed before."""

    actor: Actor
    session_key: str
    topics: Sequence[str]


class AccessResult(NamedTuple):
    """What is not allowed any more."""

    is_signed_out: bool
    forbidden: Sequence[str] = ()


class Permissions:
    """The questions of one event loop."""

    def __init__(self) -> None:
        self._sessions: QueryBatcher[str, Actor] = QueryBatcher(_identify)
        self._wishes = QueryBatcher(_open_topics)
        self._looks = QueryBatcher(_check)

    async def identify(self, session_key: str) -> Actor:
        """Return who is signed in by this session, or nobody."""
        if not session_key:
            return AnonymousUser()
        return await self._sessions.answer(session_key)

    async def open_topic(self, actor: Actor, topic: str) -> TopicState | None:
        """Return the row of a topic that may be followed, made if there is none; else None."""
        return await self._wishes.answer(FollowRequest(actor, topic))

    async def look(self, look: AccessCheck) -> AccessResult:
        """Look again at what was allowed."""
        return await self._looks.answer(look)


def _identify(session_keys: Sequence[str]) -> list[Actor]:
    users = users_of_sessions(set(session_keys))
    return [users.get(key, AnonymousUser()) for key in session_keys]


def _open_topics(wishes: Sequence[FollowRequest]) -> list[TopicState | Exception | None]:
    rules = _Rules(wish.topic for wish in wishes)
    granted = list(_results(lambda wish: rules.let_follow(wish.actor, wish.topic), wishes))
    answers = list(zip(wishes, granted, strict=True))
    states = topics.open_topics({wish.topic for wish, answer in answers if answer is True})
    return [states[wish.topic] if answer is True else answer or None for wish, answer in answers]


def _check(looks: Sequence[AccessCheck]) -> list[AccessResult | Exception]:
    users = users_of_sessions({look.session_key for look in looks if look.actor.is_authenticated})
    rules = _Rules(topic for look in looks for topic in look.topics)

    def find(look: AccessCheck) -> AccessResult:
        if look.actor.is_authenticated and users.get(look.session_key) != look.actor:
            return AccessResult(is_signed_out=True)
        forbidden = [topic for topic in look.topics if not rules.let_follow(look.actor, topic)]
        return AccessResult(is_signed_out=False, forbidden=forbidden)

    return list(_results(find, looks))


class _Rules:
    """Asks of all public topics together, and of the same user and topic once."""

    def __init__(self, asked: Iterable[str]) -> None:
        self._open = existing_topics(set(asked))
        self._known: dict[tuple[int | None, str], bool] = {}

    def let_follow(self, actor: Actor, topic: str) -> bool:
        if topic in self._open:
            return True
        case = (actor.pk, topic)
        if case not in self._known:
            self._known[case] = may_follow_restricted(actor, topic)
        return self._known[case]


def _results(find: Callable[[Given], Found], given: Sequence[Given]) -> Iterator[Found | Exception]:
    """Find out about each of these; a question that cannot be answered spoils no other."""
    for one in given:
        try:
            yield find(one)
        except (OperationalError, InterfaceError):
            raise  # the database is away, for all of them
        except Exception as error:  # noqa: BLE001 - it is raised to who has asked
            yield error


_permissions: WeakKeyDictionary[asyncio.AbstractEventLoop, Permissions] = WeakKeyDictionary()


def permissions() -> Permissions:
    """Return the permissions of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _permissions:
        _permissions[loop] = Permissions()
    return _permissions[loop]
