"""Puts programs into a batch: as tasks that wait for their executions, or have a result already."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection
from django.db.models import Max, Q
from psycopg.types.json import Jsonb

from runner.finishing import (
    Ending,
    NewEvent,
    Waiting,
    append_events,
    finished_event,
    tell_recorders,
)
from runner.models import Batch, Execution
from runner.outbox import ring_after_commit
from runner.programs import PreparedProgram
from runner.states import OPEN_STATES, BatchState, State

# In the order of the hashes, as everybody: whoever inserts the same ones waits, and never in a
# circle. What is there already is not touched.
_INSERT_SOURCES = """
    insert into runner_source (sha256, text)
    select n.sha256, n.text from unnest(%s::bytea[], %s::text[]) as n (sha256, text)
    where not exists (select from runner_source s where s.sha256 = n.sha256)
    order by n.sha256 on conflict do nothing
"""
_INSERT_EXECUTIONS = """
    insert into runner_execution (key, program, tag, priority, vtime)
    select key, program, tag, priority, vtime
    from unnest(%s::bytea[], %s::jsonb[], %s::text[], %s::smallint[], %s::bigint[])
        as n (key, program, tag, priority, vtime)
    order by key on conflict (key) do nothing
"""
_INSERT_TASKS = """
    insert into runner_task (batch_id, execution_id, state, executed, finished_at)
    select %(batch)s, n.execution_id, n.state, false,
           case when n.state = %(succeeded)s then now() end
    from unnest(%(executions)s::bigint[], %(states)s::smallint[])
        with ordinality as n (execution_id, state, position)
    order by n.position on conflict (batch_id, execution_id) do nothing
    returning id, execution_id
"""


def insert_tasks(
    batch: Batch,
    programs: Sequence[PreparedProgram],
    priority: int,
    lower: Mapping[bytes, int],
) -> None:
    """Have the batch wait for these programs, each once, in the caller's transaction.

    Those whose result is known are told to the topic and the recorder at once.
    """
    distinct = {program.key: program for program in programs}
    if not distinct:
        return
    first_turn = _next_turn(batch, priority)
    turns = {key: first_turn + position for position, key in enumerate(distinct)}
    priorities = {key: lower.get(key, priority) for key in distinct}
    _insert_programs(distinct, turns, priorities)
    executions = _lock_executions(list(distinct))
    _revive(executions, turns, priorities)
    in_turn = sorted(executions, key=lambda execution: turns[bytes(execution.key)])
    _insert_rows(batch, in_turn)
    batch.last_turn = first_turn + len(distinct) - 1
    batch.save(update_fields=["last_turn"])
    if any(execution.state in OPEN_STATES for execution in executions):
        ring_after_commit()


def _next_turn(batch: Batch, priority: int) -> int:
    """Return the turn of the batch's next program.

    Turns are virtual time: an owner's programs follow one another, beginning with the present
    (the earliest turn that is still waiting), so that a thousand of one owner and the few of
    another alternate.
    """
    ready = Execution.objects.filter(
        state__in=(State.PENDING, State.FAILED), priority=priority
    ).order_by("priority", "vtime", "id")
    present = ready.values_list("vtime", flat=True).first() or 0
    open_batches = Batch.objects.filter(owner_id=batch.owner_id, state=BatchState.OPEN)
    owners_last = open_batches.aggregate(last=Max("last_turn"))["last"] or 0
    return max(present, owners_last) + 1


def _insert_programs(
    distinct: Mapping[bytes, PreparedProgram],
    turns: Mapping[bytes, int],
    priorities: Mapping[bytes, int],
) -> None:
    sources = {
        sha256: text for program in distinct.values() for sha256, text in program.sources.items()
    }
    keys = sorted(distinct)
    with connection.cursor() as cursor:
        cursor.execute(_INSERT_SOURCES, [list(sources), list(sources.values())])
        cursor.execute(
            _INSERT_EXECUTIONS,
            [
                keys,
                [Jsonb(distinct[key].canonical) for key in keys],
                [distinct[key].tag for key in keys],
                [priorities[key] for key in keys],
                [turns[key] for key in keys],
            ],
        )


def _lock_executions(keys: Sequence[bytes]) -> list[Execution]:
    """Lock those that may still change, in key order, and return all as they are under the lock.

    A recorder or a canceller holds the same locks: what is read here stays so until the commit.
    """
    unfinished = Execution.objects.filter(~Q(state=State.SUCCEEDED), key__in=keys).order_by("key")
    list(unfinished.select_for_update(no_key=True).values_list("id"))
    return list(Execution.objects.filter(key__in=keys).select_related("result").defer("program"))


def _revive(
    executions: Sequence[Execution], turns: Mapping[bytes, int], priorities: Mapping[bytes, int]
) -> None:
    """Make what was dropped or given up pending anew, and what waits come sooner if wanted."""
    changed = []
    for execution in executions:
        key = bytes(execution.key)
        if execution.state in {State.CANCELLED, State.IGNORED}:
            execution.state = State.PENDING
            execution.attempts, execution.due_at = 0, None
            execution.vtime, execution.priority = turns[key], priorities[key]
            changed.append(execution)
        elif execution.state in OPEN_STATES and execution.priority > priorities[key]:
            execution.priority = priorities[key]
            changed.append(execution)
    Execution.objects.bulk_update(
        changed, ["state", "attempts", "due_at", "vtime", "priority"], batch_size=500
    )


def _insert_rows(batch: Batch, executions: Sequence[Execution]) -> None:
    """Insert the tasks, each in the state of its execution, and tell what is known already."""
    by_id = {execution.pk: execution for execution in executions}
    rows: dict[str, Any] = {
        "batch": batch.pk,
        "succeeded": State.SUCCEEDED,
        "executions": list(by_id),
        "states": [execution.state for execution in executions],
    }
    with connection.cursor() as cursor:
        cursor.execute(_INSERT_TASKS, rows)
        inserted = cursor.fetchall()
    tasks = [
        (
            Waiting(task_id, batch.pk, execution_id, batch.topic_id, batch.recorder),
            by_id[execution_id],
        )
        for task_id, execution_id in inserted
    ]
    known = [
        (task, _known_ending(execution))
        for task, execution in tasks
        if execution.state == State.SUCCEEDED
    ]
    started = [
        _started_event(task, execution)
        for task, execution in tasks
        if execution.state == State.IN_PROGRESS
    ]
    append_events(started + [finished_event(task, ending, cached=True) for task, ending in known])
    tell_recorders(known)


def _started_event(task: Waiting, execution: Execution) -> NewEvent:
    payload = {
        "batch": task.batch_id,
        "task": task.task_id,
        "key": bytes(execution.key).hex(),
        "attempt": execution.attempts,
    }
    return NewEvent(task.topic_id, "task.started", payload)


def _known_ending(execution: Execution) -> Ending:
    result = execution.result
    return Ending(
        key=bytes(execution.key),
        state=State.SUCCEEDED,
        attempt=result.attempt,
        verdict=result.verdict,
        message=result.message,
        line=result.line,
        cpu_us=result.cpu_us,
        wall_us=result.wall_us,
    )
