"""Updates of one hot group by sixteen writers: a document view, and a row that each one locks.

Also the same writers without either, which is the most that any design can do.
"""

from __future__ import annotations

import argparse
import itertools
import socket
import statistics
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from benchmarks.report import Figure, report, spread
from benchmarks.site import PrivateSite
from benchmarks.votes import NO_POOL, PROCESS

WRITERS = 16
PROCESSES = 2
ITEMS = 1_600
ROUNDS = 5
SLICES = 2
SECONDS = 6.0
QUICK_SECONDS = 2.0
WARM_UP_SECONDS = 1.0
OURS, LOCKED, ALONE = "ours", "locked", "alone"
DESIGNS = (OURS, LOCKED, ALONE)
DEFINITIONS = {
    "sums": {"n": "count", "total": {"sum": "price"}},
    "ranks": {
        "n": "count",
        "total": {"sum": "price"},
        "cheapest": {"min": "price"},
        "dearest": {"max": "price"},
        "best": {"top": 5, "by": "price"},
    },
}


class Writers:
    """Processes in which items are written."""

    def __init__(self, site: PrivateSite) -> None:
        self._pipes: list[Connection[Any, Any]] = []
        for number in range(PROCESSES):
            ours, theirs = socket.socketpair()
            with theirs:
                handle = theirs.fileno()
                code = PROCESS.format(environment=NO_POOL, act="serve", handle=handle)
                code = code.replace("voters", "view_writers")
                site.start(f"writers-{number + 1}", "-c", code, pass_fds=(handle,))
            self._pipes.append(Connection(ours.detach()))
        items = [f"item{number}" for number in range(ITEMS)]
        shares = [items[number::WRITERS] for number in range(WRITERS)]
        self._shares = [shares[number::PROCESSES] for number in range(PROCESSES)]

    def ask(self, task: str, **given: Any) -> Any:
        """Execute a task in one of the processes; return its result."""
        self._pipes[0].send((task, given))
        return self._pipes[0].recv()

    def write(self, design: str, seconds: float) -> list[float]:
        """Write in all processes at once; return the seconds of each write."""
        for pipe, shares in zip(self._pipes, self._shares, strict=True):
            pipe.send(("write", {"design": design, "writers": shares, "seconds": seconds}))
        return [latency for pipe in self._pipes for latency in pipe.recv()]


def measure(values: str, seconds: float) -> tuple[dict[str, list[list[float]]], int]:
    """Return the latencies of each design by round, measured in turn, and the miscounts."""
    latencies: dict[str, list[list[float]]] = {design: [] for design in DESIGNS}
    with PrivateSite(workers=1) as site:
        writers = Writers(site)
        definition = {"from": "bench", "group_by": "group", "values": DEFINITIONS[values]}
        writers.ask("prepare", definition=definition)
        for design in DESIGNS:
            writers.write(design, WARM_UP_SECONDS)
        for number in range(ROUNDS):
            found: dict[str, list[float]] = {design: [] for design in DESIGNS}
            for design in itertools.islice(itertools.cycle(DESIGNS), len(DESIGNS) * SLICES):
                found[design] += writers.write(design, seconds / SLICES)
            for design, measured in found.items():
                latencies[design].append(measured)
            print(f"\r{values}: round {number + 1} of {ROUNDS}", end="", file=sys.stderr)
        print(file=sys.stderr)
        return latencies, writers.ask("miscounts")


def figures(quick: bool) -> list[Figure]:
    """Measure views of sums, and of sums and ranks."""
    seconds = QUICK_SECONDS if quick else SECONDS
    found: list[Figure] = []
    for values in DEFINITIONS:
        latencies, miscounts = measure(values, seconds)
        found += _judged(values, latencies, miscounts, seconds)
    return found


def _judged(
    values: str, latencies: dict[str, list[list[float]]], miscounts: int, seconds: float
) -> list[Figure]:
    rates = {
        design: [len(each) / seconds for each in measured] for design, measured in latencies.items()
    }

    def over_row_lock(design: str) -> list[float]:
        pairs = zip(rates[design], rates[LOCKED], strict=True)
        return [mine / locked for mine, locked in pairs]

    def median(name: str, measured: Sequence[float], unit: str, goal: str = "") -> Figure:
        middle = statistics.median(measured)
        return Figure(f"{values}_{name}", middle, unit, goal, len(measured), spread(measured))

    def latency(design: str) -> Figure:
        measured = [statistics.median(each) * 1_000 for each in latencies[design]]
        return median(f"{design}_p50_ms", measured, "ms")

    return [
        median("over_row_lock", over_row_lock(OURS), "x", ">= 3" if values == "sums" else ""),
        # The rate of a view that costs nothing.
        median("no_view_over_row_lock", over_row_lock(ALONE), "x"),
        Figure(f"{values}_miscounts", miscounts, "rows", "== 0", ROUNDS),
        median("updates_per_second", rates[OURS], "1/s"),
        latency(OURS),
        median("locked_updates_per_second", rates[LOCKED], "1/s"),
        latency(LOCKED),
    ]


def main() -> int:
    """Measure; return 0 if all goals are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="shorter rounds")
    return 0 if report("document_views", figures(parser.parse_args().quick)) else 1


if __name__ == "__main__":
    sys.exit(main())
