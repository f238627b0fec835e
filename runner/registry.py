"""Plain tables where other apps register recorders, follow-ups and topics for the machinery."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

from runner.models import FollowUp
from runner.states import State

Actor = AbstractBaseUser | AnonymousUser


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


Recorder = Callable[[Sequence[Finished]], None]
FollowUpRunner = Callable[[str, Sequence[FollowUp]], None]
MayFollow = Callable[[Actor, str], bool]

recorders: dict[str, Recorder] = {}
follow_ups: dict[str, FollowUpRunner] = {}
topics: dict[str, MayFollow] = {}


def register_recorder(name: str, recorder: Recorder) -> None:
    """Have this called with a batch's finished tasks, inside the transaction that records them."""
    recorders[name] = recorder


def register_follow_up(name: str, runner: FollowUpRunner) -> None:
    """Have this called with all open rows of one target, in the transaction that deletes them."""
    follow_ups[name] = runner


def register_topic(kind: str, may_follow: MayFollow) -> None:
    """Let topics of this kind be followed by whom this allows."""
    topics[kind] = may_follow


def may_follow(actor: Actor, topic: str) -> bool:
    """Say whether the actor may follow the topic; a kind that nobody registered is nobody's."""
    kind, _, row_id = topic.partition(":")
    allowed = topics.get(kind)
    return allowed is not None and allowed(actor, row_id)
