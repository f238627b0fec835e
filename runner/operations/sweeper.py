"""Sweeps: finds and restarts what crashes, lost doorbell jobs and lost workers have left.

Any number of sweepers may run at once.
"""

import logging
import time
from collections.abc import Callable
from typing import NamedTuple

from django.db import InterfaceError, OperationalError, connection

from runner.events.sequencer import sequence_topics
from runner.models import Attempt
from runner.operations.retention import (
    remove_batches,
    remove_events,
    remove_records,
    remove_results,
    remove_sources,
)
from runner.pipelines.doorbell import notify_workers
from runner.pipelines.materialized_views import sweep_views
from runner.quotas import remove_old_use
from runner.registry import PeriodicTask, handlers
from runner.semaphores.semaphore import sweep_semaphores
from runner.telemetry.incidents import record_incident
from runner.workers.release import Release, release

log = logging.getLogger(__name__)

DATABASE_AWAY = (OperationalError, InterfaceError)
STALE_AFTER_SECONDS = 2
_MAX_AT_ONCE = 100

_EXPIRED = """
    select id, token, worker from runner_execution
    where state = 1 and leased_until < now()
    order by leased_until limit %s
"""
# `created_at` comes from the submitter's clock, which may be ahead of the database's.
_STALE_TOPICS = """
    select topic_id from runner_outboxevent
    where created_at < now() - make_interval(secs => %(stale)s)
    union
    select b.topic_id from runner_batch b
    where b.state = 0 and b.all_tasks_loaded
      and b.created_at not between now() - make_interval(secs => %(stale)s) and now()
      and not exists (
          select from runner_task t where t.batch_id = b.id and t.state in (0, 1, 2, 6))
      and not exists (select from runner_batch c where c.parent_id = b.id and c.state = 0)
      and not exists (select from runner_followup f where f.batch_id = b.id)
    limit %(most)s
"""
_IS_WORK_READY = """
    select (select true from runner_execution
            where state in (0, 2) and (due_at is null or due_at <= now())
            order by priority, vtime, id limit 1) is not null
        or exists (select from runner_followup where due_at <= now())
"""


class Swept(NamedTuple):
    """The results of a sweep."""

    released: int  # executions with expired leases
    sequenced: int  # stale topics
    is_work_ready: bool
    notified: bool  # whether workers were woken


def sweep() -> Swept:
    """Sweep once."""
    released = _release_expired()
    sequenced = _sequence_stale_topics()
    for task in (*PERIODIC_TASKS, *handlers.periodic_tasks):
        _run_if_due(task)
    is_ready = is_work_ready()
    return Swept(released, sequenced, is_ready, notified=is_ready and notify_workers())


def is_work_ready() -> bool:
    """Whether any execution or follow-up could be run now."""
    with connection.cursor() as cursor:
        cursor.execute(_IS_WORK_READY)
        return bool(cursor.fetchone()[0])


def _without_cursor(act: Callable[[], object]) -> Callable[[int], int]:
    def run(_cursor: int) -> int:
        act()
        return 0

    return run


PERIODIC_TASKS = (
    PeriodicTask("semaphores", 0, _without_cursor(sweep_semaphores)),
    PeriodicTask("views", 0, _without_cursor(sweep_views)),
    PeriodicTask("events", 300, remove_events),
    PeriodicTask("batches", 300, remove_batches),
    PeriodicTask("results", 300, remove_results),
    PeriodicTask("sources", 86_400, remove_sources),
    PeriodicTask("records", 86_400, remove_records),
    PeriodicTask("use", 86_400, remove_old_use),
)
# A task with an interval is continued for this long.
TASK_SECONDS = 1.0

# Only one of several sweepers claims the task.
_CLAIM_TASK = """
    insert into runner_chore (name, ran_at, cursor) values (%(name)s, now(), 0)
    on conflict (name) do update set ran_at = now()
    where runner_chore.ran_at <= now() - make_interval(secs => %(every)s)
    returning cursor
"""
_SAVE_CURSOR = "update runner_chore set cursor = %s where name = %s"


def _run_if_due(task: PeriodicTask) -> None:
    """Run the task if it is due; its errors don't affect other tasks."""
    try:
        if not task.interval_seconds:
            task.run(0)
        elif (begin := _claim_task(task)) is not None:
            _run_from(task, begin)
    except DATABASE_AWAY:
        raise
    except Exception as error:
        log.exception("periodic task %s failed", task.name)
        record_incident("chore_failed", f"{task.name}: {error!r}")


def _claim_task(task: PeriodicTask) -> int | None:
    with connection.cursor() as cursor:
        cursor.execute(_CLAIM_TASK, {"name": task.name, "every": task.interval_seconds})
        row = cursor.fetchone()
        return int(row[0]) if row else None


def _run_from(task: PeriodicTask, begin: int) -> None:
    until = time.monotonic() + TASK_SECONDS
    at = task.run(begin)
    while at and time.monotonic() < until:
        at = task.run(at)
    with connection.cursor() as cursor:
        cursor.execute(_SAVE_CURSOR, [at, task.name])


def _release_expired() -> int:
    """Release executions whose lease has expired; they are repeated exclusively, or given up."""
    with connection.cursor() as cursor:
        cursor.execute(_EXPIRED, [_MAX_AT_ONCE])
        lost = [
            Release(
                execution_id,
                token,
                Attempt.Outcome.LOST,
                error=f"worker {worker} was lost: its lease expired",
                exclusive=True,
            )
            for execution_id, token, worker in cursor
        ]
    if lost:
        sequence_topics(release(lost))
    if lost:
        log.warning("%d leases had expired", len(lost))
    return len(lost)


def _sequence_stale_topics() -> int:
    with connection.cursor() as cursor:
        cursor.execute(_STALE_TOPICS, {"stale": STALE_AFTER_SECONDS, "most": _MAX_AT_ONCE})
        topic_ids = [topic_id for (topic_id,) in cursor]
    sequence_topics(topic_ids, full_scan=True)
    return len(topic_ids)
