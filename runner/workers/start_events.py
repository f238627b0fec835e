"""Publishes the start of runs.

Only of runs that last a moment: shorter ones go from pending to their result without an event,
because nobody could have seen them running.
"""

from collections.abc import Sequence

from django.db import connection

# The executions are locked, so the set of tasks waiting for them can't change. (`+ 0` as in
# `states.AWAITED`.)
_START = """
    with waiting as materialized (
        select t.id from runner_task t
        where t.execution_id = any(%(executions)s) and t.state + 0 in (0, 2)
        order by t.id for no key update
    ), started as (
        update runner_task t set state = 1 where t.id = any(array(select id from waiting))
        returning t.id, t.batch_id, t.execution_id, t.is_load_check
    ), running as materialized (
        select e.id, e.key, e.attempts, e.token, e.worker, e.claimed_at from runner_execution e
        where e.id = any(%(executions)s)
    ), tried as (
        insert into runner_attempt (execution_id, number, token, worker, started_at)
        select id, attempts, token, worker, claimed_at from running
        on conflict (execution_id, token) do nothing
    ), published as (
        insert into runner_outboxevent (topic_id, events)
        select b.topic_id, jsonb_agg(
            jsonb_build_array('task.started', jsonb_build_object(
                'batch', s.batch_id, 'task', s.id,
                'key', encode(r.key, 'hex'), 'attempt', r.attempts,
                'load_check', s.is_load_check))
            order by array_position(%(executions)s::bigint[], r.id), s.id)
        from started s
        join runner_batch b on b.id = s.batch_id
        join running r on r.id = s.execution_id
        group by b.topic_id
        returning topic_id
    )
    select topic_id from published
"""


def mark_started(execution_ids: Sequence[int]) -> list[int]:
    """Mark these locked, running executions and their tasks as started.

    Returns the ids of topics to sequence.
    """
    if not execution_ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_START, {"executions": list(execution_ids)})
        return [topic_id for (topic_id,) in cursor]
