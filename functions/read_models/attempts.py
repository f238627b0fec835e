"""Attempts as they are shown: how each ended, and which of a program's are a task's."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from runner.models import Attempt, Task
from runner.states import State


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRow:
    """One try; `error` is empty, or ends with the sentence that says what went wrong."""

    number: int
    outcome: str
    error: str
    worker: str
    started_at: datetime
    ended_at: datetime | None

    @property
    def word(self) -> str:
        """How it ended, as people read it."""
        return self.outcome.replace("_", " ")

    @property
    def summary(self) -> str:
        """What went wrong, without how it came to it."""
        lines = self.error.strip().splitlines()
        return lines[-1] if lines else ""


def is_of(attempt: Attempt, task: Task) -> bool:
    """Tell whether an attempt was made while the task waited for it."""
    if task.state == State.SUCCEEDED and not task.executed:
        return False
    is_early = attempt.ended_at is not None and attempt.ended_at < task.batch.created_at
    return not (is_early or _is_late(attempt, task))


def _is_late(attempt: Attempt, task: Task) -> bool:
    return task.finished_at is not None and attempt.started_at > task.finished_at


def run_again_at(attempts: Iterable[Attempt], task: Task) -> datetime | None:
    """Return when the attempt began that brought another result after the task's."""
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
