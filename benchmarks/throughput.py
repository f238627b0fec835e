"""Ten thousand tiny programs: ours, the bare sandbox, known results, and a job per task."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import obvious
from benchmarks.bare import BareSandbox, tiny_programs
from benchmarks.machinery import (
    WORKERS,
    median_figure,
    seconds_for,
    wait_for,
    workers,
)
from benchmarks.report import Figure
from benchmarks.site import ROOT
from runner.models import Attempt
from socialcode.embedded.children import start_child, stop_child

DESIGNS = ("simple", "locking", "forking", "forking-free")
_WORK = "import django; django.setup(); from benchmarks import obvious; obvious.work({design!r})"


@dataclass(slots=True)
class Samples:
    """The measurements of all rounds, in programs per second."""

    ours: list[float] = field(default_factory=list)
    bare: list[float] = field(default_factory=list)
    cached: list[float] = field(default_factory=list)
    obvious: dict[str, list[float]] = field(default_factory=lambda: {one: [] for one in DESIGNS})
    cached_executions: int = 0


def figures(quick: bool) -> list[Figure]:
    """Measure all of them in turn."""
    rounds, count, few = (2, 1_000, 60) if quick else (5, 10_000, 40)
    numbers = itertools.count()
    samples = Samples()
    obvious.create_tables()
    with BareSandbox(WORKERS) as bare, workers(), _obvious_workers():
        for _ in range(rounds):
            _measure(samples, bare, range(next(numbers) * count, next(numbers) * count))
            for design in DESIGNS:
                first = next(numbers) * count
                samples.obvious[design].append(_obvious_rate(design, range(first, first + few)))
    return _judge(samples)


def _measure(samples: Samples, bare: BareSandbox, numbers: range) -> None:
    programs = tiny_programs(numbers)
    samples.bare.append(len(numbers) / bare.seconds_for(numbers))
    samples.ours.append(len(numbers) / seconds_for(programs))
    executed = Attempt.objects.count()
    samples.cached.append(len(numbers) / seconds_for(programs))
    samples.cached_executions += Attempt.objects.count() - executed


def _obvious_rate(design: str, numbers: range) -> float:
    programs = tiny_programs(numbers)
    began = time.perf_counter()
    batch = obvious.submit(programs, design)

    def is_open() -> bool:
        batch.refresh_from_db()
        return batch.finished_at is None

    wait_for(is_open)
    return len(numbers) / (time.perf_counter() - began)


@contextmanager
def _obvious_workers() -> Iterator[None]:
    """Run the workers of all other designs, which are idle while not measured."""
    folder = Path(os.environ["SOCIALCODE_VAR"])
    started = [
        start_child(
            [sys.executable, "-c", _WORK.format(design=design)],
            log=folder / f"obvious-{design}-{number}.log",
            folder=ROOT,
            environment=os.environ,
        )
        for design in DESIGNS
        for number in range(WORKERS)
    ]
    try:
        for design in DESIGNS:
            _obvious_rate(design, range(-10 * WORKERS, 0))
        yield
    finally:
        for worker in started:
            stop_child(worker, signal.SIGKILL)


def _judge(samples: Samples) -> list[Figure]:
    def ratio(over: list[float], under: list[float]) -> list[float]:
        return [one / other for one, other in zip(over, under, strict=True)]

    ours, rq = samples.ours, samples.obvious
    return [
        median_figure("batch_over_bare_sandbox", ratio(ours, samples.bare), "of it", ">= 0.8"),
        median_figure("executing_over_cached", ratio(samples.cached, ours), "times", ">= 20"),
        Figure("cached_executions", samples.cached_executions, "runs", "== 0", len(samples.cached)),
        median_figure("ours_over_rq_default_worker", ratio(ours, rq["forking"]), goal=">= 8"),
        median_figure("ours_over_rq_without_fork", ratio(ours, rq["simple"]), goal=">= 3"),
        median_figure("ours_over_rq_locking_its_batch", ratio(ours, rq["locking"])),
        median_figure("ours_over_rq_default_and_no_sandbox", ratio(ours, rq["forking-free"])),
        median_figure("batch_per_second", ours, "1/s"),
        median_figure("bare_sandbox_per_second", samples.bare, "1/s"),
        median_figure("cached_per_second", samples.cached, "1/s"),
    ]
