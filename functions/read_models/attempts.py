"""Read models of attempts to run a program."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from runner.models import Attempt, Task
from runner.states import State

OUTCOMES = {
    "running": gettext_noop("running"),
    "recorded": gettext_noop("recorded"),
    "handed_back": gettext_noop("handed back"),
    "repeated": gettext_noop("repeated"),
    "failed": gettext_noop("failed"),
    "lost": gettext_noop("lost"),
    "cancelled": gettext_noop("cancelled"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRow:
    """An attempt; the last line of `error` is the message."""

    number: int
    outcome: str
    error: str
    worker: str
    started_at: datetime
    ended_at: datetime | None

    @property
    def word(self) -> str:
        """The outcome as text."""
        return _(OUTCOMES[self.outcome])

    @property
    def summary(self) -> str:
        """The error's message, without its traceback."""
        lines = self.error.strip().splitlines()
        return lines[-1] if lines else ""


def is_of(attempt: Attempt, task: Task) -> bool:
    """Return whether an attempt was made while the task was open."""
    if task.state == State.SUCCEEDED and not task.executed:
        return False
    is_early = attempt.ended_at is not None and attempt.ended_at < task.batch.created_at
    return not (is_early or _is_late(attempt, task))


def _is_late(attempt: Attempt, task: Task) -> bool:
    return task.finished_at is not None and attempt.started_at > task.finished_at


def run_again_at(attempts: Iterable[Attempt], task: Task) -> datetime | None:
    """Return the start of the last attempt that recorded a result after the task's."""
    recorded = (one for one in attempts if one.outcome == Attempt.Outcome.RECORDED)
    return max((one.started_at for one in recorded if _is_late(one, task)), default=None)


def attempt_row(attempt: Attempt) -> AttemptRow:
    return AttemptRow(
        number=attempt.number,
        outcome=str(Attempt.Outcome(attempt.outcome).name.lower()),
        error=attempt.error,
        worker=attempt.worker,
        started_at=attempt.started_at,
        ended_at=attempt.ended_at,
    )
