"""A hundred thousand tasks beside a million finished ones: whether cost per task is constant."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field

import psycopg
from django.conf import settings
from django.db import connection, transaction

from benchmarks.bare import tiny_programs
from benchmarks.costs import cpu_seconds, resident_mb
from benchmarks.machinery import await_end, scalar, workers
from benchmarks.report import Figure
from runner.batches.submission import add_tasks, mark_loaded, submit_batch
from runner.models import Batch

PAGE = 1_000
SAMPLE_SECONDS = 0.5
TENTHS = 10

# Rows as the machinery leaves them: execution, source, attempt and result per program, two events
# per task, batches of a thousand.
_FINISHED = (
    """insert into runner_source (sha256, text)
    select sha256(('source ' || i)::bytea), 'assert Add(' || i || ', 2) == ' || i + 2
    from generate_series(1, %(count)s) i""",
    """insert into runner_topic (name, epoch, first_seq, head_seq)
    select 'finished:' || i, 1, 1, 2000 from generate_series(1, %(batches)s) i""",
    """insert into runner_batch (topic_id, cause, private, recorder, request_key, request_digest,
        state, all_tasks_loaded, last_turn, created_at, finished_at)
    select id, 'a benchmark', false, '', '', '', 1, true, 0, now(), now()
    from runner_topic where name like 'finished:%%'""",
    """insert into runner_execution (key, program, tag, priority, state, token, attempts)
    select sha256(('program ' || i)::bytea), jsonb_build_object(
        'modules', jsonb_build_array(
            jsonb_build_array('Add', repeat('ab', 32), '[]'::jsonb),
            jsonb_build_array('test', encode(sha256(('source ' || i)::bytea), 'hex'),
                '["Add"]'::jsonb)),
        'entry', 'test', 'subject', 'Add', 'arguments', null, 'runtime', '1', 'limits',
        '{"cpu_ms": 2000, "wall_ms": 10000, "memory_mb": 128, "output_bytes": 65536}'::jsonb),
        'add', 0, 3, 1, 1
    from generate_series(1, %(count)s) i""",
    """insert into runner_attempt (execution_id, number, token, worker, outcome, ended_at)
    select id, 1, 1, 'worker:1', 'recorded', now() from runner_execution where state = 3""",
    """insert into runner_result (execution_id, verdict, message, module, trace, cases, log,
        truncated, loaded, cpu_us, wall_us, peak_bytes, attempt)
    select id, 'passed', '', '', '[]', '[]', '[]', false, true, 900, 1200, 9000000, 1
    from runner_execution where state = 3""",
    """insert into runner_task (batch_id, execution_id, state, executed, finished_at)
    select b.first + e.n / 1000, e.id, 3, true, now()
    from (select id, row_number() over (order by id) - 1 n from runner_execution
          where state = 3) e,
         (select min(id) as first from runner_batch where cause = 'a benchmark') b""",
    """insert into runner_event (topic_id, seq, type, payload, created_at)
    select b.topic_id, 2 * t.n + k, 'task.finished', jsonb_build_object('batch', b.id, 'task',
        t.id, 'key', encode(e.key, 'hex'), 'state', 'succeeded', 'verdict', 'passed', 'message', '',
        'line', null, 'cpu_us', 900, 'wall_us', 1200, 'attempt', 1, 'cached', false), now()
    from (select id, batch_id, execution_id,
              row_number() over (partition by batch_id order by id) - 1 n from runner_task) t
    join runner_batch b on b.id = t.batch_id join runner_execution e on e.id = t.execution_id,
    generate_series(1, 2) k""",
)


@dataclass(slots=True)
class _Costs:
    """Samples during execution: instants, CPU seconds, and the workers' memory in MB."""

    at: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    resident: list[float] = field(default_factory=list)

    def cpu_at(self, instant: float) -> float:
        """Return the CPU seconds used until an instant."""
        for place in range(1, len(self.at)):
            if self.at[place] >= instant:
                share = (instant - self.at[place - 1]) / (self.at[place] - self.at[place - 1])
                return self.cpu[place - 1] + share * (self.cpu[place] - self.cpu[place - 1])
        return self.cpu[-1]


