"""Authenticates sockets and checks their permissions, many in one query."""

import asyncio
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from django.contrib.auth.models import AnonymousUser
from django.db import InterfaceError, OperationalError

from runner.events import topics
from runner.events.topics import Actor, TopicState
from runner.quotas import SOCKETS, Resource, overrides_of
from runner.registry import existing_topics, may_follow_restricted, users_of_sessions
from runner.sockets.query_batcher import QueryBatcher

# How soon sockets follow a limit that staff has changed.
OVERRIDE_SECONDS = 60.0

Request = TypeVar("Request")
Response = TypeVar("Response")


class FollowRequest(NamedTuple):
    """An actor's request to follow a topic."""

    actor: Actor
    topic: str


class AccessCheck(NamedTuple):
    """A connection's session and subscribed topics, to be checked again."""

    actor: Actor
    session_key: str
    topics: Sequence[str]


class AccessResult(NamedTuple):
    """The result of an AccessCheck."""

    is_signed_out: bool
    forbidden: Sequence[str] = ()  # topics


class Permissions:
    """The batched queries about sessions and permissions of one event loop."""

    def __init__(self) -> None:
        self._sessions: QueryBatcher[str, Actor] = QueryBatcher(_identify)
        self._follow_requests = QueryBatcher(_open_topics)
        self._checks = QueryBatcher(_check)
        self._socket_limits = QueryBatcher(_read_overrides)
        self._overrides: Mapping[int, int] = {}
        self._overrides_due = -math.inf

    async def user_of_session(self, session_key: str) -> Actor:
        """Return the user who is signed in by this session, or AnonymousUser."""
        if not session_key:
            return AnonymousUser()
        return await self._sessions.load(session_key)

    async def socket_limit(self, actor: Actor) -> int:
        """Return how many sockets the user may have open in this process."""
        if actor.pk is None:
            return SOCKETS.default_limit
        now = asyncio.get_running_loop().time()
        if now >= self._overrides_due:
            self._overrides = await self._socket_limits.load(SOCKETS)
            self._overrides_due = now + OVERRIDE_SECONDS
        return self._overrides.get(actor.pk, SOCKETS.default_limit)

    async def open_topic(self, actor: Actor, topic: str) -> TopicState | None:
        """Return the topic's row, created if missing, or None if the actor may not follow it."""
        return await self._follow_requests.load(FollowRequest(actor, topic))

    async def check(self, check: AccessCheck) -> AccessResult:
        """Check a connection's session and permissions again."""
        return await self._checks.load(check)


def _identify(session_keys: Sequence[str]) -> list[Actor]:
    users = users_of_sessions(set(session_keys))
    return [users.get(key, AnonymousUser()) for key in session_keys]


def _read_overrides(resources: Sequence[Resource]) -> list[Mapping[int, int]]:
    """Return staff's exceptions for each of these resources: limits by user."""
    return [overrides_of(resource) for resource in resources]


def _open_topics(requests: Sequence[FollowRequest]) -> list[TopicState | Exception | None]:
    rules = _Rules(request.topic for request in requests)
    granted = list(_results(lambda request: rules.allows(request.actor, request.topic), requests))
    decisions = list(zip(requests, granted, strict=True))
    states = topics.open_topics(
        {request.topic for request, allowed in decisions if allowed is True}
    )
    return [
        states[request.topic] if allowed is True else allowed or None
        for request, allowed in decisions
    ]


def _check(checks: Sequence[AccessCheck]) -> list[AccessResult | Exception]:
    users = users_of_sessions(
        {check.session_key for check in checks if check.actor.is_authenticated}
    )
    rules = _Rules(topic for check in checks for topic in check.topics)

    def check_one(check: AccessCheck) -> AccessResult:
        if check.actor.is_authenticated and users.get(check.session_key) != check.actor:
            return AccessResult(is_signed_out=True)
        forbidden = [topic for topic in check.topics if not rules.allows(check.actor, topic)]
        return AccessResult(is_signed_out=False, forbidden=forbidden)

    return list(_results(check_one, checks))


class _Rules:
    """The permissions for some topics: public ones in one query, each other pair of user once."""

    def __init__(self, requested_topics: Iterable[str]) -> None:
        self._public = existing_topics(set(requested_topics))
        self._restricted: dict[tuple[int | None, str], bool] = {}

    def allows(self, actor: Actor, topic: str) -> bool:
        if topic in self._public:
            return True
        pair = (actor.pk, topic)
        if pair not in self._restricted:
            self._restricted[pair] = may_follow_restricted(actor, topic)
        return self._restricted[pair]


def _results(
    answer: Callable[[Request], Response], requests: Sequence[Request]
) -> Iterator[Response | Exception]:
    """Yield the response to each request, or its error."""
    for request in requests:
        try:
            yield answer(request)
        except (OperationalError, InterfaceError):
            raise  # the database is away: all requests fail
        except Exception as error:  # noqa: BLE001 - raised by this request's `load`
            yield error


_permissions: WeakKeyDictionary[asyncio.AbstractEventLoop, Permissions] = WeakKeyDictionary()


def permissions() -> Permissions:
    """Return the permissions of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _permissions:
        _permissions[loop] = Permissions()
    return _permissions[loop]
