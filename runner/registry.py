"""The apps' callables for the machinery: one typed table, filled in `AppConfig.ready`."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, Protocol

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from runner.models import FanOut, FollowUp
from runner.states import State

Actor = AbstractBaseUser | AnonymousUser
RowsByTarget = Mapping[str, Sequence[FollowUp]]  # due rows, by target


class FinishedTask(NamedTuple):
    """A task that has become final, as passed to its recorder."""

    task_id: int
    batch_id: int
    key: bytes
    state: State
    verdict: str | None
    cpu_us: int | None
    message: str
    line: int | None


class Page(NamedTuple):
    """A page of items, and the cursor of the next page: any JSON value, None at the end."""

    items: Sequence[Any]
    cursor: Any


class Step(NamedTuple):
    """A fan-out's step: `work` is called for each page, in the transaction that moves the cursor.

    `finish` is called in the transaction of the last page. A page that keeps failing is skipped; or
    if there is a `fail`, the fan-out ends and `fail` is called.
    """

    work: Callable[[Sequence[Any], FanOut], None]
    finish: Callable[[FanOut], None] | None = None
    fail: Callable[[FanOut], None] | None = None


class FollowUpHandler(NamedTuple):
    """A handler of follow-ups.

    `run` is called with all due rows of up to `max_targets` targets, in one transaction. It returns
    the targets whose rows may be deleted and is called again for the others. If it raises, it is
    called for each target separately, so that one target can't block the others.
    """

    run: Callable[[RowsByTarget], Collection[str]]
    max_targets: int


def for_each_target(handle: Callable[[str, Sequence[FollowUp]], None]) -> FollowUpHandler:
    """Return a handler that calls `handle` with one target's rows per transaction."""

    def run(rows_by_target: RowsByTarget) -> Collection[str]:
        for target, rows in rows_by_target.items():
            handle(target, rows)
        return rows_by_target

    return FollowUpHandler(run, max_targets=1)


class PeriodicTask(NamedTuple):
    """A task of the sweepers, run by one of them at a time.

    `run` gets the cursor at which it stopped and returns the next one, 0 at the end.
    """

    name: str
    interval_seconds: int
    run: Callable[[int], int]


class Total(NamedTuple):
    """A target's stored total, and the sum of its sources at the same instant."""

    target: int
    shown: int
    sum: int


class SourceUpdate(NamedTuple):
    """A source's value and target as of its sequence number."""

    source: int
    sequence: int
    target: int
    value: int


class View(Protocol):
    """A materialised view: a total per target."""

    def add(self, differences: Mapping[int, int]) -> None:
        """Add to these targets' totals, in ascending order, and handle the consequences.

        Called in the join's transaction. Targets that no longer exist are skipped.
        """

    def totals(self, after: int, most: int) -> Sequence[Total]:
        """Return up to `most` totals after this target, each with its sum, in one statement."""

    def updates(self, target: int) -> Sequence[SourceUpdate]:
        """Return the current updates of the target's sources."""


class WorkerService(Protocol):
    """Something that runs beside the drainer in each worker, in threads of its own."""

    def stop(self) -> None:
        """Begin nothing more; called by a signal handler."""

    def close(self) -> None:
        """Stop, and wait a few seconds at most."""