def figures(quick: bool) -> list[Figure]:
    """Measure alone, and beside a session that holds a snapshot."""
    count, finished = (5_000, 100_000) if quick else (100_000, 1_000_000)
    for statement in _FINISHED:
        with connection.cursor() as cursor:
            cursor.execute(statement, {"count": finished, "batches": finished // PAGE})
    scalar("vacuum analyze")
    found: list[Figure] = []
    sessions: list[tuple[AbstractContextManager[None], str, str]] = [
        (nullcontext(), "", "<= 1.15"),
        (_held_snapshot(), "_held_snapshot", "<= 1.4"),
    ]
    for number, (holding, suffix, goal) in enumerate(sessions):
        batch = _load(range(number * count, (number + 1) * count))
        with holding, workers() as started:
            pids = [worker.pid for worker in started]
            with _sampled(pids) as costs:
                await_end(batch)
        wall, cpu = _tenths(batch, costs)
        found += [
            Figure(f"last_over_second_tenth{suffix}", wall[-1] / wall[1], "times", goal),
            Figure(f"last_over_second_tenth{suffix}_cpu", cpu[-1] / cpu[1], "times"),
            Figure(f"tasks_per_second{suffix}", count / sum(wall), "1/s"),
            Figure(f"worker_mb_at_second_tenth{suffix}", costs.resident[len(costs.at) // 10], "MB"),
            Figure(f"worker_mb_at_end{suffix}", costs.resident[-1], "MB"),
        ]
    return found


def _load(numbers: range) -> Batch:
    """Load a batch while no worker runs."""
    with transaction.atomic():
        batch = submit_batch(topic="bench:1", cause="a benchmark", programs=[], loaded=False)
    for first in range(numbers.start, numbers.stop, PAGE):
        with transaction.atomic():
            add_tasks(batch, tiny_programs(range(first, first + PAGE)))
    mark_loaded(batch)
    return batch


def _tenths(batch: Batch, costs: _Costs) -> tuple[list[float], list[float]]:
    """Return the seconds and the CPU seconds of each tenth of the tasks."""
    ends = [
        scalar(
            "select extract(epoch from finished_at) from runner_task where batch_id = %s"
            " order by finished_at offset greatest(0, %s * (select count(*) from runner_task"
            " where batch_id = %s) / %s - 1) limit 1",
            *(batch.pk, tenth, batch.pk, TENTHS),
        )
        for tenth in range(TENTHS + 1)
    ]
    instants = [float(end) for end in ends]
    used = [costs.cpu_at(instant) for instant in instants]
    return _steps(instants), _steps(used)


def _steps(values: Sequence[float]) -> list[float]:
    return [after - before for before, after in itertools.pairwise(values)]


@contextmanager
def _sampled(pids: Sequence[int]) -> Iterator[_Costs]:
    """Sample the costs of the workers and the database in a thread."""
    data = settings.EMBEDDED.postgres_folder / "postmaster.pid"
    database = int(data.read_text(encoding="ascii").split("\n", 1)[0])
    costs, ended = _Costs(), threading.Event()

    def sample() -> None:
        while not ended.wait(SAMPLE_SECONDS):
            costs.at.append(time.time())
            costs.cpu.append(cpu_seconds([*pids, database]))
            costs.resident.append(resident_mb(pids))

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield costs
    finally:
        ended.set()
        thread.join()


@contextmanager
def _held_snapshot() -> Iterator[None]:
    """Hold a snapshot of the database in another session."""
    with psycopg.connect(os.environ["DATABASE_URL"]) as other:
        other.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        other.execute("select count(*) from runner_topic")
        yield
