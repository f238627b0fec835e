"""Runs what must follow a transaction: at least once, and all arrivals for one target as one.

In turns that are fair among owners (`turns.py`). What many targets cost together little more than
one is called for many of them at once.
"""

import logging
import math
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from typing import Any, NamedTuple

from django.db import (
    DatabaseError,
    InterfaceError,
    OperationalError,
    connection,
    transaction,
)
from django.db.models.functions import Now
from structlog.contextvars import bound_contextvars

from runner.models import FollowUp
from runner.pipelines.follow_up_queue import due_targets, reschedule
from runner.pipelines.outbox import batched_sequencing, sequence_after_commit
from runner.pipelines.virtual_time import DueTarget, choose_portion
from runner.registry import RowsByTarget, follow_up_handlers
from runner.telemetry.counters import FOLLOW_UPS, count
from runner.telemetry.incidents import FOLLOW_UP_GIVEN_UP, record_incident
from runner.telemetry.tracebacks import format_traceback

log = logging.getLogger(__name__)

MAX_TRIES = 5
BACK_OFF = (1, 5, 15, 60)  # seconds after each failed try but the last
# So many of those that are due are looked at; more where others run all of these.
WINDOW = 256
WIDER = 8
# How long what was found to be due is gone by, before it is looked anew whose turn it is.
RESELECT_SECONDS = 0.05
# What a portion takes at most, about: others wait behind it, whoever's turn it is.
PORTION_SECONDS = 0.5
MIN_TARGETS = 8

# One worker at a time for a target: others see to other targets meanwhile. Who runs a target looks
# again afterwards, so what arrives while it runs is not left. The clock of turns shows what is run.
_TRY_TARGETS = """
    with clock as materialized (
        select setval('runner_followup_clock', greatest(last_value, %(turn)s))
        from runner_followup_clock
    )
    select target from clock cross join unnest(%(targets)s::text[]) as wanted (target)
    where pg_try_advisory_xact_lock(hashtextextended(%(name)s || ' ' || target, 0))
"""


class _Ran(NamedTuple):
    """For how many targets something was called, and whether it wants to be called again."""

    targets: int
    is_again: bool = False


class _PortionSizes:
    """How many targets of each name are called at once, so that a portion takes no longer."""

    def __init__(self) -> None:
        self._limits: dict[str, int] = {}

    def max_targets(self, name: str) -> int:
        """Return as many as are registered, or fewer if those took too long."""
        limit = follow_up_handlers[name].max_targets if name in follow_up_handlers else 1
        return min(limit, self._limits.get(name, limit))

    @contextmanager
    def timing(self, name: str, targets: Collection[str]) -> Iterator[None]:
        """Take note of how long so many take."""
        began = time.monotonic()
        yield
        seconds = time.monotonic() - began
        if seconds > PORTION_SECONDS:
            fitting = int(len(targets) * PORTION_SECONDS / seconds)
            self._limits[name] = max(MIN_TARGETS, fitting)
        elif seconds < PORTION_SECONDS / 2 and len(targets) == self._limits.get(name):
            self._limits[name] = 2 * len(targets)


portion_sizes = _PortionSizes()


def run_due_follow_ups(seconds: float = math.inf) -> int:
    """Run everything that is due, and what comes of it; return for how many targets that was.

    What comes of it is left for the next time once so many seconds have passed.
    """
    until = time.monotonic() + seconds
    count = 0
    with batched_sequencing() as sequence_if_due:
        while ran := _run_some(until, sequence_if_due):
            count += ran
            if time.monotonic() > until:
                break
    return count


def _run_some(until: float, after_each: Callable[[], None]) -> int:
    """Run what is next; return for how many targets, 0 if nothing is due that nobody else runs."""
    window = WINDOW
    while True:
        waiting, is_all = due_targets(window)
        look_again_at = min(until, time.monotonic() + RESELECT_SECONDS)
        count = 0
        while waiting:
            ran = _run_next(waiting)
            count += ran.targets
            after_each()
            # What is to be called again comes first.
            if ran.is_again or (ran.targets and time.monotonic() > look_again_at):
                break
        if count or is_all:
            return count
        window *= WIDER


