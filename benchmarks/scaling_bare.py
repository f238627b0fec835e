"""The yardstick: the writes that no design can avoid, by one session, 32 tasks at a time.

A claim and, in a second transaction, the result, the end of the task and its event. Each table has
its primary key and no other index.
"""

from __future__ import annotations

from typing import Any

from benchmarks.scaling_counters import Counters, per_task

CHUNK = 32
_TABLES = """
    create table bare_task (id bigint primary key, state int, worker text, finished_at timestamptz);
    create table bare_result (task_id bigint primary key, verdict text, message text, log jsonb,
        cpu_us bigint, wall_us bigint, peak_bytes bigint, created_at timestamptz);
    create table bare_event (topic_id bigint, seq bigint, type text, payload jsonb,
        created_at timestamptz, primary key (topic_id, seq));
"""
_LOAD = "insert into bare_task select i, 0, null, null from generate_series(1, %s) i"
_CLAIM = "update bare_task set state = 1, worker = 'one' where id = any(%s)"
_RECORD = (
    """insert into bare_result
    select i, 'passed', '', '[]', 900, 1200, 9000000, now() from unnest(%s::bigint[]) i""",
    "update bare_task set state = 3, finished_at = now() where id = any(%s)",
    """insert into bare_event
    select 1, i, 'task.finished', jsonb_build_object('batch', 1, 'task', i, 'key',
        repeat('ab', 32), 'state', 'succeeded', 'verdict', 'passed', 'message', '', 'line', null,
        'cpu_us', 900, 'wall_us', 1200, 'attempt', 1, 'cached', false), now()
    from unnest(%s::bigint[]) i""",
)


def measure_bare(counters: Counters, tasks: int) -> dict[str, Any]:
    """Return what each task costs."""
    database = counters.database
    database.execute(_TABLES)
    database.execute(_LOAD, [tasks])
    before = counters.snapshot()
    for first in range(1, tasks + 1, CHUNK):
        ids = list(range(first, min(first + CHUNK, tasks + 1)))
        database.execute(_CLAIM, [ids])
        with database.transaction():
            for statement in _RECORD:
                database.execute(statement, [ids])
    after = counters.snapshot()
    return {**per_task(before, after, tasks), "per_second": tasks / (after.at - before.at)}
