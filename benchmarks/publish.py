"""From pressing Publish to the last of 20 squares: ours, the bare sandbox, and a naive design."""

from __future__ import annotations

import argparse
import asyncio
import re
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg

from benchmarks import naive
from benchmarks.report import Figure, report, spread
from benchmarks.site import Api, PrivateSite
from runner.sandbox import Pool, Program, Verdict
from runner.stream_client import StreamClient

WORKERS = 2
TESTS = 20
RUNS = 15
QUICK_RUNS = 3
WARM_UP_RUNS = 2
TIMEOUT_SECONDS = 60.0
PAUSE_SECONDS = 0.3  # until all is quiet again
PLACE = re.compile(r'data-topic="([^"]+)" data-epoch="(\d+)" data-seq="(\d+)"')
NAIVE_WORKER = "from benchmarks import naive; naive.work()"

IMPLEMENTATION = '''\
def {name}(values):
    """The values in rising order, by merging ever longer runs."""
    runs = [[value] for value in values]
    while len(runs) > 1:
        merged = []
        for left, right in zip(runs[::2], runs[1::2]):
            run = []
            while left and right:
                run.append(left.pop(0) if left[0] <= right[0] else right.pop(0))
            merged.append(run + left + right)
        if len(runs) % 2:
            merged.append(runs[-1])
        runs = merged
    return runs[0] if runs else []
'''
TEST = """\
# Numbers in an order that looks like chance, {size} of them.
def test_sorts_like_the_builtin():
    values = [(number * 7919 + {number}) % 1009 for number in range({size})]
    assert {name}(list(values)) == sorted(values)

def test_keeps_what_is_sorted():
    assert {name}(list(range({size}))) == list(range({size}))
"""


@dataclass(slots=True)
class Samples:
    """What was measured, round after round."""

    ours_ms: list[float] = field(default_factory=list)
    answer_ms: list[float] = field(default_factory=list)
    first_square_ms: list[float] = field(default_factory=list)
    bare_ms: list[float] = field(default_factory=list)
    bare_one_core_ms: list[float] = field(default_factory=list)
    naive_ms: list[float] = field(default_factory=list)
    republish_executions: int = 0


