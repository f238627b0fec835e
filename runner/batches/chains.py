"""Task chains: when a task ends, its successors become ready or are cancelled.

This happens in the same transaction. Locks are taken in key order, but a successor's key may
precede that of the ended execution. So if its lock is not free, the transaction is rolled back and
repeated with all locks taken in order. No product code submits chains yet; they are a library
feature.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from django.db import connection, transaction

from runner.batches.executions import (
    ExecutionRequest,
    ExecutionRow,
    current_vtime,
    read_executions,
    requeue,
    save_requeued,
)
from runner.batches.orphans import cancel_orphans
from runner.batches.tasks import publish_states
from runner.events.task_events import OpenTask
from runner.pipelines.outbox import notify_workers_after_commit, sequence_after_commit
from runner.states import State

T = TypeVar("T")

_SUCCESSORS = """
    select s.id, s.batch_id, s.execution_id, b.topic_id, b.recorder, s.is_load_check,
        s.predecessor_id, b.owner_id
    from runner_task s join runner_batch b on b.id = s.batch_id
    where s.predecessor_id = any(%s) and s.state = 6
    order by s.id
"""
_LOCK = """
    select id from runner_execution where id = any(%s)
    order by key for no key update
"""
_LOCK_FREE = f"{_LOCK} skip locked"
# Tasks whose batch is being cancelled at the same time are skipped.
_MOVE = """
    update runner_task t
    set state = n.state, finished_at = case when n.state in (3, 5) then now() end
    from unnest(%s::bigint[], %s::smallint[]) as n (id, state)
    where n.id = t.id and t.state = 6 returning t.id
"""


class _Successor(NamedTuple):
    task: OpenTask
    predecessor_id: int
    owner_id: int | None


class _LocksNeeded(Exception):
    """Another session holds a lock, so these executions must be locked first, in order."""

    def __init__(self, execution_ids: set[int]) -> None:
        super().__init__(execution_ids)
        self.execution_ids = execution_ids


def in_lock_order(find_executions: Callable[[], Iterable[int]], act: Callable[[], T]) -> T:
    """Call `act`, which ends tasks of these executions and advances chains, in a transaction.

    It may be rolled back and called again. Before it, lock nothing that others lock after
    executions.
    """
    ahead: set[int] = set()
    while True:
        try:
            with transaction.atomic():
                if ahead:
                    with connection.cursor() as cursor:
                        cursor.execute(_LOCK, [list({*find_executions(), *ahead})])
                return act()
        except _LocksNeeded as missing:
            ahead |= missing.execution_ids


def advance_chains(ended: Mapping[int, State]) -> None:
    """Make the successors of succeeded tasks ready, and cancel those of other tasks.

    The executions of the ended tasks must be locked. A successor with a known result succeeds at
    once; a cancelled one cancels its own successors.
    """
    while ended:
        successors = _lock_successors(list(ended))
        if not successors:
            return
        ids = {task.execution_id for task, _, _ in successors}
        by_id = {execution.pk: execution for execution in read_executions(list(ids))}
        states = _next_states(successors, by_id, ended)
        ended = _move(successors, by_id, states)


def _lock_successors(task_ids: Sequence[int]) -> list[_Successor]:
    with connection.cursor() as cursor:
        cursor.execute(_SUCCESSORS, [list(task_ids)])
        successors = [_Successor(OpenTask(*row[:6]), *row[6:]) for row in cursor]
        execution_ids = {successor.task.execution_id for successor in successors}
        if not execution_ids:
            return []
        cursor.execute(_LOCK_FREE, [list(execution_ids)])
        if len(cursor.fetchall()) < len(execution_ids):
            raise _LocksNeeded(execution_ids)
    return successors


def _next_states(
    successors: Iterable[_Successor],
    executions: Mapping[int, ExecutionRow],
    ended: Mapping[int, State],
) -> dict[int, State]:
    """Return the successors' new states; requeue executions where needed."""
    states: dict[int, State] = {}
    requeued: dict[int, ExecutionRow] = {}
    for successor in successors:
        execution = executions[successor.task.execution_id]
        if ended[successor.predecessor_id] != State.SUCCEEDED:
            states[successor.task.task_id] = State.CANCELLED
            continue
        key = execution.key
        vtime = current_vtime(execution.priority) + 1 + len(requeued)
        request = ExecutionRequest(
            {key: successor.owner_id}, {key: vtime}, {key: execution.priority}
        )
        if requeue(execution, request):
            requeued[execution.pk] = execution
        # An execution that waits for a retry is not a failure of this task.
        is_failed = execution.state == State.FAILED
        states[successor.task.task_id] = State.PENDING if is_failed else State(execution.state)
    save_requeued(list(requeued.values()))
    return states


def _move(
    successors: Sequence[_Successor],
    executions: Mapping[int, ExecutionRow],
    states: Mapping[int, State],
) -> dict[int, State]:
    """Store and publish the new states; return the tasks that have become final."""
    with connection.cursor() as cursor:
        columns: list[Any] = [list(states), list(states.values())]
        cursor.execute(_MOVE, columns)
        moved = {task_id for (task_id,) in cursor}
    published = [
        (task, executions[task.execution_id], states[task.task_id])
        for task, _, _ in successors
        if task.task_id in moved
    ]
    publish_states(published)
    cancel_orphans([task.execution_id for task, _, state in published if state == State.CANCELLED])
    for task, _, state in published:
        sequence_after_commit(task.topic_id)
        if state == State.PENDING:
            notify_workers_after_commit()
    return {
        task.task_id: state
        for task, _, state in published
        if state in (State.SUCCEEDED, State.CANCELLED)
    }
