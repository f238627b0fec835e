"""The machinery's health: what is waiting, for how long, and what is stuck.

All queries use indexes without ended rows, so their cost doesn't grow with these. Counts stop at
MAX_COUNTED.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.db.models import Count, Exists, Func, IntegerField, Model, OuterRef, QuerySet, Sum
from django.db.models.functions import Now
from django.utils import timezone

from runner.models import (
    Arrival,
    Batch,
    Execution,
    FollowUp,
    Incident,
    OutboxEvent,
    Task,
    Ticket,
)
from runner.models.semaphore import OPEN_TICKETS
from runner.semaphores.deadlocks import describe, find_deadlocks
from runner.states import OPEN_STATES, BatchState, State

MAX_COUNTED = 100_000
READY_STATES = (State.PENDING, State.FAILED)
# Workers sweep every five seconds, so anything this old is a problem.
STUCK_AFTER_SECONDS = 60

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class Health:
    """Numbers of waiting and running rows, and the age in seconds of the oldest of each kind."""

    tasks: Mapping[str, int]  # open ones, by state
    ready: int  # executions
    in_progress: int
    leases_over: int
    oldest_pending_seconds: float
    oldest_lease_over_seconds: float
    open_batches: int
    unnumbered_events: int
    oldest_unnumbered_seconds: float
    follow_ups: Mapping[str, int]  # due, later, parked; and failing, which are among these
    oldest_follow_up_seconds: float
    arrivals: int
    oldest_arrival_seconds: float
    tickets: Mapping[str, int]  # open ones, by state
    incidents: Mapping[str, int]  # by kind, in the last day


@dataclass(frozen=True)
class Problem:
    """A problem that does not resolve itself, and what an operator can do about it."""

    description: str
    remedy: str


def collect_health() -> Health:
    """Read the current health from the database."""
    running = Execution.objects.filter(state=State.IN_PROGRESS).order_by("leased_until")
    expired = running.filter(leased_until__lt=Now())
    due = FollowUp.objects.filter(due_at__lte=Now()).order_by("due_at", "id")
    return Health(
        tasks={state.label: _count_up_to_limit(tasks_in(state)) for state in OPEN_STATES},
        ready=_count_up_to_limit(ready_executions()),
        in_progress=_count_up_to_limit(running),
        leases_over=_count_up_to_limit(expired),
        oldest_pending_seconds=_oldest_pending_seconds(),
        oldest_lease_over_seconds=_age(expired.values_list("leased_until", flat=True).first()),
        open_batches=_count_up_to_limit(
            Batch.objects.filter(state=BatchState.OPEN).order_by("state", "-id")
        ),
        unnumbered_events=_unnumbered_events(),
        oldest_unnumbered_seconds=_age(_first(OutboxEvent.objects.order_by("pk"), "created_at")),
        follow_ups={
            "due": _count_up_to_limit(due),
            "later": _count_up_to_limit(
                FollowUp.objects.filter(due_at__gt=Now()).order_by("due_at", "id")
            ),
            "parked": _count_up_to_limit(
                FollowUp.objects.filter(due_at=None).order_by("due_at", "id")
            ),
            "failing": _count_up_to_limit(FollowUp.objects.filter(attempts__gt=0)),
        },
        oldest_follow_up_seconds=_age(_first(due, "due_at")),
        arrivals=_count_up_to_limit(Arrival.objects.order_by("pk")),
        oldest_arrival_seconds=_age(_first(Arrival.objects.order_by("pk"), "arrived_at")),
        tickets={
            state.label: _count_up_to_limit(Ticket.objects.filter(state=state))
            for state in OPEN_TICKETS
        },
        incidents=dict(
            recent_incidents().values_list("kind").annotate(Count("pk")).order_by("kind")
        ),
    )


def tasks_in(state: State) -> QuerySet[Task]:
    """Return the tasks in this state, in index order."""
    return Task.objects.filter(state=state).order_by("-batch", "id")


def ready_executions() -> QuerySet[Execution]:
    """Return the executions waiting for a worker, and the few waiting for a retry's delay.

    Delays are not checked, because the index used for counting doesn't contain them.
    """
    return Execution.objects.filter(state__in=READY_STATES).order_by("priority", "vtime", "id")


def recent_incidents() -> QuerySet[Incident]:
    """Return the incidents of the last 24 hours."""
    return Incident.objects.filter(created_at__gt=Now() - timedelta(days=1))


def find_problems(health: Health, *, workers: int | None) -> list[Problem]:
    """Return what is stuck; `workers` is the number of live workers, None if unknown."""
    waiting = health.ready + health.follow_ups["due"]
    grace = settings.LEASE_SECONDS + STUCK_AFTER_SECONDS
    rules = (
        (
            workers == 0 and waiting > 0,
            f"{waiting} programs and follow-ups wait, and no worker listens",
            "start `manage.py worker`",
        ),
        (
            health.ready > 0
            and health.in_progress == 0
            and health.oldest_pending_seconds > STUCK_AFTER_SECONDS,
            f"{health.ready} programs are ready, none is being run",
            "read the workers' logs, and run `manage.py sandbox_status` where the workers run",
        ),
        (
            health.oldest_lease_over_seconds > STUCK_AFTER_SECONDS,
            f"{health.leases_over} executions have lost their worker, and nobody sweeps",
            "start `manage.py worker`, or `manage.py sweep` by hand",
        ),
        (
            health.oldest_unnumbered_seconds > STUCK_AFTER_SECONDS,
            f"{health.unnumbered_events} events are not numbered, so nobody sees them",
            "run `manage.py sweep`; if that doesn't help, look in pg_locks for a lock on the topic",
        ),
        (
            health.oldest_follow_up_seconds > grace,
            f"{health.follow_ups['due']} follow-ups are due and not run",
            "read the workers' logs",
        ),
        (
            health.oldest_arrival_seconds > grace,
            f"{health.arrivals} updates are not applied to their views",
            "run `manage.py sweep`, and read the workers' logs",
        ),
    )
    problems = [Problem(text, remedy) for holds, text, remedy in rules if holds]
    return [*problems, *_failing(), *_unfinished_batches(), *_deadlocks()]


def _failing() -> list[Problem]:
    failing = FollowUp.objects.filter(attempts__gt=0).order_by("-attempts")
    return [
        Problem(
            f"follow-up {row.name} {row.target} has failed {row.attempts} times:"
            f" {last_line(row.error)}",
            "its traceback is in the workers' logs; it is given up after five failures",
        )
        for row in failing[:10]
    ]


def _unfinished_batches() -> list[Problem]:
    """Report batches that are loaded and have nothing open, but have not ended."""
    open_tasks = Task.objects.filter(batch=OuterRef("pk"), state__in=OPEN_STATES)
    children = Batch.objects.filter(parent=OuterRef("pk"), state=BatchState.OPEN)
    follow_ups = FollowUp.objects.filter(batch=OuterRef("pk"))
    batches = Batch.objects.filter(
        ~Exists(open_tasks),
        ~Exists(children),
        ~Exists(follow_ups),
        state=BatchState.OPEN,
        all_tasks_loaded=True,
        created_at__lt=Now() - timedelta(seconds=STUCK_AFTER_SECONDS),
    )
    ids = list(batches.order_by("pk").values_list("pk", flat=True)[:10])
    if not ids:
        return []
    return [Problem(f"runs {ids} have nothing open and have not ended", "run `manage.py sweep`")]


def _deadlocks() -> list[Problem]:
    return [
        Problem(
            f"deadlock: {describe(cycle)}",
            "delete the follow-ups of one of them; the sweeper grants its holds to the next",
        )
        for cycle in find_deadlocks()
    ]


def last_line(text: str) -> str:
    """Return the last line of a traceback."""
    return (text.strip().splitlines() or [""])[-1]


def _oldest_pending_seconds() -> float:
    """Return the age of the oldest batch with a pending task."""
    backwards = tasks_in(State.PENDING).reverse()
    return _age(_first(backwards, "batch__created_at"))


def _first(rows: QuerySet[Row], field: str) -> Any:
    return rows.values_list(field, flat=True).first()


def _age(instant: datetime | None) -> float:
    return max(0.0, (timezone.now() - instant).total_seconds()) if instant else 0.0


def _unnumbered_events() -> int:
    length = Func("events", function="jsonb_array_length", output_field=IntegerField())
    rows = OutboxEvent.objects.order_by("pk").annotate(length=length)[:MAX_COUNTED]
    return int(rows.aggregate(sum=Sum("length"))["sum"] or 0)


def _count_up_to_limit(rows: QuerySet[Row]) -> int:
    return rows.values("pk")[:MAX_COUNTED].count()