@dataclass(slots=True)
class Bench:
    """The site, and all that is measured against it."""

    site: PrivateSite
    database: psycopg.Connection[Any]
    pool: Pool
    single_pool: Pool
    samples: Samples = field(default_factory=Samples)

    @property
    def api(self) -> Api:
        return self.site.api

    def round(self, number: int) -> None:
        """Measure each design once on the programs of a function of its own."""
        name = f"Sorted{number}"
        self._prepare(name)
        batch = asyncio.run(self._publish(name, self._draft(name)))
        self._await_end(batch)
        keys = self._keys(batch)
        if len(keys) != TESTS + 1:
            raise ValueError(f"{len(keys)} programs in place of {TESTS + 1}")
        programs = [(key, naive.read_program(self.database, key)) for key in keys]
        designs: list[Callable[[], None]] = [
            lambda: self.samples.bare_ms.append(_bare_ms(self.pool, programs)),
            lambda: self.samples.bare_one_core_ms.append(_bare_ms(self.single_pool, programs)),
            lambda: self.samples.naive_ms.append(self._naive_ms(number, keys)),
        ]
        # In turn, so that none is always the one after ours.
        for place in range(len(designs)):
            time.sleep(PAUSE_SECONDS)
            designs[(place + number) % len(designs)]()
        self._republish(name)

    def _prepare(self, name: str) -> None:
        """Create a function with its published tests and wait until nothing runs."""
        function = {"name": name, "signature": "values: list[int]", "description": "Sorts."}
        self.api.request("POST", "functions/", function)
        for number in range(TESTS):
            code = TEST.format(name=name, number=number, size=20 + number)
            test = self.api.request("POST", f"functions/{name}/tests/", {"code": code})
            answer = self.api.request("POST", f"tests/{test['id']}/publish/")
        self._await_end(answer["batch"])
        time.sleep(PAUSE_SECONDS)

    def _draft(self, name: str) -> int:
        code = {"code": IMPLEMENTATION.format(name=name)}
        draft = self.api.request("POST", f"functions/{name}/implementations/", code)
        return int(draft["id"])

    async def _publish(self, name: str, draft_id: int) -> int:
        """Press Publish with the page open, and take the time until its last square is filled."""
        shown = PLACE.search(self.api.page(f"/functions/{name}/"))
        if shown is None:
            raise ValueError("the page does not say what it shows")
        topic, epoch, seq = shown.groups()
        async with StreamClient(self.site.socket_url, origin=self.site.origin) as client:
            await client.follow(topic, epoch=int(epoch), after=int(seq))
            await asyncio.wait_for(client.is_caught_up(topic), TIMEOUT_SECONDS)
            started = time.perf_counter()
            pressed = asyncio.create_task(
                asyncio.to_thread(self.api.request, "POST", f"implementations/{draft_id}/publish/")
            )
            pressed.add_done_callback(lambda _: self.samples.answer_ms.append(_ms_since(started)))
            finished = 0
            async with asyncio.timeout(TIMEOUT_SECONDS):
                while finished < TESTS + 1:
                    event = await client.next_event()
                    if event.type == "task.finished":
                        if event.payload["verdict"] != Verdict.PASSED:
                            raise ValueError(f"a program has not passed: {event.payload}")
                        finished += 1
                        if finished == 1:
                            self.samples.first_square_ms.append(_ms_since(started))
            self.samples.ours_ms.append(_ms_since(started))
            return int((await pressed)["batch"])

    def _naive_ms(self, number: int, keys: Sequence[bytes]) -> float:
        queue = naive.open_queue(self.site.redis_url)
        return naive.publish(queue, self.database, number, keys) * 1_000

    def _republish(self, name: str) -> None:
        """Publish the same content once more and count what was executed for it."""
        before = self._count("runner_attempt")
        answer = self.api.request("POST", f"implementations/{self._draft(name)}/publish/")
        self._await_end(answer["batch"])
        self.samples.republish_executions += self._count("runner_attempt") - before

    def _await_end(self, batch: int) -> None:
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while self.api.request("GET", f"batches/{batch}/")["state"] == "open":
            if time.monotonic() > deadline:
                raise TimeoutError(f"batch {batch} has not ended\n{self.site.logs()}")
            time.sleep(0.02)

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


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1_000


def _bare_ms(pool: Pool, programs: Sequence[tuple[bytes, Program]]) -> float:
    started = time.perf_counter()
    concluded = list(pool.map(programs))
    elapsed_ms = _ms_since(started)
    if any(getattr(outcome, "verdict", None) != Verdict.PASSED for _, outcome in concluded):
        raise ValueError("a program has not passed")
    return elapsed_ms


def figures(samples: Samples) -> list[Figure]:
    """Judge the medians against their goals."""
    runs = len(samples.ours_ms)
    over_bare = [ours / bare for ours, bare in zip(samples.ours_ms, samples.bare_ms, strict=True)]
    over_ours = [slow / ours for slow, ours in zip(samples.naive_ms, samples.ours_ms, strict=True)]

    def median(name: str, values: Sequence[float], unit: str, goal: str = "") -> Figure:
        return Figure(name, statistics.median(values), unit, goal, runs, spread(values))

    return [
        median("publish_to_last_square_ms", samples.ours_ms, "ms", "<= 400"),
        median("publish_over_bare_sandbox", over_bare, "x", "<= 6"),
        median("naive_over_publish", over_ours, "x", ">= 3"),
        Figure("republish_executions", samples.republish_executions, "runs", "== 0", runs),
        median("publish_answer_ms", samples.answer_ms, "ms"),
        median("publish_to_first_square_ms", samples.first_square_ms, "ms"),
        median("bare_sandbox_ms", samples.bare_ms, "ms"),
        median("bare_sandbox_one_core_ms", samples.bare_one_core_ms, "ms"),
        median("naive_ms", samples.naive_ms, "ms"),
    ]


def main() -> int:
    """Measure; the exit code says whether all goals are met."""
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
