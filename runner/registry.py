"""Tables in which other apps register recorders, follow-ups, topics and periodic tasks."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from runner.models import FanOut, FollowUp
from runner.states import State

Actor = AbstractBaseUser | AnonymousUser
RowsByTarget = Mapping[str, Sequence[FollowUp]]  # open rows, by target
BatchHandler = Callable[[RowsByTarget], Collection[str]]


class FinishedTask(NamedTuple):
    """A task that has become final, as its recorder gets it."""

    task_id: int
    batch_id: int
    key: bytes
    state: State
    verdict: str | None
    cpu_us: int | None
    message: str
    line: int | None


class Page(NamedTuple):
    """A page of items.

    The cursor of the next page is JSON of the source's own; None: no more pages.
    """

    items: Sequence[Any]
    cursor: Any


class Step(NamedTuple):
    """The callables of a fan-out: for each page, for its end, and for a page that keeps failing."""

    work: Callable[[Sequence[Any], FanOut], None]
    finish: Callable[[FanOut], None] | None
    fail: Callable[[FanOut], None] | None


class FollowUpHandler(NamedTuple):
    """A follow-up's callable, and for how many targets at most it is called at once.

    It returns the targets that are done.
    """

    run: BatchHandler
    max_targets: int


class PeriodicTask(NamedTuple):
    """A task of the sweepers.

    It gets the cursor where it stopped and returns the next one, 0 at the end.
    """

    name: str
    interval_seconds: int
    run: Callable[[int], int]


Source = Callable[[Mapping[str, Any], Any, int], Page]
RetentionRule = Callable[[Sequence[bytes]], Iterable[bytes]]
Recorder = Callable[[Sequence[FinishedTask]], None]
SingleHandler = Callable[[str, Sequence[FollowUp]], None]
TopicPermission = Callable[[Actor, str], bool]
ExistingIds = Callable[[Collection[str]], Collection[str]]
SessionLookup = Callable[[Collection[str]], Mapping[str, Actor]]
NameLookup = Callable[[Collection[int]], Mapping[int, str]]

recorders: dict[str, Recorder] = {}
follow_up_handlers: dict[str, FollowUpHandler] = {}
topic_permissions: dict[str, TopicPermission] = {}
public_topics: dict[str, ExistingIds] = {}
session_lookups: list[SessionLookup] = []
audiences: dict[str, NameLookup] = {}
sources: dict[str, Source] = {}
steps: dict[str, Step] = {}
retention_rules: list[RetentionRule] = []
periodic_tasks: list[PeriodicTask] = []


def register_recorder(name: str, recorder: Recorder) -> None:
    """Call this with a batch's finished tasks, inside the transaction that records them."""
    recorders[name] = recorder


def register_follow_up(name: str, runner: SingleHandler) -> None:
    """Call this with all open rows of one target, in the transaction that deletes them."""

    def run(arrivals: RowsByTarget) -> Collection[str]:
        for target, rows in arrivals.items():
            runner(target, rows)
        return arrivals

    follow_up_handlers[name] = FollowUpHandler(run, max_targets=1)


def register_follow_ups(name: str, run: BatchHandler, *, max_targets: int) -> None:
    """Call this with all open rows of up to `max_targets` targets, in one transaction.

    It returns the targets whose rows may be deleted; it is called again for the others. Where it
    raises, it is called for each target alone, so that one target can't block the others.
    """
    follow_up_handlers[name] = FollowUpHandler(run, max_targets)


def register_source(name: str, source: Source) -> None:
    """Register a source of pages: `source(arguments, cursor, limit)`; the first cursor is None.

    The same arguments and cursor must always give the page that begins there.
    """
    sources[name] = source


def register_step(
    name: str,
    work: Callable[[Sequence[Any], FanOut], None],
    *,
    finish: Callable[[FanOut], None] | None = None,
    fail: Callable[[FanOut], None] | None = None,
) -> None:
    """Call this with the items of each page, inside the transaction that moves the cursor.

    `finish` is called in the transaction of the last page. A page that keeps failing is skipped,
    unless there is `fail`: then the fan-out ends and `fail` is called.
    """
    steps[name] = Step(work, finish, fail)


def register_retention_rule(rule: RetentionRule) -> None:
    """Keep the results whose keys this returns, of those that it is given."""
    retention_rules.append(rule)


def register_periodic_task(name: str, every_seconds: int, run: Callable[[int], int]) -> None:
    """Have the sweepers run this at the interval, one sweeper at a time."""
    periodic_tasks.append(PeriodicTask(name, every_seconds, run))


def register_topic(kind: str, may_follow: TopicPermission) -> None:
    """Let those actors whom this allows follow topics of this kind."""
    topic_permissions[kind] = may_follow


def register_public_topic(kind: str, existing_ids: ExistingIds) -> None:
    """Let anybody follow topics of this kind; `existing_ids` returns which of the given ids exist.

    It is called for many sockets at once and should be one query.
    """
    public_topics[kind] = existing_ids


def register_session_lookup(lookup: SessionLookup) -> None:
    """Use this to find the users of session keys."""
    session_lookups.append(lookup)


def register_audience(kind: str, lookup: NameLookup) -> None:
    """Show the followers of topics of this kind to one another, under these names.

    `lookup` is called with user ids; users that it leaves out are neither shown nor counted.
    """
    audiences[kind] = lookup


def may_follow(actor: Actor, topic: str) -> bool:
    """Whether the actor may follow the topic; false for kinds that aren't registered."""
    return may_follow_restricted(actor, topic) or topic in existing_topics([topic])


def may_follow_restricted(actor: Actor, topic: str) -> bool:
    """Whether the actor may follow this topic of a kind that is not public."""
    kind, _, row_id = topic.partition(":")
    allowed = topic_permissions.get(kind)
    return allowed is not None and allowed(actor, row_id)


def existing_topics(lookup: Collection[str]) -> set[str]:
    """Return those of the topics that are public and exist."""
    asked: dict[str, set[str]] = {}
    for kind, _, row_id in (name.partition(":") for name in lookup):
        asked.setdefault(kind, set()).add(row_id)
    public = asked.keys() & public_topics.keys()
    return {f"{kind}:{row_id}" for kind in public for row_id in public_topics[kind](asked[kind])}


def users_of_sessions(session_keys: Collection[str]) -> Mapping[str, Actor]:
    """Return the users that are signed in by these sessions, by session key."""
    return {key: user for lookup in session_lookups for key, user in lookup(session_keys).items()}
