"""What happens when processes stop, die, lie or are kept waiting, at every point of their lives."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path

import pytest

from runner.sandbox import (
    Cancelled,
    Limits,
    LogLine,
    Outcome,
    Pool,
    Program,
    SandboxBroken,
    Verdict,
)
from runner.sandbox.supervisor import prefork
from runner.sandbox.supervisor import run as supervision
from runner.sandbox.supervisor.prefork import Prefork
from runner.sandbox.supervisor.process import Process
from tests.patience import PATIENCE_SECONDS
from tests.sandbox.conftest import program_alone, program_loading, program_testing
from tests.sandbox.test_pool import FOREVER, PATIENT, descendants, open_descriptors, wait_until

PAUSE = "import time\ntime.sleep(0.1)"
ROOMY = Limits(cpu_ms=5_000, wall_ms=20_000)


@pytest.fixture
def own_pool() -> Iterator[Pool]:
    with Pool() as made:
        yield made


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits that only a fault makes long are short."""
    monkeypatch.setattr(supervision, "_END_SECONDS", 1.0)
    monkeypatch.setattr(prefork, "_SPAWN_SECONDS", 1.0)


def state_of(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return ""


def stop(pid: int) -> None:
    """Stop a process, and wait until it has stopped: on another core it may go on for a moment."""
    os.kill(pid, signal.SIGSTOP)
    while state_of(pid) not in ("T", "Z"):
        time.sleep(0.001)


def zygote_itself(pool: Pool) -> int:
    """The process that forks, which in namespaces of its own is the one below."""
    assert pool.zygote_pid is not None
    assert pool.layers is not None
    if pool.layers.launcher == "bare":
        return pool.zygote_pid
    below = {*Path(f"/proc/{pool.zygote_pid}/task/{pool.zygote_pid}/children").read_text().split()}
    (pid,) = below
    return int(pid)


@pytest.mark.usefixtures("impatient")
def test_a_zygote_that_is_stopped_amid_a_run_keeps_nobody_waiting_for_ever(own_pool: Pool) -> None:
    def stop(_: Sequence[LogLine]) -> None:
        os.kill(zygote_itself(own_pool), signal.SIGSTOP)

    began, computed = time.monotonic(), time.process_time()
    limits = Limits(cpu_ms=300, wall_ms=20_000)
    outcome = own_pool.run(program_loading(f"log(1)\n{FOREVER}", limits=limits), on_output=stop)
    # What it did until it was killed is known.
    assert outcome.verdict is Verdict.TIME_LIMIT
    assert 250_000 < outcome.cpu_us < 600_000
    assert outcome.wall_us < 10_000_000
    assert time.monotonic() - began < limits.wall_ms / 1_000
    assert time.process_time() - computed < 0.5
    assert own_pool.run(program_loading("F = 1")).verdict is Verdict.PASSED


@pytest.mark.usefixtures("impatient")
def test_a_crash_that_nobody_tells_of_is_no_verdict(own_pool: Pool) -> None:
    def stop_and_crash(_: Sequence[LogLine]) -> None:
        zygote = zygote_itself(own_pool)
        stop(zygote)
        running = [*descendants(zygote)]
        for pid in running:
            stop(pid)
        # All crash only now and together, so that neither the zygote nor one of them, such as the
        # judge of the subject, can have told of it.
        for sent in (signal.SIGSEGV, signal.SIGCONT):
            for pid in running:
                os.kill(pid, sent)

    waits = program_loading("log(1)\nimport time\ntime.sleep(10)", limits=ROOMY)
    with pytest.raises(SandboxBroken, match="zygote"):
        own_pool.run(waits, on_output=stop_and_crash)


@pytest.mark.usefixtures("impatient")
def test_a_zygote_that_is_stopped_while_idle_is_replaced(own_pool: Pool) -> None:
    os.kill(zygote_itself(own_pool), signal.SIGSTOP)
    for n in range(8):
        assert own_pool.run(program_loading(f"F = {n}")).verdict is Verdict.PASSED


def test_ended_processes_do_not_pile_up(own_pool: Pool) -> None:
    mapping = own_pool.map((n, program_testing("F = 1", f"log({n})")) for n in range(60))
    for _ in range(59):
        next(mapping)
    assert own_pool.zygote_pid is not None
    assert sum(state_of(pid) == "Z" for pid in descendants(own_pool.zygote_pid)) < 10


def test_compiling_a_test_takes_nothing_from_its_time_wherever_it_runs(own_pool: Pool) -> None:
    # About half a second to compile, and as much to run: more than the limit together.
    long = "\n".join(f"def f{n}(a, b): return [a + b, a.x, b[{n}], {n}]" for n in range(1_000))
    compute = "import time\nb = time.process_time()\nwhile time.process_time() - b < 0.45: pass\n"
    limits = Limits(cpu_ms=600, wall_ms=20_000)
    programs = [
        program_testing("F = 1", f"print({n})\ntime = 0\n{long}\n{compute}", limits=limits)
        for n in range(4)
    ]
    for _, outcome in own_pool.map(enumerate(programs)):
        assert isinstance(outcome, Outcome)
        assert outcome.verdict is Verdict.PASSED, outcome.message


def test_a_program_that_says_nothing_for_long_computes_no_longer_than_others(pool: Pool) -> None:
    limits = Limits(cpu_ms=800, wall_ms=20_000)
    code = f"""
import time
began = time.process_time()
while time.process_time() - began < 0.7: pass
log('at last')
{FOREVER}
"""
    # Its code is known the second time, and that it has started isn't told before the line.
    for _ in range(2):
        outcome = pool.run(program_loading(code, limits=limits))
        assert outcome.verdict is Verdict.TIME_LIMIT
        assert outcome.cpu_us < 1_000_000


def test_a_program_that_nobody_watched_for_long_has_run_out_of_time(own_pool: Pool) -> None:
    def be_busy(_: Sequence[LogLine]) -> None:
        time.sleep(4)

    program = program_loading(f"log(1)\n{FOREVER}", limits=Limits(cpu_ms=100))
    assert own_pool.run(program, on_output=be_busy).verdict is Verdict.TIME_LIMIT


def test_the_clock_of_a_process_that_was_reaped_is_nobody_elses() -> None:
    with subprocess.Popen(["true"]) as ended:
        process = Process(1, None)  # type: ignore[arg-type]
        process.handle = os.pidfd_open(ended.pid)
    assert process.cpu_us() is None
    os.close(process.handle)


def test_a_map_given_up_while_several_have_ended_leaves_nothing_open() -> None:
    def be_slow(_ident: Hashable, _: Sequence[LogLine]) -> None:
        time.sleep(0.02)

    programs = [(n, program_loading("log(1)\nF = 1")) for n in range(4)]
    with Pool(4) as pool:
        list(pool.map(programs))
        before = open_descriptors()
        for _ in range(15):
            mapping = pool.map(programs, on_output=be_slow)
            next(mapping)
            mapping.close()  # type: ignore[attr-defined]
        wait_until(lambda: open_descriptors() <= before + 4, "descriptors leak")


def test_a_pool_is_closed_by_the_thread_whose_map_is_under_way() -> None:
    pool = Pool()
    mapping = pool.map((n, program_loading("F = 1")) for n in range(3))
    next(mapping)
    pool.close()
    with pytest.raises(SandboxBroken, match="closed"):
        next(mapping)


def test_a_thread_that_begins_a_map_within_its_own_is_refused(own_pool: Pool) -> None:
    mapping = own_pool.map((n, program_loading("F = 1")) for n in range(3))
    next(mapping)
    with pytest.raises(SandboxBroken, match="another map"):
        own_pool.run(program_loading("F = 1"))
    assert len(list(mapping)) == 2
    assert own_pool.run(program_loading("F = 1")).verdict is Verdict.PASSED


def test_two_threads_take_turns(own_pool: Pool) -> None:
    found: list[object] = []

    def run_some(start: int) -> None:
        found.extend(own_pool.map((start + n, program_testing(f"F = {n}")) for n in range(10)))

    threads = [threading.Thread(target=run_some, args=(start,)) for start in (0, 100, 200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 30


def test_a_pool_is_closed_once_another_threads_map_has_ended() -> None:
    pool = Pool()
    begun, outcomes = threading.Event(), []

    def run() -> None:
        program = program_loading("log(1)\nimport time\ntime.sleep(0.3)\nF = 1")
        outcomes.append(pool.run(program, on_output=lambda _: begun.set()))

    thread = threading.Thread(target=run)
    thread.start()
    begun.wait(PATIENCE_SECONDS)
    pool.close()
    thread.join()
    assert outcomes[0].verdict is Verdict.PASSED


def test_a_long_message_of_a_case_in_any_script_is_told(pool: Pool) -> None:
    test = "def test_a(): raise ValueError('\N{GRINNING FACE}' * 3000)"
    outcome = pool.run(program_testing("F = 1", test))
    assert outcome.verdict is Verdict.ERROR
    assert outcome.cases[0].message.count("\N{GRINNING FACE}") > 1_000


@pytest.mark.parametrize("delay_ms", [0, 1, 2, 5, 20])
def test_what_is_cancelled_at_any_moment_ends_at_once(delay_ms: int) -> None:
    first = [
        (n, program_testing("F = 1", f"print({n})\nimport time\ntime.sleep(0.1)", limits=PATIENT))
        for n in range(3)
    ]
    endless = [
        (n, program_testing("F = 1", f"print({n})\n{FOREVER}", limits=PATIENT)) for n in range(3, 7)
    ]
    with Pool(2) as pool:

        def cancelling() -> Iterator[tuple[Hashable, Program]]:
            yield from first
            for ident, program in endless:
                threading.Timer(delay_ms / 1000, pool.cancel, [ident]).start()
                yield ident, program

        began = time.monotonic()
        outcomes = dict(pool.map(cancelling()))
    assert time.monotonic() - began < PATIENT.wall_ms / 1_000
    assert [outcomes[ident] for ident, _ in endless] == [Cancelled()] * 4


def test_nothing_goes_on_of_a_map_that_is_given_up(own_pool: Pool) -> None:
    programs = [
        program_testing("F = 1", f"print({n})\nimport time\ntime.sleep(0.1)", limits=PATIENT)
        for n in range(3)
    ]
    endless = program_testing("F = 1", FOREVER, limits=PATIENT)
    with Pool(2) as pool:
        for _ in range(3):
            mapping = pool.map([*enumerate(programs), ("e", endless), ("f", programs[0])])
            for _ in range(3):
                next(mapping)
            mapping.close()  # type: ignore[attr-defined]
        top = pool.zygote_pid
        assert top is not None
        wait_until(lambda: all(state_of(pid) != "R" for pid in descendants(top)), "some compute on")


# What a process does beside others.
HOSTILE = {
    "closes its pipe": "os.close(3)\ntime.sleep(1000)",
    "closes everything": "os.closerange(0, 100)\ntime.sleep(1000)",
    "tries to fork": "print(os.fork())",
    "waits for others": "os.waitpid(-1, 0)",
    "talks nonsense": "os.write(3, b'\\xff' * 1000)\ntime.sleep(1000)",
    "begins again and again": "while True: output.ready(); time.sleep(0.01)",
    "has cost nothing": (
        "os.write(3, b'\\x01' + struct.pack('<IQQ', 16, 2**64 - 1, 2**64 - 1))\nwhile True: pass"
    ),
    "has cost everything": (
        "os.write(3, b'\\x03' + struct.pack('<IQQ', 16, 2**64 - 1, 2**64 - 1))"
    ),
    "gives code": "output.compiled(0, b'poison')\ntime.sleep(1000)",
    "sends half a frame": "os.write(3, b'\\x08' + struct.pack('<I', 1000))\nos._exit(0)",
    "stays below its parent": "ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)\ntime.sleep(1000)",
}


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_process_harms_no_other(name: str) -> None:
    limits = Limits(cpu_ms=300, wall_ms=1_500)
    with Pool(2, prefork=Prefork(ahead=4, run="tests.sandbox.bare:run_bare")) as pool:
        before = open_descriptors()
        innocent = program_alone("time.sleep(0.1)", limits=limits)
        hostile = program_alone(HOSTILE[name], limits=limits)
        programs = [(n, hostile if n in (3, 4) else innocent) for n in range(10)]
        began = time.monotonic()
        outcomes = dict(pool.map(programs))
        assert time.monotonic() - began < PATIENCE_SECONDS
        for n, program in programs:
            found = outcomes[n]
            assert isinstance(found, Outcome), found
            assert program is hostile or found.verdict is Verdict.PASSED
        assert pool._codes.get(hostile.modules[0]) is None
        top = pool.zygote_pid
        assert pool.run(innocent).verdict is Verdict.PASSED
        assert pool.zygote_pid == top
        assert top is not None
        wait_until(lambda: len(descendants(top)) <= 8, "strays are left")
        wait_until(lambda: open_descriptors() <= before + 12, "descriptors leak")
