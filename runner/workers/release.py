"""Releases executions: ends attempts without a result."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db import connection, transaction
from structlog.contextvars import bound_contextvars

from runner.batches.chains import advance_chains, in_lock_order
from runner.events.task_events import (
    ExecutionEnd,
    OpenTask,
    append_events,
    finished_event,
    notify_recorders_safely,
)
from runner.models import Attempt
from runner.states import AWAITED, FINAL_STATES, MAX_ATTEMPTS, State
from runner.telemetry.counters import counters
from runner.telemetry.families import ATTEMPTS
from runner.workers.start_events import mark_started

log = logging.getLogger(__name__)

# Delays after the first and the second failed attempt.
BACK_OFF_SECONDS = (1, 5)

_LOCK = """
    select e.id, e.key, e.attempts, e.owner_id, e.worker from runner_execution e
    join unnest(%s::bigint[], %s::bigint[], %s::bool[]) as r (id, token, lost) on r.id = e.id
    where e.token = r.token and e.state = 1 and (not r.lost or e.leased_until < now())
    order by e.key for no key update of e
"""
_RELEASE = """
    with released as materialized (
        select * from unnest(%(ids)s::bigint[], %(states)s::smallint[], %(delays)s::float8[],
            %(alone)s::bool[], %(uncounted)s::smallint[], %(outcomes)s::text[], %(errors)s::text[])
            as r (id, state, delay, alone, uncounted, outcome, error)
    ), freed as (
        update runner_execution e
        set leased_until = null,
            state = case when r.state = 4 and exists (
                select from runner_result s where s.execution_id = e.id) then 3 else r.state end,
            alone = e.alone or r.alone,
            attempts = e.attempts - r.uncounted,
            due_at = case when r.delay > 0 then now() + make_interval(secs => r.delay) end
        from released r where r.id = e.id
        returning e.id, e.attempts + r.uncounted as number, e.token, e.worker, e.claimed_at,
            r.outcome, r.error
    )
    insert into runner_attempt
        (execution_id, number, token, worker, outcome, error, started_at, ended_at)
    select id, number, token, worker, outcome, error, claimed_at, now() from freed
    on conflict (execution_id, token) do update
        set (outcome, error, ended_at) = (excluded.outcome, excluded.error, excluded.ended_at)
"""
_TASKS = f"""
    with waiting as materialized (
        select t.id, t.batch_id, t.execution_id, t.is_load_check from runner_task t
        where t.execution_id = any(%(ids)s) and {AWAITED}
        order by t.id for no key update
    ), freed as (
        update runner_task t
        set state = r.state, finished_at = case when r.state = any(%(final)s) then now() end
        from waiting w, unnest(%(ids)s::bigint[], %(states)s::smallint[]) as r (id, state)
        where t.id = w.id and r.id = t.execution_id and t.state <> r.state
    )
    select w.id, w.batch_id, w.execution_id, b.topic_id, b.recorder, w.is_load_check
    from waiting w join runner_batch b on b.id = w.batch_id
    order by w.id
"""  # noqa: S608 - constants of ours


class Release(NamedTuple):
    """The end of an attempt without a result, and how the next one is run."""

    execution_id: int
    token: int
    outcome: Attempt.Outcome
    error: str = ""
    exclusive: bool = False
    delay: float = 0

    @property
    def is_failure(self) -> bool:
        """Whether the machinery failed or the worker was lost; failures are limited."""
        return self.outcome in {Attempt.Outcome.FAILED, Attempt.Outcome.LOST}

    def state(self, attempts: int) -> State:
        """Return the execution's state after this number of attempts."""
        if self.is_failure and attempts >= MAX_ATTEMPTS:
            return State.IGNORED
        return State.FAILED if self.outcome == Attempt.Outcome.FAILED else State.PENDING

    def delay_seconds(self, attempts: int) -> float:
        """Return the delay of the next attempt."""
        if self.is_failure:
            return BACK_OFF_SECONDS[min(attempts, len(BACK_OFF_SECONDS)) - 1]
        return self.delay


class _HeldExecution(NamedTuple):
    """A locked execution, whose attempt is to be ended."""

    id: int
    key: bytes
    attempts: int
    owner_id: int | None
    worker: str


def release(releases: Sequence[Release]) -> list[int]:
    """End these attempts in a transaction; return the ids of topics to sequence.

    Skips attempts with an outdated token, and lost ones whose lease was extended meanwhile. The
    tasks of executions that are given up are published and recorded.
    """
    by_id = {released.execution_id: released for released in releases}
    return in_lock_order(lambda: by_id, lambda: _release(by_id))


def _release(by_id: Mapping[int, Release]) -> list[int]:
    with connection.cursor() as cursor:
        ended = by_id.values()
        tokens = [released.token for released in ended]
        lost = [released.outcome == Attempt.Outcome.LOST for released in ended]
        cursor.execute(_LOCK, [list(by_id), tokens, lost])
        locked = [_HeldExecution(*row) for row in cursor]
        if not locked:
            return []
        states = {held.id: by_id[held.id].state(held.attempts) for held in locked}
        # The start of failed attempts is published, however short they were.
        topic_ids = mark_started([pk for pk, state in states.items() if state != State.PENDING])
        cursor.execute(_RELEASE, _columns(by_id, locked))
        terms: dict[str, Any] = {
            "ids": list(states),
            "states": list(states.values()),
            "final": list(FINAL_STATES),
        }
        cursor.execute(_TASKS, terms)
        tasks = [OpenTask(*row) for row in cursor]
    endings = {
        held.id: ExecutionEnd(bytes(held.key), State.IGNORED, held.attempts)
        for held in locked
        if states[held.id] == State.IGNORED
    }
    given_up = [
        (task, endings[task.execution_id]) for task in tasks if task.execution_id in endings
    ]
    append_events([finished_event(task, ending) for task, ending in given_up])
    advance_chains({task.task_id: State.IGNORED for task, _ in given_up})
    notify_recorders_safely(given_up)
    transaction.on_commit(lambda: _log_released(by_id, locked, tasks))
    return sorted({*topic_ids, *(task.topic_id for task, _ in given_up)})


def _log_released(
    by_id: Mapping[int, Release], locked: Sequence[_HeldExecution], tasks: Sequence[OpenTask]
) -> None:
    """Count and log the ended attempts."""
    ended = Counter((ATTEMPTS.name, str(by_id[held.id].outcome)) for held in locked)
    counters.add(ended)
    for held in locked:
        released = by_id[held.id]
        waiting = [task for task in tasks if task.execution_id == held.id]
        with bound_contextvars(
            execution=held.id,
            attempt=held.attempts,
            worker=held.worker,
            owner=held.owner_id,
            batches=sorted({task.batch_id for task in waiting}),
            tasks=[task.task_id for task in waiting],
        ):
            level = logging.WARNING if released.is_failure else logging.INFO
            log.log(level, "attempt was %s", released.outcome.label)


def _columns(by_id: Mapping[int, Release], locked: Sequence[_HeldExecution]) -> dict[str, Any]:
    rows = [(by_id[held.id], held.attempts) for held in locked]
    return {
        "ids": [released.execution_id for released, _ in rows],
        "states": [released.state(attempts) for released, attempts in rows],
        "delays": [released.delay_seconds(attempts) for released, attempts in rows],
        "alone": [released.exclusive for released, _ in rows],
        "uncounted": [int(released.outcome == Attempt.Outcome.HANDED_BACK) for released, _ in rows],
        "outcomes": [str(released.outcome) for released, _ in rows],
        "errors": [released.error for released, _ in rows],
    }
