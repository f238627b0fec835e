"""Plain tables where other apps register recorders, follow-ups and topics for the machinery."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from runner.models import FanOut, FollowUp
from runner.states import State

Actor = AbstractBaseUser | AnonymousUser
RowsByTarget = Mapping[str, Sequence[FollowUp]]  # open rows, by target
BatchHandler = Callable[[RowsByTarget], Collection[str]]


class FinishedTask(NamedTuple):
    """A task that has become final, as its recorder is told."""

    task_id: int
    batch_id: int
    key: bytes
    state: State
    verdict: str | None
    cpu_us: int | None
    message: str
    line: int | None


class Page(NamedTuple):
    """Some of many items, and where the next begin: JSON of the source's own; None: no more."""

    items: Sequence[Any]
    cursor: Any


class Step(NamedTuple):
    """What is done with each page of a walk, what at its end, and what where it can't go on."""

    work: Callable[[Sequence[Any], FanOut], None]
    finish: Callable[[FanOut], None] | None
    fail: Callable[[FanOut], None] | None


class FollowUpHandler(NamedTuple):
    """What is called with the rows of some targets, and of how many; it returns which are done."""

    run: BatchHandler
    max_targets: int


class PeriodicTask(NamedTuple):
    """Something to see to, given where it left off; it returns that, and 0 when it is through."""

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
    """Have this called with a batch's finished tasks, inside the transaction that records them."""
    recorders[name] = recorder


def register_follow_up(name: str, runner: SingleHandler) -> None:
    """Have this called with all open rows of one target, in the transaction that deletes them."""

    def run(arrivals: RowsByTarget) -> Collection[str]:
        for target, rows in arrivals.items():
            runner(target, rows)
        return arrivals

    follow_up_handlers[name] = FollowUpHandler(run, max_targets=1)


def register_follow_ups(name: str, run: BatchHandler, *, max_targets: int) -> None:
    """Have this called with all open rows of up to so many targets, in one transaction for all.

    It returns the targets whose rows are deleted; the others are called again. Where it fails, it
    is called with each target by itself, so that one harms no other.
    """
    follow_up_handlers[name] = FollowUpHandler(run, max_targets)


def register_source(name: str, source: Source) -> None:
    """Have this read pages: `source(arguments, cursor, at_most)`, the first with the cursor None.

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
    """Have this called with the items of each page, inside the transaction that moves the cursor.

    `finish` is called in that of the last page. A page at which this fails again and again is
    left out, unless there is `fail`: then the walk ends with that.
    """
    steps[name] = Step(work, finish, fail)


def register_retention_rule(rule: RetentionRule) -> None:
    """Have results kept for as long as this returns their keys, of those that it is asked about."""
    retention_rules.append(rule)


def register_periodic_task(name: str, every_seconds: int, run: Callable[[int], int]) -> None:
    """Have the sweepers do this every so many seconds, one of them at a time."""
    periodic_tasks.append(PeriodicTask(name, every_seconds, run))


def register_topic(kind: str, may_follow: TopicPermission) -> None:
    """Let topics of this kind be followed by whom this allows."""
    topic_permissions[kind] = may_follow


def register_public_topic(kind: str, existing_ids: ExistingIds) -> None:
    """Let topics of this kind be followed by anybody; `existing` says which of some ids are there.

    Asked for many sockets at once, so it is to be one query.
    """
    public_topics[kind] = existing_ids


def register_session_lookup(lookup: SessionLookup) -> None:
    """Have this say who is signed in by which of some sessions, given their keys."""
    session_lookups.append(lookup)


def register_audience(kind: str, lookup: NameLookup) -> None:
    """Let those who follow topics of this kind know of one another, by these names of users.

    `names` is called with ids; whom it leaves out is not shown, nor counted.
    """
    audiences[kind] = lookup


def may_follow(actor: Actor, topic: str) -> bool:
    """Say whether the actor may follow the topic; a kind that nobody registered is nobody's."""
    return may_follow_restricted(actor, topic) or topic in existing_topics([topic])


def may_follow_restricted(actor: Actor, topic: str) -> bool:
    """Say whether the actor may follow the topic, which is of a kind that not everybody may."""
    kind, _, row_id = topic.partition(":")
    allowed = topic_permissions.get(kind)
    return allowed is not None and allowed(actor, row_id)


def existing_topics(lookup: Collection[str]) -> set[str]:
    """Return which of these topics are public, and there."""
    asked: dict[str, set[str]] = {}
    for kind, _, row_id in (name.partition(":") for name in lookup):
        asked.setdefault(kind, set()).add(row_id)
    public = asked.keys() & public_topics.keys()
    return {f"{kind}:{row_id}" for kind in public for row_id in public_topics[kind](asked[kind])}


def users_of_sessions(session_keys: Collection[str]) -> Mapping[str, Actor]:
    """Return who is signed in by which of these sessions."""
    return {key: user for lookup in session_lookups for key, user in lookup(session_keys).items()}
