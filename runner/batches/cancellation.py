"""Cancels batches and their open tasks."""

from collections.abc import Iterable

from django.db import connection, transaction

from runner.batches.chains import advance_chains, in_lock_order
from runner.batches.orphans import cancel_orphans
from runner.events.task_events import (
    ExecutionEnd,
    OpenTask,
    append_events,
    finished_event,
    notify_recorders_safely,
)
from runner.models import Batch
from runner.pipelines.outbox import sequence_after_commit
from runner.states import State

# No more tasks are loaded.
_CLOSE = """
    update runner_batch
    set all_tasks_loaded = true, is_cut_short = is_cut_short or not all_tasks_loaded
    where id = any(%s) and state = 0
"""
_OPEN_EXECUTIONS = """
    select distinct execution_id from runner_task
    where batch_id = any(%s) and state in (0, 1, 2, 6)
"""
# The lock order everywhere: executions by key, then tasks by id.
_LOCK_EXECUTIONS = f"""
    select e.id from runner_execution e where e.id in ({_OPEN_EXECUTIONS})
    order by e.key for no key update of e
"""  # noqa: S608 - constants of ours
_CANCEL_TASKS = """
    with open as materialized (
        select t.id from runner_task t
        where t.batch_id = %(batch)s and t.execution_id = any(%(executions)s)
          and t.state in (0, 1, 2, 6)
        order by t.id for no key update
    )
    update runner_task t set state = 5, finished_at = now() from open o where o.id = t.id
    returning t.id, t.execution_id, t.is_load_check
"""
_KEYS = "select id, key, attempts from runner_execution where id = any(%s)"


def cancel_batches(batches: Iterable[Batch]) -> None:
    """Cancel the batches' open tasks, and executions that no other task waits for.

    The batches take no more tasks and end when their children and follow-ups have ended. Their
    recorders are notified. Cancel several batches in one call: one call each would break the lock
    order.
    """
    in_order = sorted(batches, key=lambda batch: batch.pk)
    ids = [batch.pk for batch in in_order]

    def find_executions() -> list[int]:
        return _execution_ids(_OPEN_EXECUTIONS, ids)

    def cancel() -> None:
        executions = _execution_ids(_LOCK_EXECUTIONS, ids)
        cancelled: list[tuple[OpenTask, ExecutionEnd]] = []
        for batch in in_order:
            cancelled += _cancel(batch, executions)
            sequence_after_commit(batch.topic_id)
        cancel_orphans(executions)
        advance_chains({task.task_id: State.CANCELLED for task, _ in cancelled})
        notify_recorders_safely(cancelled)

    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_CLOSE, [ids])
        in_lock_order(find_executions, cancel)


def _execution_ids(statement: str, batch_ids: list[int]) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(statement, [batch_ids])
        return [execution_id for (execution_id,) in cursor]


def _cancel(batch: Batch, executions: list[int]) -> list[tuple[OpenTask, ExecutionEnd]]:
    """Cancel the batch's tasks of these locked executions; return the tasks."""
    with connection.cursor() as cursor:
        cursor.execute(_CANCEL_TASKS, {"batch": batch.pk, "executions": executions})
        cancelled = sorted(cursor.fetchall())
        cursor.execute(_KEYS, [executions])
        endings = {
            execution_id: ExecutionEnd(bytes(key), State.CANCELLED, attempts)
            for execution_id, key, attempts in cursor
        }
    ended = [
        (
            OpenTask(
                task_id, batch.pk, execution_id, batch.topic_id, batch.recorder, is_load_check
            ),
            endings[execution_id],
        )
        for task_id, execution_id, is_load_check in cancelled
    ]
    append_events([finished_event(task, end) for task, end in ended])
    return ended
