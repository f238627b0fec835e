"""Runs follow-ups: at least once, all rows of a target together, in the order of `virtual_time`.

Handlers that accept several targets are called for many at once, which costs little more than one.
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
from runner.registry import RowsByTarget, handlers
from runner.telemetry.counters import count
from runner.telemetry.families import FOLLOW_UPS
from runner.telemetry.incidents import FOLLOW_UP_GIVEN_UP, record_incident
from runner.telemetry.tracebacks import format_traceback

log = logging.getLogger(__name__)

MAX_TRIES = 5
BACK_OFF = (1, 5, 15, 60)  # seconds after each failed attempt but the last
# How many due follow-ups are read; `WIDER` times more if other workers run all of these.
WINDOW = 256
WIDER = 8
# The list of due targets is read again after this time.
RESELECT_SECONDS = 0.05
# A portion should not take longer, because other targets wait for it.
PORTION_SECONDS = 0.5
MIN_TARGETS = 8

# Only one worker runs a target at a time. It reads the target again afterwards, so rows that arrive
# meanwhile are not missed. The clock is set to the virtual time of the portion.
_TRY_TARGETS = """
    with clock as materialized (
        select setval('runner_followup_clock', greatest(last_value, %(vtime)s))
        from runner_followup_clock
    )
    select target from clock cross join unnest(%(targets)s::text[]) as t (target)
    where pg_try_advisory_xact_lock(hashtextextended(%(name)s || ' ' || target, 0))
"""


class _Ran(NamedTuple):
    """The number of targets that were run, and whether some of them are still due."""

    targets: int
    has_rest: bool = False


class _PortionSizes:
    """The number of targets of each name to run at once, adapted to how long they take."""

    def __init__(self) -> None:
        self._limits: dict[str, int] = {}

    def max_targets(self, name: str) -> int:
        """Return the registered maximum, or less if portions took too long."""
        handler = handlers.follow_ups.get(name)
        limit = handler.max_targets if handler else 1
        return min(limit, self._limits.get(name, limit))

    @contextmanager
    def timing(self, name: str, targets: Collection[str]) -> Iterator[None]:
        """Time the block, which runs these targets, and adapt the limit."""
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
    """Run all due follow-ups and those that they enqueue; return the number of targets.

    After `seconds`, the rest is left to the next call.
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
    """Run the next portions; return the number of targets, 0 if none is due or free."""
    window = WINDOW
    while True:
        waiting, is_all = due_targets(window)
        reselect_at = min(until, time.monotonic() + RESELECT_SECONDS)
        count = 0
        while waiting:
            ran = _run_next(waiting)
            count += ran.targets
            after_each()
            # Targets with rows left come first in the next list.
            if ran.has_rest or (ran.targets and time.monotonic() > reselect_at):
                break
        if count or is_all:
            return count
        window *= WIDER


def _run_next(waiting: list[DueTarget]) -> _Ran:
    """Run the next targets as one portion, with all of their due rows.

    The targets are removed from `waiting`; those that other workers run are skipped.
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
                done = handlers.follow_ups[name].run(rows_by_target)
            handled = [row.pk for target in done for row in rows_by_target[target]]
            FollowUp.objects.filter(pk__in=handled).delete()
        count(FOLLOW_UPS, "done", by=len(handled))
    except Exception as error:
        is_database_error = isinstance(error, DatabaseError | InterfaceError)
        if not rows_by_target or (is_database_error and not connection.is_usable()):
            raise  # the rows are unchanged
        if len(rows_by_target) > 1:
            single = [_run_next([DueTarget(name, target, None, 0)]) for target in rows_by_target]
            return _Ran(sum(ran.targets for ran in single), any(ran.has_rest for ran in single))
        done = list(rows_by_target)
        with _log_context(name, rows_by_target):
            _retry_later(rows_by_target[done[0]], error)
    batches = [row.batch for target in done for row in rows_by_target[target] if row.batch]
    for topic_id in {batch.topic_id for batch in batches}:
        sequence_after_commit(topic_id)
    return _Ran(len(rows_by_target), has_rest=len(done) < len(rows_by_target))


def _log_context(name: str, targets: Collection[str]) -> AbstractContextManager[None]:
    """Add the follow-up's name and targets to log lines."""
    return bound_contextvars(follow_up=name, target=" ".join(targets))


def _lock_next_targets(name: str, waiting: list[DueTarget]) -> list[str]:
    """Remove the next targets from `waiting`; return those that could be locked."""
    locked: list[str] = []
    limit = portion_sizes.max_targets(name)
    while waiting and waiting[0].name == name and len(locked) < limit:
        chosen = choose_portion(waiting, limit - len(locked))
        targets = [one.target for one in chosen]
        with connection.cursor() as cursor:
            terms: dict[str, Any] = {"name": name, "targets": targets, "vtime": chosen[0].vtime}
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
    # Parked rows and rows waiting for a retry are not run early together with due ones.
    due_rows = FollowUp.objects.filter(name=name, target__in=targets, due_at__lte=Now())
    rows: dict[str, list[FollowUp]] = defaultdict(list)
    locked = due_rows.select_for_update(skip_locked=True, of=("self",)).order_by("id")
    for row in locked.select_related("batch"):
        rows[row.target].append(row)
    return {target: rows[target] for target in targets if target in rows}


def _retry_later(rows: Sequence[FollowUp], error: Exception) -> None:
    """Reschedule the rows with a delay; delete those that failed too often, so batches can end.

    Deadlocks and lock timeouts don't count as failures.
    """
    name, target = rows[0].name, rows[0].target
    if isinstance(error, OperationalError):
        log.warning("follow-up %s %s postponed: %s", name, target, error)
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
