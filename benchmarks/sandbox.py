"""One program through the sandbox, against a bare fork and against a fresh confined Python.

The floor is what any process per run must pay: a small warm interpreter forks, the child executes
a trivial compiled statement and writes to a pipe, and is waited for. The other yardstick starts
bubblewrap (or `unshare`, where there is no bubblewrap) with a fresh Python that imports the policy
and runs the same program. All are measured in turns, and medians compared.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from benchmarks.report import Figure, report, spread
from runner.sandbox import Module, Outcome, Pool, Program, Verdict, confinement_status
from runner.sandbox.launching import bubblewrap_command, dependencies

_ROOT = Path(__file__).resolve().parents[1]
# Between two runs, so that what one leaves to be done doesn't weigh on the next measurement.
_PAUSE_SECONDS = 0.006

_TINY = Program(
    (
        Module("Add", "def Add(a, b): return a + b\n"),
        Module("test", "assert Add(1, 2) == 3", ("Add",)),
    ),
    "test",
    "Add",
)

_MEDIUM_SOURCE = r'''
"""Evaluates arithmetic: a tokenizer, a parser and a tree, as people write them."""

import re
from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from functools import reduce
from math import prod


class Kind(Enum):
    NUMBER = "number"
    SIGN = "sign"
    OPEN = "open"
    CLOSE = "close"


@dataclass(frozen=True)
class Token:
    kind: Kind
    text: str
    place: int


@dataclass
class Node:
    sign: str
    children: list = field(default_factory=list)
    value: float = 0.0

    def evaluate(self) -> float:
        values = [child.evaluate() for child in self.children]
        match self.sign, values:
            case "number", []:
                return self.value
            case "+", _:
                return sum(values)
            case "-", [only]:
                return -only
            case "-", [first, *rest]:
                return first - sum(rest)
            case "*", _:
                return prod(values)
            case "/", [first, *rest]:
                return reduce(lambda a, b: a / b, rest, first)
            case _:
                raise ValueError(f"no meaning: {self.sign!r} of {len(values)}")


PATTERN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<sign>[-+*/])|(?P<open>\()|(?P<close>\)))"
)


def tokens(text: str):
    place = 0
    while place < len(text.rstrip()):
        found = PATTERN.match(text, place)
        if not found:
            raise SyntaxError(f"at {place}: {text[place:]!r}")
        yield Token(Kind(found.lastgroup), found[found.lastgroup], place)
        place = found.end()


class Parser:
    LEVELS = ("+-", "*/")

    def __init__(self, text: str) -> None:
        self.rest = list(tokens(text))
        self.seen = Counter(token.kind for token in self.rest)

    def next_is(self, signs: str) -> bool:
        return bool(self.rest) and self.rest[0].text in signs

    def parse(self, level: int = 0) -> Node:
        if level == len(self.LEVELS):
            return self.parse_one()
        left = self.parse(level + 1)
        while self.next_is(self.LEVELS[level]):
            sign = self.rest.pop(0).text
            left = Node(sign, [left, self.parse(level + 1)])
        return left

    def parse_one(self) -> Node:
        token = self.rest.pop(0)
        if token.kind is Kind.NUMBER:
            return Node("number", value=float(token.text))
        if token.text == "-":
            return Node("-", [self.parse_one()])
        node = self.parse()
        self.rest.pop(0)
        return node


def Evaluate(text: str) -> float:
    return Parser(text).parse().evaluate()
'''

_MEDIUM = Program(
    (
        Module("Evaluate", _MEDIUM_SOURCE),
        Module("test", "assert Evaluate('2 * (3 + 4) - 10 / 4') == 11.5", ("Evaluate",)),
    ),
    "test",
    "Evaluate",
)

# Answers each line with the microseconds of one fork, execution, pipe and wait.
_FLOOR = """
import os, sys, time
clock = time.perf_counter
for _ in sys.stdin:
    began = clock()
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        exec(compile("x = 1 + 2", "x", "exec"), {})
        os.write(writing, b"x")
        os._exit(0)
    os.close(writing)
    os.read(reading, 1)
    os.waitpid(pid, 0)
    os.close(reading)
    print(clock() - began, flush=True)
