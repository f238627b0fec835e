"""Streaming, cancelling, and what happens when processes die."""
# ruff: noqa: E501

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path

import pytest

from runner.sandbox import (
    Cancelled,
    Limits,
    LogLine,
    Outcome,
    Pool,
    Program,
    Refused,
    SandboxBroken,
    Verdict,
)
from runner.sandbox.programs import Module
from tests.patience import PATIENCE_SECONDS
from tests.sandbox.conftest import program_loading, program_testing

FOREVER = "while True: pass"
PATIENT = Limits(cpu_ms=20_000, wall_ms=20_000)


def wait_until(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def descendants(pid: int) -> set[int]:
    """Every process below this one, by the kernel's own list."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def open_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def kill_whole(pid: int) -> None:
    """Kill a process, and wait until all below it have gone as well."""
    whole = {pid, *descendants(pid)}
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not any(map(is_alive, whole)), "processes outlived the one above")


def test_lines_stream_while_the_code_runs(pool: Pool) -> None:
    seen: list[str] = []

    def take(ident: Hashable, lines: Sequence[LogLine]) -> None:
        seen.extend(line.text for line in lines)
        pool.cancel(ident)

    endless = program_testing("F = 1", f"print('first')\n{FOREVER}", limits=PATIENT)
    assert list(pool.map([(1, endless)], on_output=take)) == [(1, Cancelled())]
    assert seen == ["first"]


def test_each_line_has_its_time(pool: Pool) -> None:
    code = "import time\nprint('first')\ntime.sleep(0.2)\nprint('second', end='')"
    first, second = pool.run(program_testing("F = 1", code)).log
    assert (first.text, second.text) == ("first", "second")
    assert second.ms - first.ms > 190


def test_a_map_gives_every_program_its_outcome(pool: Pool) -> None:
    programs = [(n, program_testing(f"F = {n}", "assert F % 2 == 0\nlog(F)")) for n in range(20)]
    lines: dict[Hashable, list[str]] = {}

    def take(ident: Hashable, new: Sequence[LogLine]) -> None:
        lines.setdefault(ident, []).extend(line.text for line in new)

    outcomes = dict(pool.map(programs, on_output=take))
    assert {n for n, o in outcomes.items() if isinstance(o, Outcome) and o.verdict == "passed"} == {
        *range(0, 20, 2)
    }
    assert lines == {n: [str(n)] for n in range(0, 20, 2)}


def test_a_slow_program_does_not_hold_up_the_others(pool: Pool) -> None:
    slow = program_loading(FOREVER, limits=PATIENT)
    programs = [("slow", slow), *((n, program_testing("F = 1")) for n in range(5))]
    mapping = pool.map(programs)
    assert [next(mapping)[0] for _ in range(5)] == list(range(5))
    pool.cancel("slow")
    assert list(mapping) == [("slow", Cancelled())]


def test_a_run_is_cancelled_from_another_thread(pool: Pool) -> None:
    timer = threading.Timer(0.2, pool.cancel, ["endless"])
    timer.start()
    programs = [
        ("endless", program_loading(FOREVER, limits=PATIENT)),
        ("short", program_loading("F = 1")),
    ]
    began = time.monotonic()
    outcomes = dict(pool.map(programs))
    assert outcomes["endless"] == Cancelled()
    assert isinstance(outcomes["short"], Outcome)
    assert time.monotonic() - began < PATIENT.wall_ms / 2_000


def test_what_is_cancelled_before_it_starts_never_runs(pool: Pool) -> None:
    outcomes = {}
    programs = [(n, program_testing("F = 1", "log('ran')")) for n in range(4)]
    mapping = pool.map(programs)
    first, outcome = next(mapping)
    outcomes[first] = outcome
    pool.cancel(3)
    outcomes.update(mapping)
    assert outcomes[3] == Cancelled()


def test_a_map_that_is_given_up_kills_what_it_started(pool: Pool) -> None:
    mapping = pool.map(
        [("a", program_loading("F = 1")), ("b", program_loading(FOREVER, limits=PATIENT))]
    )
    assert next(mapping)[0] == "a"
    mapping.close()  # type: ignore[attr-defined]
    before = time.monotonic()
    assert pool.run(program_loading("F = 1")).verdict is Verdict.PASSED
    assert time.monotonic() - before < PATIENT.wall_ms / 2_000


def test_a_zygote_killed_amid_a_run_breaks_that_run_only() -> None:
    with Pool() as pool:
        pid = pool.zygote_pid
        assert pid is not None
        endless = program_loading(f"log('on')\n{FOREVER}", limits=PATIENT)
        with pytest.raises(SandboxBroken, match="zygote"):
            pool.run(endless, on_output=lambda _: os.kill(pid, signal.SIGKILL))
        assert pool.run(program_loading("F = 1")).verdict is Verdict.PASSED
        assert pool.zygote_pid != pid


def test_a_zygote_killed_between_two_runs_breaks_the_one_beside_them() -> None:
    with Pool(2) as pool:
        endless = program_loading(FOREVER, limits=PATIENT)
        short = program_loading("F = 1")
        mapping = pool.map([("endless", endless), ("first", short), ("second", short)])
        assert next(mapping)[0] == "first"
        assert pool.zygote_pid is not None
        kill_whole(pool.zygote_pid)
        began = time.monotonic()
        outcomes = dict(mapping)
        assert time.monotonic() - began < PATIENT.wall_ms / 2_000
    assert isinstance(outcomes["endless"], SandboxBroken)
    assert isinstance(outcomes["second"], Outcome)


def test_a_zygote_killed_while_idle_is_replaced_unnoticed() -> None:
    with Pool() as pool:
        pid = pool.zygote_pid
        assert pid is not None
        kill_whole(pid)
        assert pool.run(program_loading("F = 1")).verdict is Verdict.PASSED


def test_a_child_killed_from_outside_is_no_verdict() -> None:
    def used(pid: int) -> int:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11])

    with Pool() as pool:
        pid = pool.zygote_pid
        assert pid is not None

        def kill_the_running_one(_: Sequence[LogLine]) -> None:
            before = {child: used(child) for child in descendants(pid)}
            # Nobody but the endless program computes on and on.
            time.sleep(0.5)
            os.kill(max(before, key=lambda child: used(child) - before[child]), signal.SIGKILL)

        endless = program_loading(f"log('on')\n{FOREVER}", limits=PATIENT)
        with pytest.raises(SandboxBroken, match="killed from outside"):
            pool.run(endless, on_output=kill_the_running_one)


WORKER = """
import os, sys, threading
from runner.sandbox import Limits, Module, Pool, Program
pool = Pool(2)
endless = Program((Module("F", "log('on')\\nwhile True: pass"),), "load", "F", Limits(60000, 60000))
def ready(ident, lines):
    print("running", flush=True)
# In a thread of its own: the one that made the pool must not matter.
threading.Thread(target=lambda: list(pool.map([(1, endless), (2, endless)], on_output=ready))).start()
"""


def test_a_killed_worker_leaves_no_process_behind() -> None:
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", WORKER], cwd=root, stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "running\n"
        assert worker.stdout.readline() == "running\n"
        below = descendants(worker.pid)
        assert len(below) >= 4
        worker.kill()
    wait_until(lambda: not any(map(is_alive, below)), "processes outlived their worker")


def test_a_closed_pool_leaves_no_process_behind() -> None:
    before = descendants(os.getpid())
    pool = Pool(2)
    below = descendants(os.getpid()) - before
    assert below
    pool.close()
    wait_until(lambda: not any(map(is_alive, below)), "processes outlived their pool")


def test_a_closed_pool_runs_nothing_more() -> None:
    pool = Pool()
    pool.close()
    pool.cancel("nothing")
    with pytest.raises(SandboxBroken, match="closed"):
        pool.run(program_loading("F = 1"))


def test_a_pool_is_of_no_use_to_a_fork_of_its_process(pool: Pool) -> None:
    pid = os.fork()
    if not pid:
        code = 1
        with contextlib.suppress(BaseException):
            try:
                pool.run(program_loading("F = 1"))
            except SandboxBroken:
                code = 0
        os._exit(code)
    assert os.waitpid(pid, 0)[1] == 0
    assert pool.run(program_loading("F = 1")).verdict is Verdict.PASSED


def test_the_thread_that_made_a_pool_may_end() -> None:
    made: list[Pool] = []
    thread = threading.Thread(target=lambda: made.append(Pool()))
    thread.start()
    thread.join()
    time.sleep(0.1)
    with made[0] as pool:
        pid = pool.zygote_pid
        assert pool.run(program_loading("F = 1")).verdict is Verdict.PASSED
        assert pool.zygote_pid == pid


def test_a_pool_leaks_no_descriptors() -> None:
    with Pool() as pool:
        pool.run(program_loading("F = 1"))
        before = open_descriptors()
        for _ in range(30):
            pool.run(program_loading("F = 1"))
        wait_until(lambda: open_descriptors() <= before + 2, "descriptors leak")


@pytest.mark.parametrize(
    "build",
    [
        lambda: Program((Module("F", ""),), "guess", "F"),
        lambda: Program((Module("F", ""),), "load", "G"),
        lambda: Program((Module("F", ""), Module("F", "")), "load", "F"),
        lambda: Program((Module("F", "", ("G",)),), "load", "F"),
        lambda: Program((Module("F", ""),), "test", "F"),
        lambda: Program((Module("../F", ""),), "load", "../F"),
        lambda: Program((Module("F", ""),), "call", "F", arguments={"args": [{1}]}),
        lambda: Program((Module("F", ""),), "call", "F", arguments={"args": [float("nan")]}),
        lambda: Program((Module("F", ""),), "call", "F", arguments={"args": {}}),
        lambda: Program((Module("F", ""),), "call", "F", arguments={"positional": []}),
        lambda: Limits(cpu_ms=0),
        lambda: Limits(memory_bytes=-1),
    ],
)
def test_a_program_built_wrongly_is_refused_at_once(build: Callable[[], object]) -> None:
    with pytest.raises(Refused):
        build()
