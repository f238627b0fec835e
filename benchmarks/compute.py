"""Computing loops in a confined process, relative to plain Python."""

from __future__ import annotations

import statistics
import subprocess
import sys

from benchmarks.report import Figure, spread
from runner.sandbox import Module, Pool, Program, Verdict

# Measures itself, without start and call; each loop takes some tens of milliseconds.
_SOURCE = """
import time

class Counter:
    def __init__(self):
        self.count = 0

    def add(self, n):
        self.count += n
        return self

def sieve(limit):
    is_prime = [True] * limit
    for n in range(2, int(limit ** 0.5) + 1):
        if is_prime[n]:
            for multiple in range(n * n, limit, n):
                is_prime[multiple] = False
    return sum(is_prime)

def collatz(limit):
    longest = 0
    for n in range(1, limit):
        length = 1
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            length += 1
        longest = max(longest, length)
    return longest

def methods(times):
    counter = Counter()
    for n in range(times):
        counter.add(n).add(1)
    return counter.count

def dicts(times):
    counts = {}
    for n in range(times):
        key = n % 97
        counts[key] = counts.get(key, 0) + 1
    return len(counts)

def Seconds():
    seconds = []
    for loop, size in ((sieve, 150_000), (collatz, 3_000), (methods, 150_000), (dicts, 250_000)):
        began = time.perf_counter()
        loop(size)
        seconds.append(time.perf_counter() - began)
    return seconds
"""
_PLAIN = "import json\n" + _SOURCE + "\nprint(json.dumps(Seconds()))\n"
_PROGRAM = Program((Module("Seconds", _SOURCE),), "call", "Seconds")


def compute_figures(rounds: int) -> list[Figure]:
    """Return the ratio of the four loops' times in the subject and in plain Python, in turns."""
    ratios = []
    with Pool() as pool:
        for _ in range(rounds):
            ours = _confined(pool)
            plain = _total(subprocess.check_output([sys.executable, "-c", _PLAIN], text=True))
            ratios.append(ours / plain)
    value = statistics.median(ratios)
    return [Figure("compute_over_plain", value, "times", "<= 1.05", rounds, spread(ratios))]


def _confined(pool: Pool) -> float:
    outcome = pool.run(_PROGRAM)
    if outcome.verdict is not Verdict.PASSED:
        raise RuntimeError(f"the benchmark's program did not pass: {outcome}")
    return float(sum(outcome.value))


def _total(text: str) -> float:
    return float(sum(map(float, text.strip(" []\n").split(","))))