"""

# Without the child's own filter and limits: the yardstick gets off lightly.
_FRESH = """
import sys
sys.path[:0] = {path!r}
from runner.sandbox.execution import Execution
from runner.sandbox.output import Output
from runner.sandbox.shims import make_import, make_shims
program = {program!r}
result = Execution(program, Output(1), make_import(make_shims())).run()
sys.exit(result["verdict"] != "passed")
"""


@contextmanager
def _floor() -> Iterator[Callable[[], float]]:
    """A function that gives the seconds of one floor, measured in a small process of its own."""
    with subprocess.Popen(
        [sys.executable, "-I", "-c", _FLOOR],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as process:
        stdin, stdout = process.stdin, process.stdout
        assert stdin is not None
        assert stdout is not None

        def measure() -> float:
            stdin.write("\n")
            return float(stdout.readline())

        yield measure
        stdin.close()


def _run(pool: Pool, program: Program) -> None:
    outcome = pool.run(program)
    if outcome.verdict is not Verdict.PASSED:
        raise RuntimeError(f"the benchmark's program did not pass: {outcome.message}")


def _timed(action: Callable[[], object]) -> float:
    time.sleep(_PAUSE_SECONDS)
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def _fresh_command() -> tuple[str, list[str]]:
    """How a fresh confined Python is started here, in words and as a command."""
    program = {
        "modules": [[module.name, module.source, list(module.binds)] for module in _TINY.modules],
        "entry": _TINY.entry,
        "subject": _TINY.subject,
        "seed": "",
        "arguments": {},
    }
    path = [str(_ROOT), str(dependencies())]
    python = [sys.executable, "-s", "-P", "-c", _FRESH.format(path=path, program=program)]
    if shutil.which("bwrap"):
        return "bubblewrap", [*bubblewrap_command(), *python]
    spaces = ["--user", "--map-root-user", "--pid", "--net", "--ipc", "--uts", "--mount"]
    return "unshare (bubblewrap is missing)", ["unshare", *spaces, "--fork", *python]


def _throughput(count: int, run_all: Callable[[], object]) -> float:
    began = time.perf_counter()
    run_all()
    return count / (time.perf_counter() - began)


def _run_map(pool: Pool, count: int) -> None:
    for _, outcome in pool.map((n, _TINY) for n in range(count)):
        if not isinstance(outcome, Outcome) or outcome.verdict is not Verdict.PASSED:
            raise RuntimeError(f"the benchmark's program did not pass: {outcome}")


def _run_fresh(command: Sequence[str], count: int, workers: int) -> None:
    def once(_: int) -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    with ThreadPoolExecutor(workers) as executor:
        list(executor.map(once, range(count)))


def _latency_figures(runs: int) -> list[Figure]:
    floors, tiny, medium = [], [], []
    with _floor() as floor, Pool() as pool:
        for action in (floor, lambda: _run(pool, _TINY), lambda: _run(pool, _MEDIUM)):
            for _ in range(10):
                action()
        for _ in range(runs):
            time.sleep(_PAUSE_SECONDS)
            floors.append(floor())
            tiny.append(_timed(lambda: _run(pool, _TINY)))
            medium.append(_timed(lambda: _run(pool, _MEDIUM)))
    one = statistics.median(floors)
    over = {"tiny": [t / one for t in tiny], "medium": [m / one for m in medium]}
    tiny_ms, floor_ms = statistics.median(tiny) * 1e3, one * 1e3
    return [
        Figure(
            "tiny_latency_floors",
            statistics.median(over["tiny"]),
            "floors",
            "<= 2.5",
            runs,
            spread(over["tiny"]),
        ),
        Figure(
            "medium_latency_floors",
            statistics.median(over["medium"]),
            "floors",
            "",
            runs,
            spread(over["medium"]),
        ),
        Figure("floor_ms", floor_ms, "ms", "", runs, spread(floors)),
        Figure("tiny_latency_ms", tiny_ms, "ms", "", runs, spread(tiny)),
    ]


def _throughput_figures(rounds: int) -> list[Figure]:
    """Runs a second on all cores, in turns with the fresh interpreter."""
    workers = min(os.cpu_count() or 1, 2)
    name, command = _fresh_command()
    print(f"fresh confined Python: through {name}")
    ours, fresh = [], []
    with Pool(workers) as pool:
        _run_map(pool, 20)
        _run_fresh(command, workers, workers)
        for _ in range(rounds):
            ours.append(_throughput(100, lambda: _run_map(pool, 100)))
            fresh.append(_throughput(12, lambda: _run_fresh(command, 12, workers)))
    ratios = [mine / theirs for mine, theirs in zip(ours, fresh, strict=True)]
    return [
        Figure(
            "fresh_confined_over_ours",
            statistics.median(ratios),
            "times",
            ">= 6",
            rounds,
            spread(ratios),
        ),
        Figure("runs_per_second", statistics.median(ours), "1/s", "", rounds, spread(ours)),
        Figure("fresh_runs_per_second", statistics.median(fresh), "1/s", "", rounds, spread(fresh)),
    ]


def main() -> int:
    """0 when every goal is met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer runs, in a few seconds")
    quick = parser.parse_args().quick
    status = confinement_status()
    print("\n".join(status.lines()))
    if not status.available:
        return 1
    figures = _latency_figures(40 if quick else 300) + _throughput_figures(2 if quick else 7)
    return 0 if report("sandbox", figures) else 1


if __name__ == "__main__":
    sys.exit(main())
