"""Records outcomes: stores them as results, and finishes all tasks that wait for them.

Many runs share one transaction, fenced by tokens: late outcomes of a worker that was presumed dead
are ignored. A program whose rerun has another verdict is flaky from then on.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection, transaction
from psycopg.types.json import Jsonb

from runner.batches.chains import advance_chains, in_lock_order
from runner.events.task_events import (
    ExecutionEnd,
    NewEvent,
    OpenTask,
    append_events,
    finished_event,
    notify_recorders,
)
from runner.models import Attempt
from runner.programs.storable import storable
from runner.quotas import CPU, RUNS, TODAY
from runner.registry import payer_of
from runner.sandbox import LogLine, Outcome
from runner.states import AWAITED, State
from runner.telemetry.counters import counters
from runner.telemetry.families import ATTEMPTS, VERDICTS
from runner.workers.claims import Claim
from runner.workers.start_events import mark_started

# `leased_until` instead of `state`, because the index of states is full of dead rows of ended
# executions. Rows are selected by id, because a join alone would read all of a small table.
_LOCK = """
    select e.id from runner_execution e
    join unnest(%(ids)s::bigint[], %(tokens)s::bigint[]) as r (id, token) on r.id = e.id
    where e.id = any(%(ids)s) and e.token = r.token and e.leased_until is not null
    order by e.key for no key update of e
"""
WORKER_SLOTS = 31
_RECORD = """
    with outcomes as materialized (
        select * from jsonb_to_recordset(%s) as o (
            execution_id bigint, token bigint, attempt smallint, verdict text, message text,
            module text, line int, trace jsonb, cases jsonb, log jsonb, truncated bool,
            loaded bool, value jsonb, cpu_us bigint, wall_us bigint, peak_bytes bigint)
    ), stored as (
        insert into runner_result (execution_id, token, attempt, verdict, message, module, line,
            trace, cases, log, truncated, loaded, value, cpu_us, wall_us, peak_bytes)
        select execution_id, token, attempt, verdict, message, module, line,
            trace, cases, log, truncated, loaded, value, cpu_us, wall_us, peak_bytes
        from outcomes
        on conflict (execution_id) do update set (token, attempt, verdict, message, module, line,
            trace, cases, log, truncated, loaded, value, cpu_us, wall_us, peak_bytes,
            created_at) = (
            excluded.token, excluded.attempt,
            case when runner_result.verdict = excluded.verdict then excluded.verdict
                else 'flaky' end,
            case when runner_result.verdict = excluded.verdict then excluded.message
                else 'its runs disagree: ' || case when runner_result.verdict = 'flaky'
                    then 'the last ' else runner_result.verdict || ' before, now ' end
                    || excluded.verdict
                    || case when excluded.message = '' then '' else ': ' || excluded.message end
                end,
            excluded.module, excluded.line, excluded.trace, excluded.cases, excluded.log,
            excluded.truncated, excluded.loaded, excluded.value, excluded.cpu_us,
            excluded.wall_us, excluded.peak_bytes, now())
        returning execution_id, verdict, message
    ), ended as (
        update runner_execution e set state = 3, leased_until = null
        where e.id = any(array(select execution_id from outcomes))
        returning e.id, e.attempts, e.token, e.worker, e.claimed_at
    ), tried as (
        insert into runner_attempt
            (execution_id, number, token, worker, outcome, started_at, ended_at)
        select id, attempts, token, worker, 'recorded', claimed_at, now() from ended
        on conflict (execution_id, token) do update
            set (outcome, ended_at) = (excluded.outcome, excluded.ended_at)
    )
    select execution_id, verdict, message from stored
"""
# Charged to the account for which a program became pending, once for each accepted outcome. Workers
# that share a slot wait for each other's commit, so this is the last statement before it.
_CHARGE = f"""
    insert into runner_resourceuse as u (user_id, day, resource, slot, amount)
    select e.owner_id, {TODAY}, r.resource, 1 + pg_backend_pid() %% {WORKER_SLOTS}, sum(r.amount)
    from unnest(%(ids)s::bigint[], %(cpu_us)s::bigint[]) as o (execution_id, cpu_us)
    join runner_execution e on e.id = o.execution_id
    cross join lateral (values ('{CPU.name}', o.cpu_us), ('{RUNS.name}', 1))
        as r (resource, amount)
    where e.id = any(%(ids)s) and e.owner_id is not null
    group by e.owner_id, r.resource order by e.owner_id, r.resource
    on conflict (user_id, day, resource, slot) do update set amount = u.amount + excluded.amount
