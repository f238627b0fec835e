"""Helpers of the benchmarks of batches: programs, batches and real workers.

Needs Django set up with the environment of a private site.
"""

from __future__ import annotations

import os
import signal
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection, transaction

from benchmarks.bare import tiny_programs
from benchmarks.report import Figure, spread
from benchmarks.site import ROOT
from runner.batches.submission import submit_batch
from runner.models import Attempt, Batch
from runner.programs.program import PreparedProgram
from runner.states import BatchState
from socialcode.embedded.children import start_child, stop_child

WORKERS = 2
TIMEOUT_SECONDS = 900.0
LOOK_SECONDS = 0.02
LOOK_SHARE = 0.004
LONGEST_PAUSE_SECONDS = 0.25


def submit(
    programs: Sequence[PreparedProgram],
    *,
    topic: str = "bench:1",
    owner: AbstractBaseUser | None = None,
    priority: int = 0,
) -> Batch:
    """Submit a batch in a transaction of its own."""
    with transaction.atomic():
        return submit_batch(
            topic=topic,
            cause="a benchmark",
            programs=programs,
            owner=owner,
            priority=priority,
        )


def make_users(prefix: str, count: int) -> list[AbstractBaseUser]:
    """Create `count` users."""
    users = get_user_model().objects
    return [users.create_user(f"{prefix}-{number}") for number in range(count)]


def wait_for(is_open: Callable[[], bool]) -> None:
    """Poll until it returns false, ever less often, as polling takes CPU time from the measured."""
    began = time.monotonic()
    while is_open():
        waited = time.monotonic() - began
        if waited > TIMEOUT_SECONDS:
            raise TimeoutError("the measured work has not ended")
        time.sleep(min(max(LOOK_SECONDS, LOOK_SHARE * waited), LONGEST_PAUSE_SECONDS))


def await_end(*batches: Batch) -> None:
    """Wait until these batches have ended."""
    ids = [batch.pk for batch in batches]
    wait_for(Batch.objects.filter(pk__in=ids, state=BatchState.OPEN).exists)


def seconds_for(programs: Sequence[PreparedProgram], *, topic: str = "bench:1") -> float:
    """Submit programs; return the seconds until the completion event."""
    began = time.perf_counter()
    await_end(submit(programs, topic=topic))
    return time.perf_counter() - began


@contextmanager
def workers(count: int = WORKERS, **environment: str) -> Iterator[list[Popen[bytes]]]:
    """Run `count` workers, each of which has executed a program already."""
    folder = Path(os.environ["SOCIALCODE_VAR"])
    started: list[Popen[bytes]] = []
    try:
        for _ in range(count):
            number = time.monotonic_ns()
            worker = start_child(
                [sys.executable, "manage.py", "worker"],
                log=folder / f"worker-{number}.log",
                folder=ROOT,
                environment={**os.environ, **environment},
                pass_fds=(),
            )
            started.append(worker)
        _warm_up(started)
        yield started
    finally:
        for worker in started:
            stop_child(worker, signal.SIGTERM)


def _warm_up(started: Sequence[Popen[bytes]]) -> None:
    wanted = {str(worker.pid) for worker in started}
    number = -(time.monotonic_ns())
    while wanted:
        # At a higher priority than all waiting programs.
        programs = tiny_programs(range(number, number + 100))
        await_end(submit(programs, topic="warm-up:1", priority=-1))
        number += 100
        names = Attempt.objects.values_list("worker", flat=True).distinct()
        wanted -= {name.rpartition(":")[2] for name in names}


def scalar(statement: str, *values: int | str) -> Any:
    """Execute a statement; return the value of its first row and column, None without rows."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchone()[0] if cursor.description else None


def median_figure(
    name: str, samples: Sequence[float], unit: str = "times", goal: str = ""
) -> Figure:
    """Return a figure with the median of the samples."""
    return Figure(name, statistics.median(samples), unit, goal, len(samples), spread(samples))
