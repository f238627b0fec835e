"""Runs in the sandbox, relative to a bare fork and to a fresh confined Python, in turns.

The floor is the cost of any process per run: a warm interpreter as large as the zygote forks, and
waits for the child, which executes a compiled statement and writes to a pipe. The other yardstick
starts bubblewrap (else `unshare`) with a fresh Python that imports the policy and runs the same
program.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Self

from benchmarks.compute import compute_figures
from benchmarks.report import Figure, report, spread
from benchmarks.sandbox_programs import MEDIUM, TINY, twenty
from runner.sandbox import INTERPRETER, Outcome, Pool, Program, Verdict, inspect
from runner.sandbox.supervisor.launcher import bubblewrap_command
from runner.sandbox.supervisor.placement import content_of, place

_ROOT = Path(__file__).resolve().parents[1]
_PATH = [str(_ROOT), INTERPRETER.packages]
# Between two runs, so that cleanup of one doesn't slow down the next, and children are ready.
_PAUSE_SECONDS = 0.04
# The same if several pools share a core, as each warms up its children after its map.
_REST_SECONDS = 0.15
_CORES = sorted(os.sched_getaffinity(0))[:2]

# Reads counts; for each, writes the seconds of as many forks, executions, pipes and waits.
_FLOOR = """
import os, sys, time
sys.path[:0] = {path!r}
from runner.sandbox.process.child import Template
from runner.sandbox.process.roles import roles
asked, answers = sys.stdin, sys.stdout
template = Template(os.uname().machine, roles)
template.prepare()
clock = time.perf_counter
code = compile("x = 1 + 2", "x", "exec")
print("ready", file=answers, flush=True)
for line in asked:
    began = clock()
    for _ in range(int(line)):
        reading, writing = os.pipe()
        pid = os.fork()
        if not pid:
            exec(code, {{}})
            os.write(writing, b"x")
            os._exit(0)
        os.close(writing)
        os.read(reading, 1)
        os.waitpid(pid, 0)
        os.close(reading)
    print(clock() - began, file=answers, flush=True)
"""

# One process of a run, without filter, limits and imports, in favour of the yardstick.
_FRESH = """
import sys
sys.path[:0] = {path!r}
import builtins
from runner.sandbox.language.environment import check
from runner.sandbox.process.output import Output
from runner.sandbox.process.roles import roles
class Silence(Output):
    def _send(self, frames): pass
vars(builtins).update(check=check, log=print)
result = roles({content!r}, Silence(1), [int(border) for border in sys.argv[1:]])
sys.exit(result is not None and result["verdict"] != "passed")
"""

# Reads counts; for each, writes the seconds of as many tiny programs on its core.
_WORKER = """
import os, sys, time
sys.path[:0] = {path!r}
os.sched_setaffinity(0, {{{core}}})
from benchmarks.sandbox import run_all
from benchmarks.sandbox_programs import TINY
from runner.sandbox import Pool
with Pool() as pool:
    run_all(pool, [TINY] * 50)
    print("ready", flush=True)
    for line in sys.stdin:
        began = time.perf_counter()
        run_all(pool, [TINY] * int(line))
        print(time.perf_counter() - began, flush=True)
"""


class _Measured:
    """A process that repeats an action a given number of times, and returns the seconds."""

    def __init__(self, source: str, **values: Any) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-P", "-c", source.format(path=_PATH, **values)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.finish()

    def begin(self, count: int) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{count}\n")

    def finish(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def seconds(self, count: int = 1) -> float:
        """Return the seconds of one repetition out of `count`."""
        self.begin(count)
        return float(self.finish()) / count

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()


@contextmanager
def _pinned(cores: Iterable[int]) -> Iterator[None]:
    """Pin this process and its children to these CPUs."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(cores))
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def run_all(pool: Pool, programs: Sequence[Program]) -> None:
    """Run programs in one map; each must pass."""
    for _, outcome in pool.map(enumerate(programs)):
        if not isinstance(outcome, Outcome) or outcome.verdict is not Verdict.PASSED:
            raise RuntimeError(f"the benchmark's program did not pass: {outcome}")


def _seconds(action: Callable[[], object], count: int = 1) -> float:
    began = time.perf_counter()
    action()
    return (time.perf_counter() - began) / count


def _figure(name: str, unit: str, goal: str, samples: Sequence[float]) -> Figure:
    return Figure(name, statistics.median(samples), unit, goal, len(samples), spread(samples))


