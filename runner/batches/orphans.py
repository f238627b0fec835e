"""Cancels executions that no open task is waiting for."""

from collections.abc import Sequence

from django.db import connection, transaction

from runner.models import Attempt
from runner.states import AWAITED
from runner.telemetry.counters import count
from runner.telemetry.families import ATTEMPTS

# The token is raised, so the worker's next heartbeat notices and kills the run. An execution that
# was to be rerun keeps its former result. An execution with waiting tasks only stays waiting until
# the first of them is ready.
_CANCEL = f"""
    with leased as materialized (
        select e.id, e.attempts, e.token, e.worker, e.claimed_at from runner_execution e
        where e.id = any(%(executions)s) and e.state = 1
    ), dropped as (
        update runner_execution e
        set token = e.token + 1, leased_until = null, due_at = null,
            state = case when exists (select from runner_result r where r.execution_id = e.id)
                then 3 else 5 end
        where e.id = any(%(executions)s) and e.state in (0, 1, 2, 6)
          and not exists (select from runner_task t
                          where t.execution_id = e.id and {AWAITED})
          and not (e.state = 6 and exists (select from runner_task t
                                           where t.execution_id = e.id and t.state + 0 = 6))
        returning e.id
    )
    insert into runner_attempt
        (execution_id, number, token, worker, outcome, started_at, ended_at)
    select l.id, l.attempts, l.token, l.worker, 'cancelled', l.claimed_at, now()
    from leased l join dropped d on d.id = l.id
    on conflict (execution_id, token) do update
        set (outcome, ended_at) = (excluded.outcome, excluded.ended_at)
"""  # noqa: S608 - constants of ours


def cancel_orphans(execution_ids: Sequence[int]) -> None:
    """Cancel those of these locked executions that no open task is waiting for."""
    if execution_ids:
        with connection.cursor() as cursor:
            cursor.execute(_CANCEL, {"executions": list(execution_ids)})
            if stopped := cursor.rowcount:  # attempts that were under way
                transaction.on_commit(
                    lambda: count(ATTEMPTS, Attempt.Outcome.CANCELLED, by=stopped)
                )
