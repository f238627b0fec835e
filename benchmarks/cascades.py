"""A change of a function with a thousand dependents: cost per dependent, and of undoing it."""

from __future__ import annotations

import argparse
import socket
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from benchmarks.report import Figure, report, spread
from benchmarks.site import PrivateSite

ROUNDS, QUICK_ROUNDS = 5, 1
PROCESS = """
import os
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialcode.settings")
os.environ["SOCIALCODE_WORKERS"] = "1"
import django
django.setup()
from benchmarks import cascading
cascading.serve({handle})
"""
LONG, SHORT, WIDE = "Long", "Short", "Wide"
# Number of chains on each base, and functions in each chain.
SHAPES = {LONG: (10, 100), SHORT: (10, 10), WIDE: (100, 10)}
SIZES = {base: chains * length for base, (chains, length) in SHAPES.items()}


class Measured(NamedTuple):
    """The cost of one change."""

    seconds: float
    queries: int
    executions: int


class Functions:
    """The functions, in a separate process."""

    def __init__(self, site: PrivateSite) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            handle = theirs.fileno()
            site.start("cascades", "-c", PROCESS.format(handle=handle), pass_fds=(handle,))
        self._site = site
        self._pipe: Connection[Any, Any] = Connection(ours.detach())

    def ask(self, task: str, **given: Any) -> Any:
        """Have the process execute a task; return its result."""
        self._pipe.send((task, given))
        try:
            return self._pipe.recv()
        except EOFError:
            raise RuntimeError(self._site.logs()) from None

    def close(self) -> None:
        """End the process."""
        self._pipe.close()


@contextmanager
def _functions() -> Iterator[Functions]:
    with PrivateSite(workers=0) as site:
        functions = Functions(site)
        try:
            yield functions
        finally:
            functions.close()


@dataclass(slots=True)
class Samples:
    """The measurements of all rounds, by base."""

    changes: dict[str, list[Measured]] = field(default_factory=lambda: defaultdict(list))
    flips: dict[str, list[Measured]] = field(default_factory=lambda: defaultdict(list))
    bare: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def round(self, functions: Functions) -> None:
        """Change each base, then flip it back and forth by votes."""
        for base, size in SIZES.items():
            changed = functions.ask("change", base=base)
            if changed.executions != size + 1:
                raise ValueError(f"{changed.executions} programs were executed")
            self.changes[base].append(changed)
            # The same programs in the bare sandbox: the least cost of a dependent.
            bare = functions.ask("run_bare", base=base)
            self.bare[base].append(bare / size * 1_000)
            for value in (1, 0):
                self.flips[base].append(functions.ask("flip", base=base, value=value))


def _ms(measured: dict[str, list[Measured]], base: str) -> list[float]:
    return [each.seconds / SIZES[base] * 1_000 for each in measured[base]]


def _queries(measured: dict[str, list[Measured]], base: str) -> list[float]:
    return [each.queries / SIZES[base] for each in measured[base]]


def _growth(measured: dict[str, list[Measured]], base: str = LONG) -> list[float]:
    return _ratios(_ms(measured, base), _ms(measured, SHORT))


def _ratios(these: list[float], those: list[float]) -> list[float]:
    return [this / that for this, that in zip(these, those, strict=True)]


def _median(name: str, values: list[float], unit: str, goal: str = "") -> Figure:
    return Figure(name, statistics.median(values), unit, goal, len(values), spread(values))


def figures(quick: bool) -> list[Figure]:
    """Change the bases of each shape in turn, and flip them back and forth."""
    samples, rounds = Samples(), QUICK_ROUNDS if quick else ROUNDS
    with _functions() as functions:
        for base, (chains, length) in SHAPES.items():
            functions.ask("build", base=base, chains=chains, length=length)
        for number in range(rounds):
            samples.round(functions)
            print(f"\rround {number + 1} of {rounds}", end="", file=sys.stderr)
        print(file=sys.stderr)
        if differences := functions.ask("differences"):
            raise ValueError("\n".join(differences))
    changes, flips, bare = samples.changes, samples.flips, samples.bare
    executions = sum(each.executions for measured in flips.values() for each in measured)
    return [
        _median("cascade_per_dependent_growth", _growth(changes), "x", "<= 1.2"),
        Figure("flip_back_executions", executions, "runs", "== 0", rounds * 2 * len(SHAPES)),
        # Ten times as many at the same depth: the growth without the effect of depth.
        _median("cascade_per_dependent_growth_as_deep", _growth(changes, WIDE), "x"),
        _median("cascade_ms_per_dependent", _ms(changes, LONG), "ms"),
        _median("cascade_ms_per_dependent_of_100", _ms(changes, SHORT), "ms"),
        _median("bare_sandbox_ms_per_dependent", bare[LONG], "ms"),
        _median("bare_sandbox_ms_per_dependent_of_100", bare[SHORT], "ms"),
        _median("bare_sandbox_per_dependent_growth", _ratios(bare[LONG], bare[SHORT]), "x"),
        _median("cascade_over_bare_sandbox", _ratios(_ms(changes, LONG), bare[LONG]), "x"),
        _median("cascade_queries_per_dependent", _queries(changes, LONG), ""),
        _median("cascade_queries_per_dependent_of_100", _queries(changes, SHORT), ""),
        _median("flip_back_per_dependent_growth", _growth(flips), "x"),
        _median("flip_back_ms_per_dependent", _ms(flips, LONG), "ms"),
        _median("flip_back_queries_per_dependent", _queries(flips, LONG), ""),
        _median("flip_back_queries_per_dependent_of_100", _queries(flips, SHORT), ""),
    ]


def main() -> int:
    """Measure; return 0 if all goals are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ROUNDS} rounds only")
    return 0 if report("cascades", figures(parser.parse_args().quick)) else 1


if __name__ == "__main__":
    sys.exit(main())
