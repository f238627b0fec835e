"""Runs what must follow a transaction: at least once, and all arrivals for one target as one."""

import logging
import math
import time
from collections.abc import Sequence
from datetime import timedelta

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
from runner.registry import follow_ups
from runner.traces import trace_of

log = logging.getLogger(__name__)

MAX_TRIES = 5
BACK_OFF = (1, 5, 15, 60)  # seconds after each failed try but the last
_TARGETS_AT_ONCE = 50

# One worker at a time for a target: others see to other targets meanwhile. Who runs a target looks
# again afterwards, so what arrives while it runs is not left.
_TRY_TARGET = "select pg_try_advisory_xact_lock(hashtextextended(%s, 0))"


def run_due_follow_ups(seconds: float = math.inf) -> int:
    """Run everything that is due, and what comes of it; return for how many targets that was.

    What comes of it is left for the next time once so many seconds have passed.
    """
    until = time.monotonic() + seconds
    count = 0
    with gathering_joins() as join_now_and_then:
        while due := _due_targets():
            ran = 0
            for name, target in due:
                ran += _run(name, target)
                join_now_and_then()
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


def _run(name: str, target: str) -> bool:
    """As `_call`; whatever is logged meanwhile says for what."""
    with bound_contextvars(follow_up=name, target=target):
        return _call(name, target)


def _call(name: str, target: str) -> bool:
    """Call what is registered with all due rows of the target; false if another worker does."""
    rows: list[FollowUp] = []
    try:
        with transaction.atomic():
            rows = _take(name, target)
            if not rows:
                return False
            follow_ups[name](target, rows)
            FollowUp.objects.filter(pk__in=[row.pk for row in rows]).delete()
        count(FOLLOW_UPS, "done", by=len(rows))
    except Exception as error:
        # Rows stay as they were when the database went away, or had two of us wait in a circle.
        is_of_database = isinstance(error, DatabaseError | InterfaceError)
        if not rows or (is_of_database and not connection.is_usable()):
            raise
        _postpone(rows, error)
    for row in rows:
        if row.batch is not None:
            join_after_commit(row.batch.topic_id)
    return True


def _take(name: str, target: str) -> list[FollowUp]:
    with connection.cursor() as cursor:
        cursor.execute(_TRY_TARGET, [f"{name} {target}"])
        if not cursor.fetchone()[0]:
            return []
    # Those that are parked, or have failed and are put off, are not hurried by others that come.
    due = FollowUp.objects.filter(name=name, target=target, due_at__lte=Now()).order_by("id")
    return list(due.select_related("batch").select_for_update(skip_locked=True, of=("self",)))


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
