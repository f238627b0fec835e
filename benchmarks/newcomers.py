"""A newcomer's first publication during another user's cascade of a thousand functions."""

from __future__ import annotations

import asyncio
import statistics
import sys
import time

from benchmarks.author import PAUSE_SECONDS, Author, Published
from benchmarks.cascades import Functions
from benchmarks.report import Figure, spread
from benchmarks.site import PrivateSite

WORKERS = 2
BASE = "Flat"
CHAINS, LENGTH = 1_000, 1
CASCADES, QUICK_CASCADES = 2, 1
NEWCOMERS = 3  # in each cascade, and as many on the idle site
BEGIN_SECONDS = 0.5  # until the cascade is under way
ELECTION_TIMEOUT_SECONDS = 300.0


class Newcomers:
    """Functions with tests, for each of which a user publishes once."""

    def __init__(self, site: PrivateSite) -> None:
        self._author = Author(site)
        self._drafts: dict[str, int] = {}

    def prepare(self, count: int) -> None:
        """Create functions with tests and a draft for each."""
        for _ in range(count):
            name = f"Sorted{len(self._drafts)}"
            self._author.prepare(name)
            self._drafts[name] = self._author.draft(name)
        self._waiting = list(self._drafts.items())[-count:]

    def publish(self) -> Published:
        """Publish the next draft, and wait until it is elected."""
        name, draft_id = self._waiting.pop(0)
        publishing = self._author.publish(
            name, draft_id, until_elected=True, timeout_seconds=ELECTION_TIMEOUT_SECONDS
        )
        return asyncio.run(publishing)


def _await_quiet(functions: Functions) -> None:
    while not functions.ask("is_quiet"):
        time.sleep(0.05)


def _measure(
    newcomers: Newcomers, functions: Functions, count: int
) -> tuple[list[Published], list[Published], float]:
    """Publish on the idle site, then during a cascade; also return the cascade's seconds."""
    newcomers.prepare(2 * count)
    _await_quiet(functions)
    idle = []
    for _ in range(count):
        idle.append(newcomers.publish())
        _await_quiet(functions)
        time.sleep(PAUSE_SECONDS)
    functions.ask("begin", base=BASE)
    began = time.monotonic()
    beside = []
    for _ in range(count):
        time.sleep(BEGIN_SECONDS)
        published = newcomers.publish()
        print(f"beside: {published}", file=sys.stderr)
        if functions.ask("is_quiet"):
            break  # the cascade had ended
        beside.append(published)
    if not beside:
        raise RuntimeError("the cascade was over before a newcomer's first publication")
    _await_quiet(functions)
    return idle, beside, time.monotonic() - began


def figures(quick: bool) -> list[Figure]:
    """Measure in turn on the idle site and during a cascade."""
    idle: list[Published] = []
    beside: list[Published] = []
    cascades: list[float] = []
    with PrivateSite(workers=WORKERS) as site:
        functions = Functions(site)
        try:
            functions.ask("build", base=BASE, chains=CHAINS, length=LENGTH)
            newcomers = Newcomers(site)
            newcomers.prepare(1)
            newcomers.publish()
            for number in range(QUICK_CASCADES if quick else CASCADES):
                alone, others, seconds = _measure(newcomers, functions, NEWCOMERS)
                idle += alone
                beside += others
                cascades.append(seconds)
                print(f"\rcascade {number + 1}", end="", file=sys.stderr)
            print(file=sys.stderr)
        finally:
            functions.close()
    return [
        _over("publish_beside_cascade", "last_square_ms", beside, idle, "<= 3"),
        _over("elected_beside_cascade", "elected_ms", beside, idle),
        _over("first_square_beside_cascade", "first_square_ms", beside, idle),
        _over("answer_beside_cascade", "answer_ms", beside, idle),
        _median("publish_idle_ms", [one.last_square_ms for one in idle], "ms"),
        _median("elected_idle_ms", [one.elected_ms for one in idle], "ms"),
        _median("cascade_beside_newcomers_s", cascades, "s"),
    ]


def _over(
    name: str, what: str, these: list[Published], those: list[Published], goal: str = ""
) -> Figure:
    usual = statistics.median(getattr(one, what) for one in those)
    return _median(name, [getattr(one, what) / usual for one in these], "x", goal)


def _median(name: str, values: list[float], unit: str, goal: str = "") -> Figure:
    return Figure(name, statistics.median(values), unit, goal, len(values), spread(values))
