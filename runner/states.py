"""The states of executions, tasks and batches, and the only transitions between them."""

from django.db import models


class State(models.IntegerChoices):
    """Where an execution, or a task that waits for it, stands; the outcome is stored apart."""

    PENDING = 0, "pending"
    IN_PROGRESS = 1, "in_progress"
    FAILED = 2, "failed"  # our machinery broke; a retry is due at `due_at`
    SUCCEEDED = 3, "succeeded"  # a verdict was recorded, whatever it says
    IGNORED = 4, "ignored"  # given up after MAX_ATTEMPTS
    CANCELLED = 5, "cancelled"
    WAITING = 6, "waiting"  # for a predecessor; of an execution: only such tasks want it


class BatchState(models.IntegerChoices):
    """A batch is open until everything it asked for is final."""

    OPEN = 0, "open"
    COMPLETE = 1, "complete"
    CANCELLED = 2, "cancelled"


MAX_ATTEMPTS = 3
# Takes the verdict's place once two runs of a program have come to different ones.
FLAKY = "flaky"

OPEN_STATES = (State.PENDING, State.IN_PROGRESS, State.FAILED, State.WAITING)
FINAL_STATES = (State.SUCCEEDED, State.IGNORED, State.CANCELLED)

# Of tasks: a claim, a verdict, a hand-back or a lost lease, a broken attempt, a due retry, giving
# up, cancelling; a predecessor that succeeded, or never will. A trigger in the database refuses
# all others.
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

# Of executions, besides: a new wish for a program that was dropped or given up revives it, and on
# request one runs again that has a result. That result stands where the new run is given up.
EXECUTION_TRANSITIONS = TRANSITIONS | {
    (State.CANCELLED, State.PENDING),
    (State.IGNORED, State.PENDING),
    (State.SUCCEEDED, State.PENDING),
    (State.FAILED, State.SUCCEEDED),
}

# In statements: which tasks an execution is awaited by. An expression, since who plans expects few
# open tasks, and would read all of them by their own index rather than those of an execution.
AWAITED = "t.state + 0 in (0, 1, 2)"