def _latency_figures(runs: int) -> list[Figure]:
    floors: list[float] = []
    tiny: list[float] = []
    medium: list[float] = []
    with _Measured(_FLOOR) as floor, Pool() as pool:
        for program in (TINY, MEDIUM) * 3:
            pool.run(program)
        floor.seconds(10)
        for _ in range(runs):
            time.sleep(_PAUSE_SECONDS)
            floors.append(floor.seconds())
            time.sleep(_PAUSE_SECONDS)
            tiny.append(_seconds(lambda: run_all(pool, [TINY])))
            time.sleep(_PAUSE_SECONDS)
            medium.append(_seconds(lambda: run_all(pool, [MEDIUM])))
    one = statistics.median(floors)
    return [
        _figure("tiny_latency_floors", "floors", "<= 0.6", [t / one for t in tiny]),
        _figure("medium_latency_floors", "floors", "<= 2.2", [m / one for m in medium]),
        _figure("floor_ms", "ms", "", [f * 1e3 for f in floors]),
        _figure("tiny_latency_ms", "ms", "", [t * 1e3 for t in tiny]),
        _figure("medium_latency_ms", "ms", "", [m * 1e3 for m in medium]),
    ]


def _sustained_figures(rounds: int) -> list[Figure]:
    """Measure tiny programs without pauses, and the 20 tests, on one core and on two.

    Each round has a new implementation for the pool, then the same one again.
    """
    one_core, two_cores, throughput, again = [], [], [], []
    with ExitStack() as stack:
        stack.enter_context(_pinned(_CORES[:1]))
        floor = stack.enter_context(_Measured(_FLOOR))
        narrow = stack.enter_context(Pool())
        with _pinned(_CORES):
            wide = stack.enter_context(Pool(len(_CORES)))
        for version in range(-3, 0):
            run_all(narrow, twenty(version))
            run_all(wide, twenty(version))
        for version in range(rounds):
            tests = twenty(version)
            time.sleep(_REST_SECONDS)
            one = floor.seconds(100)
            throughput.append(one / _seconds(lambda: run_all(narrow, [TINY] * 200), 200))
            time.sleep(_REST_SECONDS)
            one_core.append(_seconds(partial(run_all, narrow, tests), 20) / one)
            again.append(_seconds(partial(run_all, narrow, tests), 20) / one)
            time.sleep(_REST_SECONDS)
            with _pinned(_CORES):
                two_cores.append(_seconds(partial(run_all, wide, tests), 20) / one)
    return [
        _figure("throughput_over_floor", "of it", ">= 0.33", throughput),
        _figure("twenty_tests_floors_one_core", "floors", "<= 3.5", one_core),
        _figure("twenty_tests_floors_two_cores", "floors", "<= 2.0", two_cores),
        _figure("twenty_tests_again_floors", "floors", "", again),
    ]


def fresh_run(program: Program) -> tuple[str, Callable[[], None]]:
    """Return the confinement tool's name, and a function that runs the program in fresh Pythons."""
    placements = place(program)
    codes = [[None] * len(placement.modules) for placement in placements]
    sources = [
        _FRESH.format(path=_PATH, content=content_of(program, placements, number, known))
        for number, known in enumerate(codes)
    ]
    if shutil.which("bwrap"):
        name, prefix = "bubblewrap", bubblewrap_command()
    else:
        spaces = ["--user", "--map-root-user", "--pid", "--net", "--ipc", "--uts", "--mount"]
        name, prefix = "unshare (bubblewrap is missing)", ["unshare", *spaces, "--fork"]
    commands = [[*prefix, sys.executable, "-s", "-P", "-c", source] for source in sources]
    return name, partial(_run_set, commands)


def _run_set(commands: Sequence[Sequence[str]]) -> None:
    """Start a judge and the other processes, connected as in a run, and wait for all."""
    nothing = subprocess.DEVNULL
    with ExitStack() as stack:
        pairs = [[stack.enter_context(end) for end in socket.socketpair()] for _ in commands[1:]]
        borders = [[pair[0].fileno() for pair in pairs], *([p[1].fileno()] for p in pairs)]
        running = [
            subprocess.Popen(
                [*command, *map(str, ends)], pass_fds=ends, stdout=nothing, stderr=nothing
            )
            for command, ends in zip(commands, borders, strict=True)
        ]
    if any(process.wait() for process in running):
        raise RuntimeError("the benchmark's program did not pass in fresh Pythons")


