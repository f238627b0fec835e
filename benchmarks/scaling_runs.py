"""One measurement for each number of workers, and of submission and a bare loop of writes.

Each run begins with a copy of the same database, which is full of work. Needs Django set up with
the environment of a private site.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import psycopg
import redis
from django.db import connection

from benchmarks.scaling_bare import measure_bare
from benchmarks.scaling_counters import Counters, per_task
from benchmarks.scaling_load import Publications
from benchmarks.scaling_tables import measure_tables
from benchmarks.scaling_workers import instant_workers

SLEEPS_MS = (20, 0)
# In the order of measurement; the last are left out on a machine so slow or busy that time is up.
COUNTS, QUICK_COUNTS = (1, 64, 4, 16, 2, 8, 32), (1, 4, 16)
LONGEST_SECONDS = 1_000.0
SECONDS, QUICK_SECONDS = 4.0, 3.0
SUBMITTED, TASKS, QUICK_TASKS = 2_000, 50_000, 6_000
SETTLE_SECONDS = 2.0  # after all workers have begun
START_TIMEOUT_SECONDS = 25.0
POLL_SECONDS = 0.25
LEAST_READY_SHARE = 0.1  # a run ends early rather than that workers wait for work
DRAINING = 4  # workers
_OPEN = "select exists (select from runner_batch where state = 0)"
_BUSY_WORKERS = "select array_agg(distinct worker) from runner_execution where state = 1"
_READY = "select count(*) from runner_execution where state = 0"


class Site:
    """A private site's engines, and copies of its database."""

    def __init__(self, pids: Mapping[str, int]) -> None:
        self._pids = pids
        self._url = os.environ["DATABASE_URL"]

    def counters(self) -> Counters:
        """Return the counters of the original."""
        return Counters(self._pids, self._url)

    @contextmanager
    def copy(self) -> Iterator[tuple[str, Counters]]:
        """Copy the database; yields the copy's address and counters."""
        connection.close()
        redis.Redis.from_url(os.environ["REDIS_URL"]).flushall()
        with self._administrator() as postgres:
            postgres.execute("create database copied template socialcode")
        url = self._url.replace("/socialcode?", "/copied?")
        counters = Counters(self._pids, url)
        try:
            yield url, counters
        finally:
            counters.database.close()
            with self._administrator() as postgres:
                postgres.execute("drop database copied with (force)")

    def _administrator(self) -> psycopg.Connection[Any]:
        url = self._url.replace("/socialcode?", "/postgres?")
        return psycopg.connect(url, autocommit=True)


def submission(counters: Counters, publications: Publications, tasks: int) -> dict[str, Any]:
    """Return what submitting a task costs, while no worker runs."""
    publications.prepare(tasks)
    counters.pids["submitter"] = os.getpid()
    before = counters.snapshot()
    loaded = publications.publish_all()
    after = counters.snapshot()
    return {**per_task(before, after, loaded), "per_second": loaded / (after.at - before.at)}


def run(site: Site, workers: int, sleep_ms: int, seconds: float) -> dict[str, Any]:
    """Return throughput and costs with so many workers."""
    with site.copy() as (url, counters), instant_workers(workers, sleep_ms, url) as pid:
        counters.pids["workers"] = pid
        begun = _await_all(counters, workers)
        time.sleep(SETTLE_SECONDS)
        least = LEAST_READY_SHARE * counters.scalar(_READY)
        before = counters.snapshot()
        with counters.sampled_waits() as waits:
            while time.time() < before.at + seconds and counters.scalar(_READY) > least:
                time.sleep(POLL_SECONDS)
        after = counters.snapshot()
        tasks = counters.finished(before, after)
        left = counters.scalar(_READY)
    passed = after.at - before.at
    cores = {name: (after.cpu[name] - before.cpu[name]) / passed for name in before.cpu}
    machine = cores.pop("machine")
    return {
        "workers": workers,
        "begun": begun,
        "sleep_ms": sleep_ms,
        "seconds": passed,
        "tasks": tasks,
        "per_second": tasks / passed,
        "cores": cores,
        "other_cores": machine - sum(cores.values()),
        "left": left,
        "waits": waits,
        **per_task(before, after, max(1, tasks)),
    }


def _await_all(counters: Counters, workers: int) -> int:
    """Wait until each worker has claimed something, or for a while; return how many have."""
    seen: set[str] = set()
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while len(seen) < workers and time.monotonic() < deadline:
        seen |= set(counters.scalar(_BUSY_WORKERS) or ())
        time.sleep(0.1)
    return len(seen)


def whole(site: Site) -> dict[str, Any]:
    """Run all tasks, and all elections that follow; return what a task costs, and the sizes."""
    with site.copy() as (url, counters):
        tasks = counters.scalar(_READY)
        before = counters.snapshot()
        with instant_workers(DRAINING, 0, url) as pid:
            counters.pids["workers"] = pid
            while counters.scalar(_OPEN):
                time.sleep(POLL_SECONDS)
            after = counters.snapshot()
        # A process that hasn't begun has used nothing.
        begun = replace(before, cpu={**before.cpu, "workers": 0.0})
        costs = per_task(begun, after, tasks)
        return {"seconds": after.at - before.at, **costs, "sizes": measure_tables(counters)}


def measure(pids: Mapping[str, int], quick: bool) -> dict[str, Any]:
    """Measure all of it."""
    site, started = Site(pids), time.monotonic()
    began = {"at": time.strftime("%Y-%m-%d %H:%M", time.gmtime()), "load": os.getloadavg()}
    counters = site.counters()
    counters.database.execute("create extension pg_stat_statements")
    publications = Publications()
    submitted = submission(counters, publications, SUBMITTED)
    publications.prepare(QUICK_TASKS if quick else TASKS)
    publications.publish_all()
    counters.database.execute("vacuum analyze")
    counters.database.close()
    print(f"submitted {1 / submitted['per_second']:.4f} s a task", file=sys.stderr)
    with site.copy() as (_, bare_counters):
        bare = measure_bare(bare_counters, QUICK_TASKS if quick else TASKS)
    total = whole(site)
    found: list[dict[str, Any]] = []
    for workers in QUICK_COUNTS if quick else COUNTS:
        for sleep_ms in SLEEPS_MS:
            if time.monotonic() - started < LONGEST_SECONDS:
                found.append(run(site, workers, sleep_ms, QUICK_SECONDS if quick else SECONDS))
                print(_line(found[-1]), file=sys.stderr)
    return {
        **began,
        "load_after": os.getloadavg(),
        "cores": os.cpu_count(),
        "submission": submitted,
        "whole": total,
        "runs": sorted(found, key=lambda one: (one["sleep_ms"], one["workers"])),
        "bare": bare,
    }


def _line(one: dict[str, Any]) -> str:
    cpu = one["cpu_ms"]
    return (
        f"{one['begun']:3} workers, {one['sleep_ms']:2} ms: {one['per_second']:6.0f}/s, "
        f"ms a task: PostgreSQL {cpu['postgres']:.3f}, worker {cpu['workers']:.3f}; "
        f"{one['wal_bytes']:.0f} B WAL, others {one['other_cores']:.2f} cores, left {one['left']}"
    )
