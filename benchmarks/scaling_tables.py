"""Sizes of the tables per task, and what removing old rows costs: by deletes or by partition."""

from __future__ import annotations

import time
from typing import Any

import psycopg

from benchmarks.scaling_counters import Counters

DAYS = 8  # the partitions of events: seven days that are kept, and one that is removed
READS = 300
_SIZES = """
    select relname, n_live_tup, pg_table_size(relid), pg_indexes_size(relid)
    from pg_stat_user_tables where pg_table_size(relid) > 0
"""
_TASKS = "select count(*) from runner_task"
# The same events, in one table and in a partition for each day.
_EVENTS = """
    create table whole_event (like runner_event including all);
    create table parted_event (like runner_event) partition by range (created_at);
    create unique index on parted_event (topic_id, seq, created_at);
    create unique index on parted_event (id, created_at)
"""
_PARTITION = """
    create table parted_event_{day} partition of parted_event
    for values from (now() - interval '{first} days') to (now() - interval '{last} days')
"""
_COPY = """
    insert into {table} (id, topic_id, seq, type, payload, created_at)
    select id, topic_id, seq, type, payload, now() - interval '{days} days'
        + interval '{days} days -10 minutes' * (id::float8 / (select max(id) from runner_event))
    from runner_event
"""
_REMOVE_OLDEST = """
    delete from whole_event where created_at < now() - interval '7 days'; vacuum whole_event
"""
_READ = "select payload from {table} where topic_id = %s and seq > %s order by seq limit 100"


def measure_tables(counters: Counters) -> dict[str, Any]:
    """Return bytes per task of each table, and the costs of keeping a week of events."""
    tasks = counters.scalar(_TASKS)
    database = counters.database
    database.execute("vacuum analyze")
    sizes = {
        name: {"rows": rows / tasks, "heap": heap / tasks, "indexes": indexes / tasks}
        for name, rows, heap, indexes in database.execute(_SIZES).fetchall()
    }
    return {"tasks": tasks, "bytes": sizes, "events": _compare(counters, database)}


def _compare(counters: Counters, database: psycopg.Connection[Any]) -> dict[str, Any]:
    """Insert, read and remove the same events in one table and in partitions."""
    database.execute(_EVENTS)
    for day in range(DAYS):
        database.execute(_PARTITION.format(day=day, first=DAYS - day, last=DAYS - day - 1))
    rows = database.execute("select count(*) from runner_event").fetchone()
    found: dict[str, Any] = {"rows": rows[0] if rows else 0}
    for table, removal in (
        ("whole_event", _REMOVE_OLDEST),
        ("parted_event", "drop table parted_event_0"),
    ):
        found[table] = {
            "insert": _cost(counters, database, _COPY.format(table=table, days=DAYS)),
            "read_ms": _read_ms(database, table),
            "removal": _cost(counters, database, removal),
        }
    return found


def _cost(counters: Counters, database: psycopg.Connection[Any], statements: str) -> dict[str, Any]:
    before = counters.snapshot()
    for statement in statements.split(";"):
        database.execute(statement)
    after = counters.snapshot()
    return {
        "ms": 1_000 * (after.at - before.at),
        "cpu_ms": 1_000 * (after.cpu["postgres"] - before.cpu["postgres"]),
        "wal_bytes": after.server.wal_bytes - before.server.wal_bytes,
    }


def _read_ms(database: psycopg.Connection[Any], table: str) -> float:
    """Return the milliseconds of reading the end of a topic, as a socket does."""
    topics = database.execute(
        "select id, head_seq from runner_topic where head_seq > 0 order by id limit %s", [READS]
    ).fetchall()
    statement = _READ.format(table=table)
    database.execute(f"analyze {table}")
    began = time.perf_counter()
    for topic_id, head_seq in topics:
        database.execute(statement, [topic_id, max(0, head_seq - 30)])
    return 1_000 * (time.perf_counter() - began) / max(1, len(topics))
