"""Cancelling: what nobody wants any more is not executed, and nothing is recorded for it."""

from collections.abc import Sequence

from django.db import connection, transaction

from runner.finishing import Ending, Waiting, append_events, finished_event
from runner.models import Batch
from runner.outbox import join_after_commit
from runner.states import BatchState, State

# Executions first and in key order, then tasks in the order of their ids: as everybody.
_LOCK_EXECUTIONS = """
    select e.id from runner_execution e
    where e.id in (select t.execution_id from runner_task t
                   where t.batch_id = any(%s) and t.state in (0, 1, 2))
    order by e.key for no key update of e
"""
_CANCEL_TASKS = """
    with open as materialized (
        select t.id from runner_task t
        where t.batch_id = %(batch)s and t.execution_id = any(%(executions)s)
          and t.state in (0, 1, 2)
        order by t.id for no key update
    )
    update runner_task t set state = 5, finished_at = now() from open o where o.id = t.id
    returning t.id, t.execution_id
"""
# A token ahead: the next heartbeat of whoever executes it says so, and kills the run.
_DROP_EXECUTIONS = """
    with dropped as (
        update runner_execution e
        set state = 5, token = e.token + 1, leased_until = null, due_at = null
        where e.id = any(%s) and e.state in (0, 1, 2)
          and not exists (select from runner_task t
                          where t.execution_id = e.id and t.state in (0, 1, 2))
        returning e.id
    )
    update runner_attempt a set outcome = 'cancelled', ended_at = now()
    from dropped d where a.execution_id = d.id and a.outcome = ''
"""
_KEYS = "select id, key, attempts from runner_execution where id = any(%s)"


def cancel_batches(batches: Sequence[Batch]) -> None:
    """Cancel the batches' open tasks, and stop what no other batch waits for.

    The batches take no more tasks; they end when their children and follow-ups have. Several are
    cancelled together: one after the other would lock executions in no order.
    """
    with transaction.atomic():
        ids = [batch.pk for batch in batches]
        Batch.objects.filter(pk__in=ids, state=BatchState.OPEN).update(all_tasks_loaded=True)
        with connection.cursor() as cursor:
            cursor.execute(_LOCK_EXECUTIONS, [ids])
            executions = [execution_id for (execution_id,) in cursor]
        for batch in sorted(batches, key=lambda batch: batch.pk):
            _cancel(batch, executions)
            join_after_commit(batch.topic_id)


def _cancel(batch: Batch, executions: list[int]) -> None:
    """Cancel what the batch wants of these executions, which are locked."""
    with connection.cursor() as cursor:
        cursor.execute(_CANCEL_TASKS, {"batch": batch.pk, "executions": executions})
        cancelled = cursor.fetchall()
        cursor.execute(_DROP_EXECUTIONS, [executions])
        cursor.execute(_KEYS, [executions])
        endings = {
            execution_id: Ending(bytes(key), State.CANCELLED, attempts)
            for execution_id, key, attempts in cursor
        }
    append_events(
        [
            finished_event(
                Waiting(task_id, batch.pk, execution_id, batch.topic_id, batch.recorder),
                endings[execution_id],
            )
            for task_id, execution_id in sorted(cancelled)
        ]
    )