"""  # noqa: S608 - constants of ours
# Counted for accounts for which others are charged, too: what their own batches executed.
_CHARGE_OWN = f"""
    insert into runner_resourceuse as u (user_id, day, resource, slot, amount)
    select n.user_id, {TODAY}, r.resource, 1 + pg_backend_pid() %% {WORKER_SLOTS}, sum(r.amount)
    from unnest(%(users)s::int[], %(cpu_us)s::bigint[]) as n (user_id, cpu_us)
    cross join lateral (values ('{CPU.name}', n.cpu_us), ('{RUNS.name}', 1))
        as r (resource, amount)
    group by n.user_id, r.resource order by n.user_id, r.resource
    on conflict (user_id, day, resource, slot) do update set amount = u.amount + excluded.amount
"""  # noqa: S608 - constants of ours
_FINISH_TASKS = f"""
    with waiting as materialized (
        select t.id from runner_task t
        where t.execution_id = any(%s) and {AWAITED}
        order by t.id for no key update
    ), finished as (
        update runner_task t set state = 3, executed = true, finished_at = now()
        where t.id = any(array(select id from waiting))
        returning t.id, t.batch_id, t.execution_id, t.is_load_check
    )
    select f.id, f.batch_id, f.execution_id, b.topic_id, b.recorder, f.is_load_check,
        (select s.id from runner_task s
            where s.predecessor_id = f.id and s.state + 0 = 6 limit 1) is not null,
        b.owner_id
    from finished f join runner_batch b on b.id = f.batch_id
    order by f.id
"""  # noqa: S608 - constants of ours
_TOPICS_WAITING = f"""
    select distinct t.execution_id, b.topic_id from runner_task t
    join runner_batch b on b.id = t.batch_id
    where t.execution_id = any(%s) and {AWAITED}
    order by t.execution_id, b.topic_id
"""  # noqa: S608


@dataclass(slots=True)
class Run:
    """A claimed program that is being run, its output, and how much of that is published."""

    claim: Claim
    lines: list[LogLine] = field(default_factory=list)
    sent_lines: dict[int, int] = field(default_factory=dict)  # number of lines, by topic id
    is_lost: bool = False  # no longer this worker's: nothing more is written

    def output_event(self, topic_id: int, lines: Sequence[LogLine]) -> NewEvent | None:
        """Return the event with the topic's unpublished lines; None if there are none."""
        first = self.sent_lines.get(topic_id, 0)
        if first >= len(lines):
            return None
        payload = {
            "key": self.claim.key.hex(),
            "attempt": self.claim.attempt,
            "run": self.claim.token,
            "first": first,
            "lines": _log_rows(lines[first:]),
        }
        return NewEvent(topic_id, "task.output", payload)


def record(outcomes: Sequence[tuple[Run, Outcome]]) -> list[int]:
    """Record these outcomes; return the ids of topics to sequence. Raises recorders' errors."""
    return in_lock_order(
        lambda: [run.claim.execution_id for run, _ in outcomes], lambda: _record(outcomes)
    )


def _record(outcomes: Sequence[tuple[Run, Outcome]]) -> list[int]:
    held = _lock([run for run, _ in outcomes])
    accepted = {
        run.claim.execution_id: (run, outcome)
        for run, outcome in outcomes
        if run.claim.execution_id in held
    }
    if not accepted:
        return []
    with connection.cursor() as cursor:
        rows: Any = Jsonb([_row(run.claim, outcome) for run, outcome in accepted.values()])
        cursor.execute(_RECORD, [rows])
        stored = {
            execution_id: verdict_and_message for execution_id, *verdict_and_message in cursor
        }
        cursor.execute(_FINISH_TASKS, [list(accepted)])
        finished = [(OpenTask(*row[:-2]), *row[-2:]) for row in cursor]
    tasks = [task for task, _, _ in finished]
    endings = {
        execution_id: _execution_end(run, outcome, *stored[execution_id])
        for execution_id, (run, outcome) in accepted.items()
    }
    append_events(_events(accepted, tasks, endings))
    advance_chains(
        {task.task_id: State.SUCCEEDED for task, has_successors, _ in finished if has_successors}
    )
    notify_recorders([(task, endings[task.execution_id]) for task in tasks])
    _charge(accepted, {(task.execution_id, owner_id) for task, _, owner_id in finished})
    transaction.on_commit(lambda: _count(accepted))
    return sorted({task.topic_id for task in tasks})