def _run_next(waiting: list[DueTarget]) -> _Ran:
    """Call what is registered with all due rows of the targets that are next, as one portion.

    What was looked at is not `waiting` any more. What another worker calls for is left out.
    """
    name = waiting[0].name
    rows_by_target: RowsByTarget = {}
    done: Collection[str] = ()
    try:
        with transaction.atomic():
            rows_by_target = _read_rows(name, _lock_next_targets(name, waiting))
            if not rows_by_target:
                return _Ran(0)
            with _log_context(name, rows_by_target), portion_sizes.timing(name, rows_by_target):
                done = follow_up_handlers[name].run(rows_by_target)
            handled = [row.pk for target in done for row in rows_by_target[target]]
            FollowUp.objects.filter(pk__in=handled).delete()
        count(FOLLOW_UPS, "done", by=len(handled))
    except Exception as error:
        # Rows stay as they were when the database went away, or had two of us wait in a circle.
        is_of_database = isinstance(error, DatabaseError | InterfaceError)
        if not rows_by_target or (is_of_database and not connection.is_usable()):
            raise
        if len(rows_by_target) > 1:
            single = [_run_next([DueTarget(name, target, None, 0)]) for target in rows_by_target]
            return _Ran(sum(ran.targets for ran in single), any(ran.is_again for ran in single))
        done = list(rows_by_target)
        with _log_context(name, rows_by_target):
            _retry_later(rows_by_target[done[0]], error)
    batches = [row.batch for target in done for row in rows_by_target[target] if row.batch]
    for topic_id in {batch.topic_id for batch in batches}:
        sequence_after_commit(topic_id)
    return _Ran(len(rows_by_target), is_again=len(done) < len(rows_by_target))


def _log_context(name: str, targets: Collection[str]) -> AbstractContextManager[None]:
    """Have whatever is logged say for what."""
    return bound_contextvars(follow_up=name, target=" ".join(targets))


def _lock_next_targets(name: str, waiting: list[DueTarget]) -> list[str]:
    """Take the targets that are next out of those that wait; return those that are not run."""
    locked: list[str] = []
    limit = portion_sizes.max_targets(name)
    while waiting and waiting[0].name == name and len(locked) < limit:
        chosen = choose_portion(waiting, limit - len(locked))
        targets = [one.target for one in chosen]
        with connection.cursor() as cursor:
            terms: dict[str, Any] = {"name": name, "targets": targets, "turn": chosen[0].vtime}
            cursor.execute(_TRY_TARGETS, terms)
            free = {target for (target,) in cursor}
        locked += [target for target in targets if target in free]
        waiting[:] = [one for one in waiting if one not in chosen]
        if len(free) == len(chosen):
            break
    return locked


def _read_rows(name: str, targets: Sequence[str]) -> dict[str, list[FollowUp]]:
    if not targets:
        return {}
    # Those that are parked, or have failed and are put off, are not hurried by others that come.
    due_rows = FollowUp.objects.filter(name=name, target__in=targets, due_at__lte=Now())
    rows: dict[str, list[FollowUp]] = defaultdict(list)
    locked = due_rows.select_for_update(skip_locked=True, of=("self",)).order_by("id")
    for row in locked.select_related("batch"):
        rows[row.target].append(row)
    return {target: rows[target] for target in targets if target in rows}


def _retry_later(rows: Sequence[FollowUp], error: Exception) -> None:
    """Try these again later; give up those that have failed too often, so that batches end.

    What the database broke off (a circle of locks, a lock that took too long) is no failed try.
    They have a turn of their owner's then, as if they had come by then.
    """
    name, target = rows[0].name, rows[0].target
    if isinstance(error, OperationalError):
        log.warning("follow-up %s %s is put off: %s", name, target, error)
        reschedule(rows, due_at=Now() + timedelta(seconds=BACK_OFF[0]))
        return
    log.error("follow-up %s %s failed", name, target, exc_info=error)
    trace = format_traceback(error)
    exhausted = [row.pk for row in rows if row.attempts + 1 >= MAX_TRIES]
    others = [row for row in rows if row.attempts + 1 < MAX_TRIES]
    with transaction.atomic():
        if exhausted:
            detail = f"{name} {target}, rows {exhausted}, after {MAX_TRIES} tries: {error!r}"
            record_incident(FOLLOW_UP_GIVEN_UP, f"{detail}\n{trace}")
            FollowUp.objects.filter(pk__in=exhausted).delete()
        for row in others:
            reschedule([row], due_at=Now() + timedelta(seconds=BACK_OFF[row.attempts]), error=trace)
    count(FOLLOW_UPS, "failed", by=len(others))
    count(FOLLOW_UPS, "given_up", by=len(exhausted))
