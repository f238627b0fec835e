"""Time from Publish to the last of 20 cells: ours, the bare sandbox, and the naive design."""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg

from benchmarks import naive
from benchmarks.author import PAUSE_SECONDS, TESTS, Author, ms_since
from benchmarks.report import Figure, report, spread
from benchmarks.site import PrivateSite
from runner.sandbox import Pool, Program, Verdict

WORKERS = 2
RUNS = 15
QUICK_RUNS = 3
WARM_UP_RUNS = 2
NAIVE_WORKER = "from benchmarks import naive; naive.work()"


@dataclass(slots=True)
class Samples:
    """The measurements of all rounds."""

    ours_ms: list[float] = field(default_factory=list)
    answer_ms: list[float] = field(default_factory=list)
    first_square_ms: list[float] = field(default_factory=list)
    bare_ms: list[float] = field(default_factory=list)
    bare_one_core_ms: list[float] = field(default_factory=list)
    naive_ms: list[float] = field(default_factory=list)
    republish_executions: int = 0


@dataclass(slots=True)
class Bench:
    """The site and the designs that it is compared with."""

    site: PrivateSite
    database: psycopg.Connection[Any]
    pool: Pool
    single_pool: Pool
    samples: Samples = field(default_factory=Samples)

    @property
    def author(self) -> Author:
        return Author(self.site)

    def round(self, number: int) -> None:
        """Measure each design once, on the programs of a new function."""
        name = f"Sorted{number}"
        self.author.prepare(name)
        published = asyncio.run(self.author.publish(name, self.author.draft(name)))
        self.samples.ours_ms.append(published.last_square_ms)
        self.samples.first_square_ms.append(published.first_square_ms)
        self.samples.answer_ms.append(published.answer_ms)
        self.author.await_end(published.batch)
        keys = self._keys(published.batch)
        if len(keys) != TESTS + 1:
            raise ValueError(f"{len(keys)} programs instead of {TESTS + 1}")
        programs = [(key, naive.read_program(self.database, key)) for key in keys]
        designs: list[Callable[[], None]] = [
            lambda: self.samples.bare_ms.append(_bare_ms(self.pool, programs)),
            lambda: self.samples.bare_one_core_ms.append(_bare_ms(self.single_pool, programs)),
            lambda: self.samples.naive_ms.append(self._naive_ms(number, keys)),
        ]
        # In rotating order, so that none always follows ours.
        for place in range(len(designs)):
            time.sleep(PAUSE_SECONDS)
            designs[(place + number) % len(designs)]()
        self._republish(name)

    def _naive_ms(self, number: int, keys: Sequence[bytes]) -> float:
        queue = naive.open_queue(self.site.redis_url)
        return naive.publish(queue, self.database, number, keys) * 1_000

    def _republish(self, name: str) -> None:
        """Publish the same content again and count the executed programs."""
        before = self._count("runner_attempt")
        answer = self.site.api.request(
            "POST", f"implementations/{self.author.draft(name)}/publish/"
        )
        self.author.await_end(answer["batch"])
        self.samples.republish_executions += self._count("runner_attempt") - before

    def _keys(self, batch: int) -> list[bytes]:
        rows = self.database.execute(
            "select e.key from runner_task t join runner_execution e on e.id = t.execution_id"
            " where t.batch_id = %s order by t.id",
            [batch],
        )
        return [key for (key,) in rows]

    def _count(self, table: str) -> int:
        row = self.database.execute(f"select count(*) from {table}").fetchone()  # noqa: S608
        return int(row[0]) if row else 0


def _bare_ms(pool: Pool, programs: Sequence[tuple[bytes, Program]]) -> float:
    started = time.perf_counter()
    concluded = list(pool.map(programs))
    elapsed_ms = ms_since(started)
    if any(getattr(outcome, "verdict", None) != Verdict.PASSED for _, outcome in concluded):
        raise ValueError("a program did not pass")
    return elapsed_ms


def figures(samples: Samples) -> list[Figure]:
    """Return the figures with their goals."""
    runs = len(samples.ours_ms)
    over_bare = [ours / bare for ours, bare in zip(samples.ours_ms, samples.bare_ms, strict=True)]
    over_ours = [slow / ours for slow, ours in zip(samples.naive_ms, samples.ours_ms, strict=True)]

    def median(name: str, values: Sequence[float], unit: str, goal: str = "") -> Figure:
        return Figure(name, statistics.median(values), unit, goal, runs, spread(values))

    return [
        median("publish_to_last_square_ms", samples.ours_ms, "ms", "<= 350"),
        median("publish_over_bare_sandbox", over_bare, "x", "<= 2.5"),
        median("naive_over_publish", over_ours, "x", ">= 6"),
        Figure("republish_executions", samples.republish_executions, "runs", "== 0", runs),
        median("publish_answer_ms", samples.answer_ms, "ms"),
        median("publish_to_first_square_ms", samples.first_square_ms, "ms"),
        median("bare_sandbox_ms", samples.bare_ms, "ms"),
        median("bare_sandbox_one_core_ms", samples.bare_one_core_ms, "ms"),
        median("naive_ms", samples.naive_ms, "ms"),
    ]


def main() -> int:
    """Measure; return 0 if all goals are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_RUNS} rounds only")
    runs = QUICK_RUNS if parser.parse_args().quick else RUNS
    with (
        PrivateSite(workers=WORKERS) as site,
        psycopg.connect(site.database_url, autocommit=True) as database,
        Pool(WORKERS) as pool,
        Pool(1) as single_pool,
    ):
        database.execute(naive.TABLE)
        for number in range(WORKERS):
            site.start(f"naive-{number + 1}", "-c", NAIVE_WORKER)
        bench = Bench(site, database, pool, single_pool)
        for number in range(WARM_UP_RUNS):
            bench.round(number)
        bench.samples = Samples()
        for number in range(WARM_UP_RUNS, WARM_UP_RUNS + runs):
            bench.round(number)
            print(f"\rround {number - WARM_UP_RUNS + 1} of {runs}", end="", file=sys.stderr)
        print(file=sys.stderr)
    return 0 if report("publish", figures(bench.samples)) else 1


if __name__ == "__main__":
    sys.exit(main())
