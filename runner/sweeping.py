"""Sweeping: finds what a crash, a lost bell or a lost worker has left, and sets it going again.

Any number of sweepers may run at once.
"""

import logging
from typing import NamedTuple

from django.db import connection

from runner.joining import join_topics
from runner.models import Attempt
from runner.outbox import ring
from runner.pipelines.views import sweep_views
from runner.releasing import Release, release
from runner.semaphores import sweep_semaphores

log = logging.getLogger(__name__)

OUTBOX_PATIENCE_SECONDS = 2
_AT_ONCE = 100

_EXPIRED = """
    select id, token, worker from runner_execution
    where state = 1 and leased_until < now()
    order by leased_until limit %s
"""
_FORGOTTEN_TOPICS = """
    select topic_id from runner_outboxevent
    where created_at < now() - make_interval(secs => %(patience)s)
    union
    select b.topic_id from runner_batch b
    where b.state = 0 and b.all_tasks_loaded
      and b.created_at < now() - make_interval(secs => %(patience)s)
      and not exists (
          select from runner_task t where t.batch_id = b.id and t.state in (0, 1, 2, 6))
      and not exists (select from runner_batch c where c.parent_id = b.id and c.state = 0)
      and not exists (select from runner_followup f where f.batch_id = b.id)
    limit %(most)s
"""
_IS_WORK_READY = """
    select exists (select from runner_execution
            where state in (0, 2) and (due_at is null or due_at <= now()))
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
    sweep_semaphores()
    sweep_views()
    with connection.cursor() as cursor:
        cursor.execute(_IS_WORK_READY)
        is_work_ready = bool(cursor.fetchone()[0])
    return Swept(rescued, joined, is_work_ready, rang=is_work_ready and ring())


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
    join_topics(topic_ids)
    return len(topic_ids)
