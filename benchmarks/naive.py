"""The naive design: a job per test, a fork per job, a fresh Python per run.

As safe as ours: every run has its own zygote with all layers and the whole policy. As durable as
ours: every result is a row committed to the same PostgreSQL. Its workers (`work`) are RQ's default
ones, with all needed modules loaded.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
from psycopg.types.json import Jsonb
from redis import Redis
from rq import Queue, Worker

from runner.programs.program import build_program
from runner.sandbox import Pool, Program

QUEUE = "naive"
LOOK_SECONDS = 0.002
TIMEOUT_SECONDS = 120.0

TABLE = """
    create table if not exists naive_result (
        round integer, key bytea, verdict text, message text, log jsonb, cpu_us bigint,
        wall_us bigint, primary key (round, key)
    )
"""
INSERT = "insert into naive_result values (%s, %s, %s, %s, %s, %s, %s)"


def read_program(connection: psycopg.Connection[Any], key: bytes) -> Program:
    """Return the program stored under this key."""
    row = connection.execute(
        "select program from runner_execution where key = %s", [key]
    ).fetchone()
    if row is None:
        raise KeyError(key.hex())
    canonical: Mapping[str, Any] = row[0]
    hashes = [bytes.fromhex(sha256) for _, sha256, _ in canonical["modules"]]
    sources = connection.execute(
        "select encode(sha256, 'hex'), text from runner_source where sha256 = any(%s)", [hashes]
    ).fetchall()
    return build_program(key, canonical, dict(sources))


def run_test(number: int, key: str) -> None:
    """Run one program in a new sandbox and store its result: one job."""
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        program = read_program(connection, bytes.fromhex(key))
        with Pool(1) as pool:
            outcome = pool.run(program)
        log = Jsonb([[line.ms, line.stream, line.text] for line in outcome.log])
        values = (outcome.verdict, outcome.message, log, outcome.cpu_us, outcome.wall_us)
        connection.execute(INSERT, [number, bytes.fromhex(key), *values])


def publish(
    queue: Queue, connection: psycopg.Connection[Any], number: int, keys: Sequence[bytes]
) -> float:
    """Enqueue a job for each program and wait for all results; return the seconds taken."""
    started = time.perf_counter()
    for key in keys:
        queue.enqueue(run_test, number, key.hex())
    while _results(connection, number) < len(keys):
        if time.perf_counter() - started > TIMEOUT_SECONDS:
            raise TimeoutError(f"round {number} of the naive design has not ended")
        time.sleep(LOOK_SECONDS)
    return time.perf_counter() - started


def _results(connection: psycopg.Connection[Any], number: int) -> int:
    row = connection.execute(
        "select count(*) from naive_result where round = %s", [number]
    ).fetchone()
    return int(row[0]) if row else 0


def open_queue(redis_url: str) -> Queue:
    """Return the queue of the naive workers."""
    return Queue(QUEUE, connection=Redis.from_url(redis_url))


def work() -> None:
    """Serve the queue until terminated."""
    queue = open_queue(os.environ["REDIS_URL"])
    Worker([queue], connection=queue.connection).work(logging_level="WARNING")
