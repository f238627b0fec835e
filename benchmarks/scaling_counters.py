"""What PostgreSQL, Valkey and the processes have used between two instants."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, LiteralString, NamedTuple

import psycopg
import redis

from benchmarks.costs import cpu_seconds

SAMPLE_SECONDS = 0.1
# By a part of the statement, the first that fits.
STATEMENTS = (
    ("with nearest", "claim"),
    ("with held", "extend leases"),
    ("as r (id, token)", "lock executions"),
    ("with outcomes", "record results"),
    ("with waiting", "finish tasks"),
    ("with moved", "number events"),
    ("functions_cell", "cells"),
    ("functions_", "elections"),
    ("pg_advisory", "elections"),
    ("runner_followup", "follow-ups"),
    ("runner_outboxevent", "other events"),
    ("runner_batch", "batches"),
    ("runner_topic", "lock topics"),
    ("runner_source", "read sources"),
    ("runner_execution", "other executions"),
)
_WAITS = """
    select case when state <> 'active' then 'idle in transaction'
        when wait_event_type is null then 'computing'
        when wait_event_type = 'Lock' then 'lock: ' || coalesce(relation::text, wait_event)
        else wait_event end, count(*)
    from pg_stat_activity a left join lateral (
        -- The first of those that wait for a row holds a lock on it, the others wait for that.
        select l.relation::regclass from pg_locks l
        where a.wait_event_type = 'Lock' and l.pid = a.pid and l.locktype = 'tuple' limit 1
    ) l on true
    where backend_type = 'client backend' and pid <> pg_backend_pid()
        and state in ('active', 'idle in transaction') group by 1
"""
_TABLES = """
    select relname, n_tup_ins, n_tup_upd, n_tup_hot_upd, n_tup_del from pg_stat_user_tables
"""
_SERVER = """
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint, wal_records, wal_fpi,
        (select xact_commit from pg_stat_database where datname = current_database())
    from pg_stat_wal
"""
_CALLS = "select query, calls, total_exec_time from pg_stat_statements"
_FINISHED = """
    select count(*) from runner_task
    where finished_at >= to_timestamp(%s) and finished_at < to_timestamp(%s)
"""


class Server(NamedTuple):
    """Counters of the whole server."""

    wal_bytes: int
    wal_records: int
    wal_full_pages: int
    commits: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All counters at one instant."""

    at: float
    cpu: Mapping[str, float]
    server: Server
    tables: Mapping[str, tuple[int, ...]]
    statements: Mapping[str, tuple[int, float]]
    valkey_calls: int


class Counters:
    """Reads the counters of one private site by connections of its own."""

    def __init__(self, pids: Mapping[str, int], database_url: str) -> None:
        self.pids = dict(pids)
        self.database = psycopg.connect(database_url, autocommit=True)
        self._valkey = redis.Redis.from_url(os.environ["REDIS_URL"])

    def snapshot(self) -> Snapshot:
        """Read all counters now."""
        calls: Counter[str] = Counter()
        spent: Counter[str] = Counter()
        for query, number, milliseconds in self._rows(_CALLS):
            kind = kind_of(query)
            calls[kind] += number
            spent[kind] += milliseconds
        commands: Any = self._valkey.info("commandstats")
        return Snapshot(
            at=time.time(),
            cpu={
                **{name: cpu_seconds([pid]) for name, pid in self.pids.items()},
                "machine": _busy_seconds(),
            },
            server=Server(*self._rows(_SERVER)[0]),
            tables={name: tuple(rest) for name, *rest in self._rows(_TABLES)},
            statements={kind: (calls[kind], spent[kind]) for kind in calls},
            valkey_calls=sum(one["calls"] for one in commands.values()),
        )

    def finished(self, before: Snapshot, after: Snapshot) -> int:
        """Return how many tasks have ended in between."""
        return int(self.database.execute(_FINISHED, [before.at, after.at]).fetchone()[0])  # type: ignore[index]

    def scalar(self, statement: LiteralString) -> Any:
        """Return the first column of the first row."""
        return self._rows(statement)[0][0]

    @contextmanager
    def sampled_waits(self) -> Iterator[dict[str, float]]:
        """Sample what sessions do; at the end, fill in the average number of each."""
        averages: dict[str, float] = {}
        seen: Counter[str] = Counter()
        ended = threading.Event()
        rounds = 0

        def sample() -> None:
            nonlocal rounds
            with psycopg.connect(self.database.info.dsn, autocommit=True) as database:
                while not ended.wait(SAMPLE_SECONDS):
                    rounds += 1
                    seen.update(dict(database.execute(_WAITS).fetchall()))

        thread = threading.Thread(target=sample)
        thread.start()
        try:
            yield averages
        finally:
            ended.set()
            thread.join()
            averages |= {event: number / max(1, rounds) for event, number in seen.items()}

    def _rows(self, statement: LiteralString) -> list[tuple[Any, ...]]:
        return self.database.execute(statement).fetchall()


def kind_of(query: str) -> str:
    """Return what a statement is for."""
    words = " ".join(query.lower().replace('"', "").split())
    return next((kind for part, kind in STATEMENTS if part in words), "other")


def per_task(before: Snapshot, after: Snapshot, tasks: int) -> dict[str, Any]:
    """Return what each task has cost, in milliseconds of CPU time, bytes, rows and calls."""
    cpu = {name: after.cpu[name] - before.cpu[name] for name in before.cpu}
    server = [late - early for early, late in zip(before.server, after.server, strict=True)]
    tables = {
        name: [
            (late - early) / tasks
            for early, late in zip(before.tables.get(name, (0,) * 4), counts, strict=True)
        ]
        for name, counts in after.tables.items()
    }
    statements = {}
    for kind, (calls, spent) in after.statements.items():
        earlier_calls, earlier_spent = before.statements.get(kind, (0, 0.0))
        statements[kind] = [(calls - earlier_calls) / tasks, (spent - earlier_spent) / tasks]
    return {
        "cpu_ms": {name: 1_000 * seconds / tasks for name, seconds in cpu.items()},
        **{name: number / tasks for name, number in zip(Server._fields, server, strict=True)},
        "tables": {name: rows for name, rows in tables.items() if sum(rows) >= 0.005},
        "statements": statements,
        "valkey_calls": (after.valkey_calls - before.valkey_calls) / tasks,
    }


def _busy_seconds() -> float:
    """Return the CPU time that all processes of the machine have used."""
    fields = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    user, nice, system, _, _, interrupts, soft, *_ = map(int, fields)
    return (user + nice + system + interrupts + soft) / os.sysconf("SC_CLK_TCK")
