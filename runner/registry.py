"""Plain tables where other apps register recorders, follow-ups and topics for the machinery."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from runner.models import FanOut, FollowUp
from runner.states import State

Actor = AbstractBaseUser | AnonymousUser
Arrivals = Mapping[str, Sequence[FollowUp]]  # open rows, by target
FollowUpsRunner = Callable[[Arrivals], Collection[str]]


class Finished(NamedTuple):
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


class Following(NamedTuple):
    """What is called with the rows of some targets, and of how many; it returns which are done."""

    run: FollowUpsRunner
    at_once: int


class Chore(NamedTuple):
    """Something to see to, given where it left off; it returns that, and 0 when it is through."""

    name: str
    every_seconds: int
    act: Callable[[int], int]


Source = Callable[[Mapping[str, Any], Any, int], Page]
Keeper = Callable[[Sequence[bytes]], Iterable[bytes]]
Recorder = Callable[[Sequence[Finished]], None]
FollowUpRunner = Callable[[str, Sequence[FollowUp]], None]
MayFollow = Callable[[Actor, str], bool]
Existing = Callable[[Collection[str]], Collection[str]]
WhoIs = Callable[[Collection[str]], Mapping[str, Actor]]
Names = Callable[[Collection[int]], Mapping[int, str]]

recorders: dict[str, Recorder] = {}
follow_ups: dict[str, Following] = {}
topics: dict[str, MayFollow] = {}
public_topics: dict[str, Existing] = {}
session_kinds: list[WhoIs] = []
audiences: dict[str, Names] = {}
sources: dict[str, Source] = {}
steps: dict[str, Step] = {}
keepers: list[Keeper] = []
chores: list[Chore] = []


def register_recorder(name: str, recorder: Recorder) -> None:
    """Have this called with a batch's finished tasks, inside the transaction that records them."""
    recorders[name] = recorder


def register_follow_up(name: str, runner: FollowUpRunner) -> None:
    """Have this called with all open rows of one target, in the transaction that deletes them."""

    def run(arrivals: Arrivals) -> Collection[str]:
        for target, rows in arrivals.items():
            runner(target, rows)
        return arrivals

    follow_ups[name] = Following(run, at_once=1)


def register_follow_ups(name: str, run: FollowUpsRunner, *, at_once: int) -> None:
    """Have this called with all open rows of up to so many targets, in one transaction for all.

    It returns the targets whose rows are deleted; the others are called again. Where it fails, it
    is called with each target by itself, so that one harms no other.
    """
    follow_ups[name] = Following(run, at_once)


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


def register_keeper(keeper: Keeper) -> None:
    """Have results kept for as long as this returns their keys, of those that it is asked about."""
    keepers.append(keeper)


def register_chore(name: str, every_seconds: int, act: Callable[[int], int]) -> None:
    """Have the sweepers do this every so many seconds, one of them at a time."""
    chores.append(Chore(name, every_seconds, act))


def register_topic(kind: str, may_follow: MayFollow) -> None:
    """Let topics of this kind be followed by whom this allows."""
    topics[kind] = may_follow


def register_public_topic(kind: str, existing: Existing) -> None:
    """Let topics of this kind be followed by anybody; `existing` says which of some ids are there.

    Asked for many sockets at once, so it is to be one query.
    """
    public_topics[kind] = existing


def register_sessions(who_is: WhoIs) -> None:
    """Have this say who is signed in by which of some sessions, given their keys."""
    session_kinds.append(who_is)


def register_audience(kind: str, names: Names) -> None:
    """Let those who follow topics of this kind know of one another, by these names of users.

    `names` is called with ids; whom it leaves out is not shown, nor counted.
    """
    audiences[kind] = names


def may_follow(actor: Actor, topic: str) -> bool:
    """Say whether the actor may follow the topic; a kind that nobody registered is nobody's."""
    return may_follow_own(actor, topic) or topic in existing_topics([topic])


def may_follow_own(actor: Actor, topic: str) -> bool:
    """Say whether the actor may follow the topic, which is of a kind that not everybody may."""
    kind, _, row_id = topic.partition(":")
    allowed = topics.get(kind)
    return allowed is not None and allowed(actor, row_id)


def existing_topics(names: Collection[str]) -> set[str]:
    """Return which of these topics are public, and there."""
    asked: dict[str, set[str]] = {}
    for kind, _, row_id in (name.partition(":") for name in names):
        asked.setdefault(kind, set()).add(row_id)
    public = asked.keys() & public_topics.keys()
    return {f"{kind}:{row_id}" for kind in public for row_id in public_topics[kind](asked[kind])}


def who_is_signed_in(session_keys: Collection[str]) -> Mapping[str, Actor]:
    """Return who is signed in by which of these sessions."""
    return {key: user for who_is in session_kinds for key, user in who_is(session_keys).items()}
