"""Calls across the border between two processes on one core, relative to a bare socket echo."""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import sys
import time
from collections.abc import Callable

from benchmarks.report import Figure, report, spread
from tests.sandbox.border_process import process

_SOURCE = """
def Add(a, b): return a + b
def Copy(x): return x[:]
"""
_CALLS = 50  # in a sample
_MESSAGE = b"x" * 60  # the length of a small call's message


def _microseconds(call: Callable[[], object], samples: int, calls: int = _CALLS) -> list[float]:
    """Return the time of a call in each sample."""
    found = []
    for _ in range(samples + 1):
        began = time.perf_counter()
        for _ in range(calls):
            call()
        found.append((time.perf_counter() - began) / calls * 1e6)
    return found[1:]


def _echo_times(samples: int) -> list[float]:
    """Return the round-trip times of a message between two processes that do nothing else."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if not pid:
        ours.close()
        while data := theirs.recv(4_096):
            theirs.send(data)
        os._exit(0)
    theirs.close()

    def call() -> None:
        ours.send(_MESSAGE)
        ours.recv(4_096)

    with ours:
        times = _microseconds(call, samples)
    os.waitpid(pid, 0)
    return times


def _figures(samples: int) -> list[Figure]:
    numbers = [*range(1_000)]
    echo = _echo_times(samples)
    with process(_SOURCE) as (_, names):
        add, copy = names["Add"], names["Copy"]
        small = _microseconds(lambda: add(41, 1), samples)
        thousand = _microseconds(lambda: copy(numbers), samples)
    bare = statistics.median(echo)
    measured = (
        ("socket_echo_us", echo, "", 1.0, "µs"),
        ("call_round_trip_us", small, "<= 35", 1.0, "µs"),
        ("thousand_ints_us", thousand, "<= 300", 1.0, "µs"),
        ("call_over_echo", small, "", bare, "times"),
    )
    return [
        Figure(name, statistics.median(times) / unit, label, goal, len(times), spread(times))
        for name, times, goal, unit, label in measured
    ]


def main() -> int:
    """Measure; return 0 if all goals are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer runs, in a second")
    quick = parser.parse_args().quick
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})  # child processes inherit it
    try:
        figures = _figures(40 if quick else 400)
    finally:
        os.sched_setaffinity(0, allowed)
    return 0 if report("border", figures) else 1


if __name__ == "__main__":
    sys.exit(main())