def run_fresh(once: Callable[[], None], count: int, workers: int) -> None:
    """Run `count` sets, `workers` at a time."""
    with ThreadPoolExecutor(workers) as executor:
        list(executor.map(lambda _: once(), range(count)))


def _throughput_figures(rounds: int) -> list[Figure]:
    """Measure one and two workers, each on a core, and fresh Pythons in as many processes."""
    name, fresh_once = fresh_run(TINY)
    print(f"fresh confined Python: by {name}")
    gains, ratios, rates = [], [], []
    with ExitStack() as stack:
        workers = [stack.enter_context(_Measured(_WORKER, core=core)) for core in _CORES]
        run_fresh(fresh_once, len(_CORES), len(_CORES))
        for _ in range(rounds):
            alone = [worker.seconds(200) for worker in workers]
            for worker in workers:
                worker.begin(200)
            together = [float(worker.finish()) / 200 for worker in workers]
            rates.append(sum(1 / seconds for seconds in together))
            gains.append(rates[-1] / statistics.mean(1 / seconds for seconds in alone))
            fresh = _seconds(lambda: run_fresh(fresh_once, 8, len(_CORES)), 8)
            ratios.append(rates[-1] * fresh)
    return [
        _figure("fresh_confined_over_ours", "times", ">= 20", ratios),
        _figure("two_cores_over_one", "times", ">= 1.9", gains),
        _figure("runs_per_second", "1/s", "", rates),
    ]


def _memory_figures() -> list[Figure]:
    """Measure the private memory of two zygotes with eight ready sets in total."""
    with Pool() as first, Pool() as second:
        pools = [first, second]
        for pool in pools:
            run_all(pool, [TINY] * 4)
        time.sleep(1)
        processes = [pid for pool in pools for pid in _descendants(pool.zygote_pid or 0)]
        shared = sum(_proportional_bytes(pid) for pid in processes)
    return [
        Figure("pool_unique_mb", shared / 1e6, "MB", "<= 200", 1),
        Figure("pool_processes", len(processes), "", "", 1),
    ]


def _descendants(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [pid, *(below for child in children for below in _descendants(int(child)))]


def _proportional_bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def _drift_figures(count: int) -> list[Figure]:
    """Measure the last of many runs of a pool relative to a new pool's, in turns; and leaks.

    Its own first runs are no comparison, as the machine's speed may double or halve within minutes.
    """
    window = min(1000, count // 5)
    with Pool(len(_CORES)) as aged:
        run_all(aged, [TINY] * 200)

        def held() -> tuple[int, int, int]:
            time.sleep(0.5)
            resident = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
            descriptors = len(list(Path("/proc/self/fd").iterdir()))
            return int(resident) * 4096, descriptors, len(_descendants(aged.zygote_pid or 0))

        before = held()
        for _ in range((count - window) // 1000):
            run_all(aged, [TINY] * 1000)
        with Pool(len(_CORES)) as fresh:
            run_all(fresh, [TINY] * 200)
            drifts = [_drift(aged, fresh, window // 40, number % 2) for number in range(40)]
        after = held()
    grown = (after[0] - before[0]) / 1e6
    return [
        Figure(
            "drift_over_100k", statistics.median(drifts), "times", "<= 1.05", count, spread(drifts)
        ),
        Figure("grown_mb", grown, "MB", "", count),
        Figure("grown_descriptors", after[1] - before[1], "", "", count),
        Figure("grown_processes", after[2] - before[2], "", "", count),
    ]


def _drift(aged: Pool, fresh: Pool, runs: int, first: int) -> float:
    """Return the ratio of the pools' times; they take turns in going first."""
    seconds = {}
    for pool in (aged, fresh) if first else (fresh, aged):
        time.sleep(_REST_SECONDS)  # the other pool warms up its children
        seconds[pool] = _seconds(partial(run_all, pool, [TINY] * runs), runs)
    return seconds[aged] / seconds[fresh]


def main() -> int:
    """Measure; return 0 if all goals are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer runs, in half a minute")
    quick = parser.parse_args().quick
    status = inspect()
    print("\n".join(status.lines()))
    if status.layers is None:
        return 1
    figures = [
        *_latency_figures(40 if quick else 200),
        *_sustained_figures(3 if quick else 15),
        *_throughput_figures(2 if quick else 9),
        *compute_figures(5 if quick else 25),
        *_memory_figures(),
        *_drift_figures(3_000 if quick else 100_000),
    ]
    return 0 if report("sandbox", figures) else 1


if __name__ == "__main__":
    sys.exit(main())
