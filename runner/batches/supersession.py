"""Cancels tasks whose program has been superseded."""

from collections import defaultdict
from collections.abc import Collection

from django.db import connection

from runner.batches.orphans import cancel_orphans
from runner.events.task_events import ExecutionEnd, OpenTask, append_events, finished_event
from runner.models import Batch
from runner.pipelines.outbox import sequence_after_commit
from runner.states import State

_CANCEL_TASKS = """
    with open as materialized (
        select t.id from runner_task t
        join runner_execution e on e.id = t.execution_id
        join runner_batch b on b.id = t.batch_id
        where e.key = any(%(keys)s) and b.recorder = %(recorder)s and t.state in (0, 1, 2, 6)
          and not exists (select from runner_task s where s.predecessor_id = t.id)
        order by t.id for no key update of t
    )
    update runner_task t set state = 5, finished_at = now()
    from open o, runner_execution e where o.id = t.id and e.id = t.execution_id
    returning t.id, t.batch_id, e.id, t.is_load_check, e.key, e.attempts
"""


def cancel_programs(
    keys: Collection[bytes], *, recorder: str, reason: str
) -> list[tuple[Batch, int]]:
    """Cancel these programs' tasks in batches of this recorder; return counts by batch.

    Must be called in a transaction that has locked the programs' executions. Tasks with successors
    are skipped.
    """
    with connection.cursor() as cursor:
        cursor.execute(_CANCEL_TASKS, {"keys": list(keys), "recorder": recorder})
        cancelled = sorted(cursor.fetchall())
    cancel_orphans([execution_id for _, _, execution_id, *_ in cancelled])
    batches = Batch.objects.select_related("topic").in_bulk({batch for _, batch, *_ in cancelled})
    counts: dict[int, int] = defaultdict(int)
    events = []
    for task_id, batch_id, execution_id, is_load_check, key, attempts in cancelled:
        counts[batch_id] += 1
        batch = batches[batch_id]
        waiting = OpenTask(task_id, batch_id, execution_id, batch.topic_id, recorder, is_load_check)
        end = ExecutionEnd(bytes(key), State.CANCELLED, attempts, message=reason)
        events.append(finished_event(waiting, end))
    append_events(events)
    for batch in batches.values():
        sequence_after_commit(batch.topic_id)
    return [(batches[batch_id], count) for batch_id, count in sorted(counts.items())]