# Called with a batch's finished tasks, inside the transaction that records them.
Recorder = Callable[[Sequence[FinishedTask]], None]
# Called with (arguments, cursor, limit); the first cursor is None. Equal arguments and cursors must
# give pages that begin at the same item.
Source = Callable[[Mapping[str, Any], Any, int], Page]
# Returns those of the keys whose results must be kept.
RetentionRule = Callable[[Sequence[bytes]], Iterable[bytes]]
# Called with the actor and the topic's id, without its kind.
TopicPermission = Callable[[Actor, str], bool]
# Returns those of the ids that exist, for many sockets at once, so in one query.
ExistingIds = Callable[[Collection[str]], Collection[str]]
# Returns the users of those session keys that are signed in.
SessionLookup = Callable[[Collection[str]], Mapping[str, Actor]]
# Returns the account that is charged for what this one uses; None if that is its own.
PayerLookup = Callable[[int], int | None]
# Returns the percentage of a default quota that this account has; None for all of it.
ShareLookup = Callable[[int], int | None]
# Returns the other accounts for whose use this one is charged.
ChargedLookup = Callable[[int], Collection[int]]
# Returns names by user id; users that are left out are neither shown nor counted.
NameLookup = Callable[[Collection[int]], Mapping[int, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Handlers:
    """An app's callables, by the names stored in rows and in Redis; those of topics by kind.

    Anybody may follow topics of a kind in `public_topics`; for other kinds, `topic_permissions`
    decides. Followers of a kind in `audiences` see one another. Each worker calls `worker_services`
    when it starts.
    """

    recorders: dict[str, Recorder] = field(default_factory=dict)
    follow_ups: dict[str, FollowUpHandler] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    steps: dict[str, Step] = field(default_factory=dict)
    views: dict[str, View] = field(default_factory=dict)
    topic_permissions: dict[str, TopicPermission] = field(default_factory=dict)
    public_topics: dict[str, ExistingIds] = field(default_factory=dict)
    audiences: dict[str, NameLookup] = field(default_factory=dict)
    session_lookups: set[SessionLookup] = field(default_factory=set)
    payer_lookups: set[PayerLookup] = field(default_factory=set)
    share_lookups: set[ShareLookup] = field(default_factory=set)
    charged_lookups: set[ChargedLookup] = field(default_factory=set)
    retention_rules: set[RetentionRule] = field(default_factory=set)
    periodic_tasks: set[PeriodicTask] = field(default_factory=set)
    worker_services: set[Callable[[], WorkerService]] = field(default_factory=set)

    def add(self, more: "Handlers") -> None:
        """Add another app's callables."""
        for each in fields(self):
            getattr(self, each.name).update(getattr(more, each.name))


handlers = Handlers()


def may_follow(actor: Actor, topic: str) -> bool:
    """Whether the actor may follow the topic; false for unregistered kinds."""
    return may_follow_restricted(actor, topic) or topic in existing_topics([topic])


def may_follow_restricted(actor: Actor, topic: str) -> bool:
    """Whether the actor may follow this topic of a kind that is not public."""
    kind, _, row_id = topic.partition(":")
    allowed = handlers.topic_permissions.get(kind)
    return allowed is not None and allowed(actor, row_id)


def existing_topics(topics: Collection[str]) -> set[str]:
    """Return those of the topics that are public and exist."""
    ids: dict[str, set[str]] = {}
    for kind, _, row_id in (topic.partition(":") for topic in topics):
        ids.setdefault(kind, set()).add(row_id)
    return {
        f"{kind}:{row_id}"
        for kind in ids.keys() & handlers.public_topics.keys()
        for row_id in handlers.public_topics[kind](ids[kind])
    }


def payer_of(user_id: int) -> int:
    """Return the account that is charged for what this account uses."""
    found = (lookup(user_id) for lookup in handlers.payer_lookups)
    return next((payer for payer in found if payer is not None), user_id)


def accounts_counted(user_id: int) -> tuple[int, ...]:
    """Return the accounts for which this one's use is counted: itself, and who is charged."""
    payer_id = payer_of(user_id)
    return (user_id,) if payer_id == user_id else (user_id, payer_id)


def quota_share(user_id: int) -> int:
    """Return the percentage of default quotas that this account has."""
    found = (lookup(user_id) for lookup in handlers.share_lookups)
    return next((share for share in found if share is not None), 100)


def accounts_charged_to(payer_id: int) -> list[int]:
    """Return the other accounts for whose use this one is charged."""
    return [account for lookup in handlers.charged_lookups for account in lookup(payer_id)]


def users_of_sessions(session_keys: Collection[str]) -> Mapping[str, Actor]:
    """Return the signed-in users by session key."""
    return {
        key: user
        for lookup in handlers.session_lookups
        for key, user in lookup(session_keys).items()
    }
