"""Votes on one item by sixteen clients: ours, and a counter that is locked by the ORM."""

from __future__ import annotations

import argparse
import itertools
import socket
import statistics
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

from benchmarks.report import Figure, report, spread
from benchmarks.site import HOST, PrivateSite
from socialcode.web import listen

CONNECTIONS = 16
PROCESSES = 2
VOTERS = 2_000
ROUNDS = 5
SLICES = 2
SECONDS = 6.0
QUICK_SECONDS = 2.0
WARM_UP_SECONDS = 1.0
OURS, LOCKED = "ours", "locked"

IMPLEMENTATION = "def {name}(value):\n    return value\n"
PROCESS = """
import os
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialcode.settings")
{environment}
import django
django.setup()
from benchmarks import voters
voters.{act}({handle})
"""
# Each client has one connection.
NO_POOL = 'os.environ["SOCIALCODE_DATABASE_POOL"] = "0"'


class Voters:
    """Processes in which accounts vote."""

    def __init__(self, site: PrivateSite) -> None:
        self._pipes: list[Connection[Any, Any]] = []
        for number in range(PROCESSES):
            ours, theirs = socket.socketpair()
            with theirs:
                handle = theirs.fileno()
                code = PROCESS.format(environment=NO_POOL, act="serve", handle=handle)
                site.start(f"voters-{number + 1}", "-c", code, pass_fds=(handle,))
            self._pipes.append(Connection(ours.detach()))
        accounts: list[int] = self.ask("prepare", voters=VOTERS)
        share = VOTERS // CONNECTIONS
        groups = [accounts[at : at + share] for at in range(0, VOTERS, share)]
        self._groups = [groups[number::PROCESSES] for number in range(PROCESSES)]

    def ask(self, task: str, **given: Any) -> Any:
        """Execute a task in one of the processes; return its result."""
        self._pipes[0].send((task, given))
        return self._pipes[0].recv()

    def vote(self, task: str, **given: Any) -> tuple[list[float], dict[int, int]]:
        """Vote in all processes at once; return the seconds of each vote, and each voter's last."""
        for pipe, groups in zip(self._pipes, self._groups, strict=True):
            pipe.send((task, {**given, "voters": groups}))
        all_tried = [pipe.recv() for pipe in self._pipes]
        latencies = [latency for tried, _ in all_tried for latency in tried]
        return latencies, {pk: value for _, said in all_tried for pk, value in said.items()}


class Bench:
    """A site with one work; the designs vote on it in turn."""

    def __init__(self, site: PrivateSite, locked_port: int) -> None:
        self._voters = Voters(site)
        self._ports = {OURS: site.port, LOCKED: locked_port}
        self._work = _publish(site)
        self.latencies: dict[tuple[str, str], list[list[float]]] = {}
        self.miscounts = 0

    def round(self, seconds: float) -> None:
        """Measure each design for `seconds`, in slices, so that disturbances affect all alike."""
        measured: dict[tuple[str, str], list[float]] = {}
        for task, design in itertools.product(("call", "request") * SLICES, (OURS, LOCKED)):
            way = {"design": design} if task == "call" else {"port": self._ports[design]}
            given = {"work_id": self._work, "seconds": seconds / SLICES}
            latencies, said = self._voters.vote(task, **way, **given)
            measured.setdefault((task, design), []).extend(latencies)
            said = said if design == OURS else {}
            self.miscounts += self._voters.ask("miscounts", work_id=self._work, said=said)
        for way_measured, latencies in measured.items():
            self.latencies.setdefault(way_measured, []).append(latencies)

    def rates(self, task: str, design: str, seconds: float) -> list[float]:
        """Return the votes per second of each round."""
        return [len(latencies) / seconds for latencies in self.latencies[task, design]]


def _publish(site: PrivateSite) -> int:
    site.api.request("POST", "functions/", {"name": "Voted", "signature": "value"})
    code = {"code": IMPLEMENTATION.format(name="Voted")}
    draft = site.api.request("POST", "functions/Voted/implementations/", code)
    site.api.request("POST", f"implementations/{draft['id']}/publish/")
    return int(draft["id"])


@contextmanager
def _locked_web(site: PrivateSite) -> Iterator[int]:
    """Serve the same site with the naive design of voting; yield its port."""
    with listen(HOST, 0) as listener:
        handle = listener.fileno()
        code = PROCESS.format(environment="", act="serve_locked", handle=handle)
        site.start("locked-web", "-c", code, pass_fds=(handle,))
        yield listener.getsockname()[1]


def figures(quick: bool) -> list[Figure]:
    """Measure the designs in turn, in rounds."""
    seconds = QUICK_SECONDS if quick else SECONDS
    with PrivateSite(workers=1) as site, _locked_web(site) as locked_port:
        bench = Bench(site, locked_port)
        bench.round(WARM_UP_SECONDS)
        bench.latencies.clear()
        for number in range(ROUNDS):
            bench.round(seconds)
            print(f"\rround {number + 1} of {ROUNDS}", end="", file=sys.stderr)
        print(file=sys.stderr)
    return _judged(bench, seconds)


def _judged(bench: Bench, seconds: float) -> list[Figure]:
    ours = bench.rates("call", OURS, seconds)
    locked = bench.rates("call", LOCKED, seconds)
    http = bench.rates("request", OURS, seconds)
    locked_http = bench.rates("request", LOCKED, seconds)

    def median(name: str, values: Sequence[float], unit: str, goal: str = "") -> Figure:
        return Figure(name, statistics.median(values), unit, goal, len(values), spread(values))

    def latency(name: str, task: str, design: str, goal: str = "") -> Figure:
        rounds = bench.latencies[task, design]
        return median(name, [statistics.median(each) * 1_000 for each in rounds], "ms", goal)

    return [
        median("votes_over_orm_lock", _ratios(ours, locked), "x", ">= 3"),
        median("votes_http_over_orm_lock", _ratios(http, locked_http), "x", ">= 1.5"),
        Figure("vote_miscounts", bench.miscounts, "votes", "== 0", ROUNDS),
        median("votes_per_second", ours, "1/s", ">= 758"),
        latency("vote_p50_ms", "call", OURS, "<= 24.9"),
        median("votes_http_per_second", http, "1/s"),
        latency("vote_http_p50_ms", "request", OURS),
        median("locked_votes_per_second", locked, "1/s"),
        latency("locked_vote_p50_ms", "call", LOCKED),
        median("locked_votes_http_per_second", locked_http, "1/s"),
        latency("locked_vote_http_p50_ms", "request", LOCKED),
    ]


def _ratios(ours: Sequence[float], yardstick: Sequence[float]) -> list[float]:
    return [mine / theirs for mine, theirs in zip(ours, yardstick, strict=True)]


def main() -> int:
    """Measure; return 0 if all goals are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="shorter rounds")
    return 0 if report("votes", figures(parser.parse_args().quick)) else 1


if __name__ == "__main__":
    sys.exit(main())
