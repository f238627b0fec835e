"""Runs what must follow a transaction: at least once, and all arrivals for one target as one.

What many targets cost together little more than one is called for many of them at once.
"""

import logging
import math
import time
from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import NamedTuple

from django.db import (
    DatabaseError,
    InterfaceError,
    OperationalError,
    connection,
    transaction,
)
from django.db.models import F, Min
from django.db.models.functions import Now
from structlog.contextvars import bound_contextvars

from runner.counting import FOLLOW_UPS, count
from runner.incidents import FOLLOW_UP_GIVEN_UP, note_incident
from runner.models import FollowUp
from runner.outbox import gathering_joins, join_after_commit
from runner.registry import Arrivals, follow_ups
from runner.traces import trace_of

log = logging.getLogger(__name__)

MAX_TRIES = 5
BACK_OFF = (1, 5, 15, 60)  # seconds after each failed try but the last
_TARGETS_AT_ONCE = 50

# One worker at a time for a target: others see to other targets meanwhile. Who runs a target looks
# again afterwards, so what arrives while it runs is not left.
_TRY_TARGETS = """
    select target from unnest(%(targets)s::text[]) as wanted (target)
    where pg_try_advisory_xact_lock(hashtextextended(%(name)s || ' ' || target, 0))
"""


class _Ran(NamedTuple):
    """For how many targets something was called, and whether it wants to be called again."""

    targets: int
    is_again: bool = False


def run_due_follow_ups(seconds: float = math.inf) -> int:
    """Run everything that is due, and what comes of it; return for how many targets that was.

    What comes of it is left for the next time once so many seconds have passed.
    """
    until = time.monotonic() + seconds
    count = 0
    with gathering_joins() as join_now_and_then:
        while due := _due_targets():
            ran = 0
            for name, targets in _gather(due):
                called = _run(name, targets)
                ran += called.targets
                join_now_and_then()
                if called.is_again:
                    break  # it comes first
            count += ran
            if not ran or time.monotonic() > until:
                break
    return count


def _due_targets() -> list[tuple[str, str]]:
    due = FollowUp.objects.filter(due_at__lte=Now()).values_list("name", "target")
    return list(
        due.annotate(first=Min("id"))
        .order_by("first")[:_TARGETS_AT_ONCE]
        .values_list("name", "target")
    )


def _gather(due: Collection[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """Put together the targets that are called at once, in the order of the first of each."""
    gathered: list[tuple[str, list[str]]] = []
    open_ones: dict[str, list[str]] = {}
    for name, target in due:
        at_once = follow_ups[name].at_once if name in follow_ups else 1
        if len(open_ones.get(name, ())) in (0, at_once):
            open_ones[name] = []
            gathered.append((name, open_ones[name]))
        open_ones[name].append(target)
    return gathered


def _run(name: str, targets: Sequence[str]) -> _Ran:
    """As `_call`; whatever is logged meanwhile says for what."""
    with bound_contextvars(follow_up=name, target=" ".join(targets)):
        return _call(name, targets)


def _call(name: str, targets: Sequence[str]) -> _Ran:
    """Call what is registered with all due rows of the targets that no other worker calls for."""
    arrivals: Arrivals = {}
    done: Collection[str] = ()
    try:
        with transaction.atomic():
            arrivals = _take(name, targets)
            if not arrivals:
                return _Ran(0)
            done = follow_ups[name].run(arrivals)
            heeded = [row.pk for target in done for row in arrivals[target]]
            FollowUp.objects.filter(pk__in=heeded).delete()
        count(FOLLOW_UPS, "done", by=len(heeded))
    except Exception as error:
        # Rows stay as they were when the database went away, or had two of us wait in a circle.
        is_of_database = isinstance(error, DatabaseError | InterfaceError)
        if not arrivals or (is_of_database and not connection.is_usable()):
            raise
        if len(arrivals) > 1:
            alone = [_run(name, [target]) for target in arrivals]
            return _Ran(sum(ran.targets for ran in alone), any(ran.is_again for ran in alone))
        done = list(arrivals)
        _postpone(arrivals[done[0]], error)
    batches = [row.batch for target in done for row in arrivals[target] if row.batch]
    for topic_id in {batch.topic_id for batch in batches}:
        join_after_commit(topic_id)
    return _Ran(len(arrivals), is_again=len(done) < len(arrivals))


def _take(name: str, targets: Sequence[str]) -> dict[str, list[FollowUp]]:
    with connection.cursor() as cursor:
        cursor.execute(_TRY_TARGETS, {"name": name, "targets": list(targets)})
        free = [target for (target,) in cursor]
    if not free:
        return {}
    # Those that are parked, or have failed and are put off, are not hurried by others that come.
    due = FollowUp.objects.filter(name=name, target__in=free, due_at__lte=Now()).order_by("id")
    rows: dict[str, list[FollowUp]] = defaultdict(list)
    for row in due.select_related("batch").select_for_update(skip_locked=True, of=("self",)):
        rows[row.target].append(row)
    return {target: rows[target] for target in targets if target in rows}


def _postpone(rows: Sequence[FollowUp], error: Exception) -> None:
    """Try these again later; give up those that have failed too often, so that batches end.

    What the database broke off (a circle of locks, a lock that took too long) is no failed try.
    """
    name, target = rows[0].name, rows[0].target
    if isinstance(error, OperationalError):
        log.warning("follow-up %s %s is put off: %s", name, target, error)
        later = Now() + timedelta(seconds=BACK_OFF[0])
        FollowUp.objects.filter(pk__in=[row.pk for row in rows]).update(due_at=later)
        return
    log.error("follow-up %s %s failed", name, target, exc_info=error)
    trace = trace_of(error)
    hopeless = [row.pk for row in rows if row.attempts + 1 >= MAX_TRIES]
    others = [row for row in rows if row.attempts + 1 < MAX_TRIES]
    with transaction.atomic():
        if hopeless:
            detail = f"{name} {target}, rows {hopeless}, after {MAX_TRIES} tries: {error!r}"
            note_incident(FOLLOW_UP_GIVEN_UP, f"{detail}\n{trace}")
            FollowUp.objects.filter(pk__in=hopeless).delete()
        for row in others:
            delay = timedelta(seconds=BACK_OFF[row.attempts])
            FollowUp.objects.filter(pk=row.pk).update(
                attempts=F("attempts") + 1, error=trace, due_at=Now() + delay
            )
    count(FOLLOW_UPS, "failed", by=len(others))
    count(FOLLOW_UPS, "given_up", by=len(hopeless))
