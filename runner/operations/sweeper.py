"""Sweeping: finds what a crash, a lost bell or a lost worker has left, and sets it going again.

Any number of sweepers may run at once.
"""

import logging
import time
from collections.abc import Callable
from typing import NamedTuple

from django.db import InterfaceError, OperationalError, connection

from runner.events.sequencer import join_topics
from runner.models import Attempt
from runner.operations.retention import (
    remove_batches,
    remove_events,
    remove_records,
    remove_results,
    remove_sources,
)
from runner.pipelines.materialized_views import sweep_views
from runner.pipelines.outbox import ring
from runner.registry import Chore, chores
from runner.semaphores.semaphore import sweep_semaphores
from runner.telemetry.incidents import note_incident
from runner.workers.release import Release, release

log = logging.getLogger(__name__)

DATABASE_AWAY = (OperationalError, InterfaceError)
OUTBOX_PATIENCE_SECONDS = 2
_AT_ONCE = 100

_EXPIRED = """
    select id, token, worker from runner_execution
    where state = 1 and leased_until < now()
    order by leased_until limit %s
"""
# A batch's creation is told by the clock of whoever submits, which may be ahead of the database's.
_FORGOTTEN_TOPICS = """
    select topic_id from runner_outboxevent
    where created_at < now() - make_interval(secs => %(patience)s)
    union
    select b.topic_id from runner_batch b
    where b.state = 0 and b.all_tasks_loaded
      and b.created_at not between now() - make_interval(secs => %(patience)s) and now()
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
    """What was found: leases that had run out, topics that nobody had joined, work, and a bell."""

    rescued: int
    joined: int
    is_work_ready: bool
    rang: bool


def sweep() -> Swept:
    """Sweep once."""
    rescued = _rescue()
    joined = _join_forgotten()
    for chore in (*CHORES, *chores):
        _do(chore)
    is_ready = is_work_ready()
    return Swept(rescued, joined, is_ready, rang=is_ready and ring())


def is_work_ready() -> bool:
    """Say whether anything waits for nothing but a worker."""
    with connection.cursor() as cursor:
        cursor.execute(_IS_WORK_READY)
        return bool(cursor.fetchone()[0])


def _each_time(act: Callable[[], object]) -> Callable[[int], int]:
    def do(_cursor: int) -> int:
        act()
        return 0

    return do


CHORES = (
    Chore("semaphores", 0, _each_time(sweep_semaphores)),
    Chore("views", 0, _each_time(sweep_views)),
    Chore("events", 300, remove_events),
    Chore("batches", 300, remove_batches),
    Chore("results", 300, remove_results),
    Chore("sources", 86_400, remove_sources),
    Chore("records", 86_400, remove_records),
)
# What is done now and then goes on for so long at a time.
CHORE_SECONDS = 1.0

# Of several sweepers one does it.
_TAKE_CHORE = """
    insert into runner_chore (name, ran_at, cursor) values (%(name)s, now(), 0)
    on conflict (name) do update set ran_at = now()
    where runner_chore.ran_at <= now() - make_interval(secs => %(every)s)
    returning cursor
"""
_LEAVE_CHORE = "update runner_chore set cursor = %s where name = %s"


def _do(chore: Chore) -> None:
    """Do the chore if it is time; one that breaks keeps no other from being done."""
    try:
        if not chore.every_seconds:
            chore.act(0)
        elif (begin := _take(chore)) is not None:
            _go_on(chore, begin)
    except DATABASE_AWAY:
        raise
    except Exception as error:
        log.exception("the chore %s failed", chore.name)
        note_incident("chore_failed", f"{chore.name}: {error!r}")


def _take(chore: Chore) -> int | None:
    with connection.cursor() as cursor:
        cursor.execute(_TAKE_CHORE, {"name": chore.name, "every": chore.every_seconds})
        row = cursor.fetchone()
        return int(row[0]) if row else None


def _go_on(chore: Chore, begin: int) -> None:
    until = time.monotonic() + CHORE_SECONDS
    at = chore.act(begin)
    while at and time.monotonic() < until:
        at = chore.act(at)
    with connection.cursor() as cursor:
        cursor.execute(_LEAVE_CHORE, [at, chore.name])


def _rescue() -> int:
    """Make what lost its worker due again, alone, or give it up."""
    with connection.cursor() as cursor:
        cursor.execute(_EXPIRED, [_AT_ONCE])
        lost = [
            Release(
                execution_id,
                token,
                Attempt.Outcome.LOST,
                error=f"worker {worker} was not heard of until its lease ran out",
                alone=True,
            )
            for execution_id, token, worker in cursor
        ]
    if lost:
        join_topics(release(lost))
    if lost:
        log.warning("%d executions had lost their worker", len(lost))
    return len(lost)


def _join_forgotten() -> int:
    with connection.cursor() as cursor:
        cursor.execute(_FORGOTTEN_TOPICS, {"patience": OUTBOX_PATIENCE_SECONDS, "most": _AT_ONCE})
        topic_ids = [topic_id for (topic_id,) in cursor]
    join_topics(topic_ids, thoroughly=True)
    return len(topic_ids)
