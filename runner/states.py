"""The states of executions, tasks and batches, and the transitions between them."""

from django.db import models


class State(models.IntegerChoices):
    """The state of an execution or task; a run's verdict is stored apart."""

    PENDING = 0, "pending"
    IN_PROGRESS = 1, "in_progress"
    FAILED = 2, "failed"  # the machinery broke; to be retried at `due_at`
    SUCCEEDED = 3, "succeeded"  # a verdict was recorded, passed or not
    IGNORED = 4, "ignored"  # given up after MAX_ATTEMPTS
    CANCELLED = 5, "cancelled"
    WAITING = 6, "waiting"  # for a predecessor; an execution: all of its tasks wait


class BatchState(models.IntegerChoices):
    """The state of a batch: open until all of its tasks are final."""

    OPEN = 0, "open"
    COMPLETE = 1, "complete"
    CANCELLED = 2, "cancelled"


MAX_ATTEMPTS = 3
# The verdict of a program whose runs came to different verdicts.
FLAKY = "flaky"

OPEN_STATES = (State.PENDING, State.IN_PROGRESS, State.FAILED, State.WAITING)
FINAL_STATES = (State.SUCCEEDED, State.IGNORED, State.CANCELLED)
UNSUCCESSFUL = (State.IGNORED, State.CANCELLED)

# Transitions of tasks. A trigger in the database refuses all others.
TRANSITIONS: frozenset[tuple[State, State]] = frozenset(
    {
        (State.WAITING, State.PENDING),
        (State.WAITING, State.IN_PROGRESS),
        (State.WAITING, State.SUCCEEDED),
        (State.WAITING, State.CANCELLED),
        (State.PENDING, State.IN_PROGRESS),
        (State.PENDING, State.SUCCEEDED),
        (State.PENDING, State.CANCELLED),
        (State.IN_PROGRESS, State.PENDING),
        (State.IN_PROGRESS, State.SUCCEEDED),
        (State.IN_PROGRESS, State.FAILED),
        (State.IN_PROGRESS, State.IGNORED),
        (State.IN_PROGRESS, State.CANCELLED),
        (State.FAILED, State.PENDING),
        (State.FAILED, State.IN_PROGRESS),
        (State.FAILED, State.CANCELLED),
    }
)

# Executions have more: a new request requeues one that was cancelled or given up, and a rerun
# requeues one that has a result, which stays if the rerun is given up.
EXECUTION_TRANSITIONS = TRANSITIONS | {
    (State.CANCELLED, State.PENDING),
    (State.IGNORED, State.PENDING),
    (State.SUCCEEDED, State.PENDING),
    (State.FAILED, State.SUCCEEDED),
}

# SQL for the tasks that an execution's end concerns. An expression (`+ 0`), because the planner
# expects few open tasks and would otherwise scan the index of states.
AWAITED = "t.state + 0 in (0, 1, 2)"