def _charge(
    accepted: Mapping[int, tuple[Run, Outcome]], awaited: Collection[tuple[int, int | None]]
) -> None:
    """Charge the payers, and count it for the accounts whose batches awaited it on their behalf."""
    own = []
    for execution_id, owner_id in awaited:
        run, outcome = accepted[execution_id]
        if owner_id is None:
            continue
        if owner_id != run.claim.owner_id and payer_of(owner_id) == run.claim.owner_id:
            own.append((owner_id, outcome.cpu_us))
    cpu_us = [outcome.cpu_us for _, outcome in accepted.values()]
    with connection.cursor() as cursor:
        if own:
            users, seconds = zip(*own, strict=True)
            cursor.execute(_CHARGE_OWN, {"users": list(users), "cpu_us": list(seconds)})
        cursor.execute(_CHARGE, {"ids": list(accepted), "cpu_us": cpu_us})


def _count(accepted: Mapping[int, tuple[Run, Outcome]]) -> None:
    verdicts = Counter((VERDICTS.name, str(outcome.verdict)) for _, outcome in accepted.values())
    counters.add({**verdicts, (ATTEMPTS.name, Attempt.Outcome.RECORDED): len(accepted)})


def publish_started(runs: Sequence[Run]) -> list[int]:
    """Publish the start of these runs; return the ids of topics to sequence."""
    with transaction.atomic():
        return mark_started(sorted(_lock(runs)))


def publish_output(runs: Sequence[Run]) -> list[int]:
    """Publish new output to the topics that wait for these runs; return their ids."""
    with transaction.atomic():
        held = _lock(runs)
        output = {
            run.claim.execution_id: (run, list(run.lines))
            for run in runs
            if run.claim.execution_id in held
        }
        with connection.cursor() as cursor:
            cursor.execute(_TOPICS_WAITING, [list(output)])
            waiting = [(*output[execution_id], topic_id) for execution_id, topic_id in cursor]
        events = [run.output_event(topic_id, lines) for run, lines, topic_id in waiting]
        append_events([event for event in events if event])
    for run, lines, topic_id in waiting:
        run.sent_lines[topic_id] = len(lines)
    return sorted({topic_id for _, _, topic_id in waiting})


def _lock(runs: Sequence[Run]) -> set[int]:
    """Lock the executions that these runs still hold, in key order; return their ids."""
    terms: dict[str, Any] = {
        "ids": [run.claim.execution_id for run in runs],
        "tokens": [run.claim.token for run in runs],
    }
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, terms)
        return {execution_id for (execution_id,) in cursor}


def _row(claim: Claim, outcome: Outcome) -> dict[str, Any]:
    return {
        "execution_id": claim.execution_id,
        "token": claim.token,
        "attempt": claim.attempt,
        **_result_fields(outcome),
    }


def _execution_end(run: Run, outcome: Outcome, verdict: str, message: str) -> ExecutionEnd:
    return ExecutionEnd(
        key=run.claim.key,
        state=State.SUCCEEDED,
        attempt=run.claim.attempt,
        verdict=verdict,
        message=message,
        line=outcome.line,
        cpu_us=outcome.cpu_us,
        wall_us=outcome.wall_us,
    )


def _events(
    accepted: Mapping[int, tuple[Run, Outcome]],
    tasks: Sequence[OpenTask],
    endings: Mapping[int, ExecutionEnd],
) -> list[NewEvent]:
    """Return each run's remaining output, once per topic, then the ends of its tasks."""
    tasks_of: dict[int, list[OpenTask]] = defaultdict(list)
    for task in tasks:
        tasks_of[task.execution_id].append(task)
    events: list[NewEvent] = []
    for execution_id, (run, outcome) in accepted.items():
        waiting = tasks_of[execution_id]
        topic_ids = sorted({task.topic_id for task in waiting})
        output = [run.output_event(topic_id, outcome.log) for topic_id in topic_ids]
        events += [event for event in output if event]
        events += [finished_event(task, endings[execution_id]) for task in waiting]
    return events


def _log_rows(lines: Sequence[LogLine]) -> list[list[Any]]:
    """Return log lines in the form of results and events: [ms, stream, text]."""
    return [[round(line.ms, 1), line.stream, storable(line.text)] for line in lines]


def _result_fields(outcome: Outcome) -> dict[str, Any]:
    """Return the columns of the result row."""
    return {
        "verdict": str(outcome.verdict),
        "message": storable(outcome.message),
        "module": storable(outcome.module or ""),
        "line": outcome.line,
        "trace": storable(outcome.trace),
        "cases": [
            [storable(case.name), str(case.verdict), storable(case.message), case.line]
            for case in outcome.cases
        ],
        "log": _log_rows(outcome.log),
        "truncated": outcome.truncated,
        "loaded": outcome.loaded,
        "value": storable(outcome.value),
        "cpu_us": outcome.cpu_us,
        "wall_us": outcome.wall_us,
        "peak_bytes": outcome.peak_bytes,
    }
