"""Waiting times: on an idle site, beside a large batch, with many users, after a worker's death."""

from __future__ import annotations

import itertools
import random
import signal
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection, transaction

from benchmarks.bare import tiny_programs
from benchmarks.machinery import (
    LOOK_SECONDS,
    await_end,
    make_users,
    median_figure,
    scalar,
    submit,
    workers,
)
from benchmarks.report import Figure, spread
from runner.batches.submission import submit_batch
from runner.models import Batch, Execution
from runner.programs.program import PreparedProgram, make_program
from runner.sandbox import Limits, Module
from runner.states import State

CLAIM_LOOK_SECONDS = 0.001
SUBMITTERS = 8
USERS = 50
BATCHES_EACH = 20
PROGRAMS_EACH = 10
FEW = 20
IN_FLIGHT = 8
QUICK_LEASE_SECONDS = 5
# A cheap query, as it is polled often.
_IS_PENDING = "select state = %s from runner_execution where key = decode(%s, 'hex')"

_numbers = itertools.count(1)


def figures(quick: bool) -> list[Figure]:
    """Measure all cases in sequence."""
    with workers():
        found = [*_claim_figures(quick), *_fairness_figures(quick), *_user_figures(quick)]
    return [*found, *_recovery_figures(quick)]


def _programs(count: int) -> list[PreparedProgram]:
    """Return `count` new programs."""
    first = next(_numbers) * 1_000_000
    return tiny_programs(range(first, first + count))


def _claim_figures(quick: bool) -> list[Figure]:
    """Measure the time from a submission's commit to its claim by an idle worker.

    The time of the submission's statements before the commit is a separate figure.
    """
    samples, submissions = [], []
    for _ in range(60 if quick else 400):
        programs = _programs(1)
        time.sleep(random.uniform(0.03, 0.08))
        committed: list[float] = []
        began = time.perf_counter()
        with transaction.atomic():
            # Runs before other `on_commit` callbacks.
            transaction.on_commit(partial(_note, committed))
            batch = submit_batch(topic="bench:1", cause="a benchmark", programs=programs)
        while scalar(_IS_PENDING, State.PENDING, programs[0].key.hex()):
            time.sleep(CLAIM_LOOK_SECONDS)
        samples.append((time.perf_counter() - committed[0]) * 1_000)
        submissions.append((committed[0] - began) * 1_000)
        await_end(batch)
    last = statistics.quantiles(samples, n=100)[98]
    return [
        median_figure("submit_to_claim_p50_ms", samples, "ms", "<= 10"),
        Figure("submit_to_claim_p99_ms", last, "ms", "<= 40", len(samples), spread(samples)),
        median_figure("submission_ms", submissions, "ms"),
    ]


def _note(instants: list[float]) -> None:
    instants.append(time.perf_counter())


def _fairness_figures(quick: bool) -> list[Figure]:
    """Measure twenty tasks on an idle site, and beside ten thousand of another user."""
    many, few = make_users("fairness", 2)
    rounds, crowd = (3, 2_000) if quick else (5, 10_000)

    def seconds() -> float:
        time.sleep(0.3)
        began = time.perf_counter()
        await_end(submit(_programs(FEW), topic="bench:few", owner=few))
        return time.perf_counter() - began

    idle = [seconds() for _ in range(rounds)]
    batch = submit(_programs(crowd), owner=many)
    beside = [seconds() for _ in range(rounds)]
    if Batch.objects.get(pk=batch.pk).finished_at is not None:
        raise RuntimeError("the large batch ended before the small one")
    await_end(batch)
    slower = [one / statistics.median(idle) for one in beside]
    return [
        median_figure("fairness_slowdown", slower, goal="<= 3"),
        median_figure("few_alone_ms", [one * 1_000 for one in idle], "ms"),
    ]


@dataclass(frozen=True, slots=True)
class _Request:
    user: AbstractBaseUser
    topic: str
    programs: list[PreparedProgram]


def _user_figures(quick: bool) -> list[Figure]:
    """Measure the longest waits of many users with many small batches at once."""
    each = 4 if quick else BATCHES_EACH
    requests = [
        _Request(user, f"bench:user-{user.pk}", _programs(PROGRAMS_EACH))
        for _ in range(each)
        for user in make_users_once()
    ]

    def ask(request: _Request) -> Batch:
        return submit(request.programs, topic=request.topic, owner=request.user)

    began_at, began = time.time(), time.perf_counter()
    with ThreadPoolExecutor(SUBMITTERS) as threads:
        batches = list(threads.map(_closing(ask), requests))
        await_end(*batches)
    elapsed = time.perf_counter() - began
    rows = Batch.objects.filter(pk__in=[batch.pk for batch in batches])
    ended: dict[int, float] = {}
    taken = []
    for owner, created, finished in rows.values_list("owner_id", "created_at", "finished_at"):
        if owner is not None and finished is not None:
            ended[owner] = max(ended.get(owner, 0), finished.timestamp() - began_at)
            taken.append(finished.timestamp() - created.timestamp())
    waits = sorted(ended.values())
    worst = waits[-1] / statistics.median(waits)
    return [
        Figure("slowest_over_median_user", worst, "times", "<= 1.5", len(waits), spread(waits)),
        Figure("batches_per_second", len(batches) / elapsed, "1/s", "", len(batches)),
        Figure("batch_p99_s", statistics.quantiles(taken, n=100)[98], "s", "", len(batches)),
    ]


_users: list[AbstractBaseUser] = []


def make_users_once() -> list[AbstractBaseUser]:
    """Return the users, created by the first call."""
    if not _users:
        _users.extend(make_users("user", USERS))
    return _users


def _closing(act: Callable[[_Request], Batch]) -> Callable[[_Request], Batch]:
    """Close the thread's connection after each call."""

    def acting(request: _Request) -> Batch:
        try:
            return act(request)
        finally:
            connection.close()

    return acting


def _recovery_figures(quick: bool) -> list[Figure]:
    """Measure recovery from a killed worker with programs in flight; `quick` shortens the lease."""
    lease = QUICK_LEASE_SECONDS if quick else settings.LEASE_SECONDS
    beyond = [_recovery_seconds(lease) - lease for _ in range(1 if quick else 3)]
    return [
        median_figure("recovery_beyond_lease_s", beyond, "s", "<= 10"),
        Figure("lease_s", lease, "s"),
    ]


def _recovery_seconds(lease: int) -> float:
    environment = {"SOCIALCODE_LEASE_SECONDS": str(lease)}
    with (
        workers(1, **environment) as (other,),
        workers(1, SOCIALCODE_SANDBOX_SLOTS=str(IN_FLIGHT), **environment) as (victim,),
    ):
        other.send_signal(signal.SIGSTOP)
        # Enough programs that the first ones, which sleep, are this worker's fair share.
        rest = _programs((2 * settings.WORKERS - 1) * IN_FLIGHT)
        batch = submit([_sleeper() for _ in range(IN_FLIGHT)] + rest)
        held = Execution.objects.filter(tasks__batch=batch, state=State.IN_PROGRESS)
        while held.count() < IN_FLIGHT:
            time.sleep(LOOK_SECONDS)
        victim.kill()
        began = time.perf_counter()
        other.send_signal(signal.SIGCONT)
        await_end(batch)
        return time.perf_counter() - began


def _sleeper() -> PreparedProgram:
    source = f"import time\ntime.sleep(0.3)\nassert {next(_numbers)}\n"
    return make_program(
        modules=[Module("Add", "def Add(): pass\n"), Module("test", source, ("Add",))],
        entry="test",
        subject="Add",
        limits=Limits(),
    )
