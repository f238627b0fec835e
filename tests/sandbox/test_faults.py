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
    Module,
    Outcome,
    Pool,
    Program,
    SandboxBroken,
    Verdict,
    brood,
    broods,
    nursery,
    supervision,
)
from runner.sandbox.handles import Child
from tests.patience import PATIENCE_SECONDS
from tests.sandbox.conftest import program_loading, program_testing
from tests.sandbox.test_broods import SHARED, program_of
from tests.sandbox.test_pool import FOREVER, PATIENT, descendants, open_descriptors, wait_until

ROOMY = Limits(cpu_ms=5_000, wall_ms=20_000)


@pytest.fixture
def own_pool() -> Iterator[Pool]:
    with Pool() as made:
        yield made


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits that only a fault makes long are short."""
    monkeypatch.setattr(supervision, "_END_SECONDS", 1.0)
    monkeypatch.setattr(nursery, "_SPAWN_SECONDS", 1.0)
    monkeypatch.setattr(brood, "_ANSWER_SECONDS", 0.5)
    monkeypatch.setattr(broods, "_END_SECONDS", 0.0)


def state_of(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return ""


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
    def stop(_: Sequence[LogLine]) -> None:
        os.kill(zygote_itself(own_pool), signal.SIGSTOP)

    overflow = "m = [1]\nfor _ in range(10 ** 6): m = map(len, m)\nlist(m)"
    crash = f"log(1)\nimport time\ntime.sleep(0.2)\n{overflow}"
    with pytest.raises(SandboxBroken, match="zygote"):
        own_pool.run(program_loading(crash, limits=ROOMY), on_output=stop)


@pytest.mark.usefixtures("impatient")
def test_a_zygote_that_is_stopped_while_idle_is_replaced(own_pool: Pool) -> None:
    os.kill(zygote_itself(own_pool), signal.SIGSTOP)
    for n in range(8):
        assert own_pool.run(program_loading(f"F = {n}")).verdict is Verdict.PASSED


def test_no_run_is_lost_where_two_parents_have_children() -> None:
    pause = "import time\ntime.sleep(0.1)\n"
    first = [(f"a{n}", program_of(f"log({n})\n{pause}", limits=ROOMY)) for n in range(3)]
    long = ("long", program_of(f"log('long')\n{pause * 25}", limits=ROOMY))
    other = SHARED + "\nother = 1\n"
    second = [(f"b{n}", program_of(f"log({n})\n{pause}", other, ROOMY)) for n in range(12)]
    with Pool(2) as pool:
        outcomes = dict(pool.map([*first, long, *second]))
    assert len(outcomes) == 16
    assert {o.verdict for o in outcomes.values() if isinstance(o, Outcome)} == {Verdict.PASSED}


def test_the_ended_children_of_a_parent_do_not_pile_up(own_pool: Pool) -> None:
    mapping = own_pool.map((n, program_of(f"log({n})")) for n in range(60))
    for _ in range(59):
        next(mapping)
    assert own_pool.zygote_pid is not None
    assert sum(state_of(pid) == "Z" for pid in descendants(own_pool.zygote_pid)) < 10


def test_modules_that_receive_names_of_the_test_are_not_loaded_without_it(own_pool: Pool) -> None:
    modules = [Module("F", SHARED, ("test",)), Module("test", "F()", ("F",))]
    for _, outcome in own_pool.map((n, Program((*modules,), "test", "F")) for n in range(4)):
        assert isinstance(outcome, Outcome)
        assert outcome.verdict is Verdict.PASSED


def test_compiling_a_test_takes_nothing_from_its_time_wherever_it_runs(own_pool: Pool) -> None:
    # About half a second to compile, and as much to run: more than the limit together.
    long = "\n".join(f"def f{n}(a, b): return [a + b, a.x, b[{n}], {n}]" for n in range(1_000))
    compute = "import time\nb = time.process_time()\nwhile time.process_time() - b < 0.45: pass\n"
    limits = Limits(cpu_ms=600, wall_ms=20_000)
    programs = [program_of(f"F({n})\ntime = 0\n{long}\n{compute}", limits=limits) for n in range(4)]
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
        child = Child(1, None)  # type: ignore[arg-type]
        child.process = os.pidfd_open(ended.pid)
    assert child.cpu_us() is None
    os.close(child.process)


def test_who_is_killed_or_closed_before_it_is_known_is_so_afterwards() -> None:
    import socket  # noqa: PLC0415

    ours, theirs = socket.socketpair()
    with subprocess.Popen(["sleep", "60"]) as process, theirs:
        child = Child(1, ours)
        child.kill()
        child.close()
        handle = os.pidfd_open(process.pid)
        child.meet(handle)
        assert process.wait(PATIENCE_SECONDS) == -signal.SIGKILL
    assert child.process is None
    with pytest.raises(OSError, match="Bad file"):
        os.fstat(handle)


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
def test_what_is_cancelled_in_a_brood_at_any_moment_ends_at_once(delay_ms: int) -> None:
    first = [
        (n, program_of(f"F({n})\nimport time\ntime.sleep(0.1)", limits=PATIENT)) for n in range(3)
    ]
    endless = [(n, program_of(f"F({n})\n{FOREVER}", limits=PATIENT)) for n in range(3, 7)]
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


def test_nothing_goes_on_of_a_brood_whose_map_is_given_up(own_pool: Pool) -> None:
    programs = [
        program_of(f"F({n})\nimport time\ntime.sleep(0.1)", limits=PATIENT) for n in range(3)
    ]
    endless = program_of(FOREVER, limits=PATIENT)
    with Pool(2) as pool:
        for _ in range(3):
            mapping = pool.map([*enumerate(programs), ("e", endless), ("f", programs[0])])
            for _ in range(3):
                next(mapping)
            mapping.close()  # type: ignore[attr-defined]
        top = pool.zygote_pid
        assert top is not None
        wait_until(lambda: all(state_of(pid) != "R" for pid in descendants(top)), "some compute on")


# Loading takes long enough to be done once for all.
BURN = "import time\nb = time.process_time()\nwhile time.process_time() - b < 0.005: pass\n"
HOSTILE = {
    # What it does instead of serving, once it has loaded.
    "a parent that never forks": "import time\ntime.sleep(1000)",
    "a parent that ends": "os._exit(0)",
    "a parent that forks and says nothing": "import time\npid = os.fork()\ntime.sleep(1000)",
    "a parent that talks nonsense": "os.write(3, b'x' * 1000)",
}


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_parent_harms_nobody_else(name: str, born: list[Program]) -> None:
    is_parent = "len(modules) == 1"
    shared = f"{BURN}\noutput.loaded()\nif {is_parent}:\n" + "".join(
        f"    {line}\n" for line in HOSTILE[name].split("\n")
    )
    limits = Limits(cpu_ms=500, wall_ms=2_000)
    ward = nursery.Nursery(ahead=2, run="tests.sandbox.raw:run_all_plainly")
    with Pool(2, nursery=ward) as pool:
        before = open_descriptors()
        innocent = program_of("x = 1", "y = 1")
        assert pool.run(innocent).verdict is Verdict.PASSED
        wait_until(lambda: len(descendants(pool.zygote_pid or 0)) <= 4, "it has come to rest")
        programs = [program_of(f"x = {n}\ntime.sleep(0.06)", shared, limits) for n in range(12)]
        for _ in range(2):
            began = time.monotonic()
            outcomes = [outcome for _, outcome in pool.map(enumerate(programs))]
            assert time.monotonic() - began < PATIENCE_SECONDS
            assert len(outcomes) == 12
            # Nonsense may be noticed before it is asked to fork.
            assert born or "nonsense" in name
        for _ in range(3):
            assert pool.run(innocent).verdict is Verdict.PASSED
        top = pool.zygote_pid
        assert top is not None
        wait_until(lambda: len(descendants(top)) <= 4, "strays are left")
        wait_until(lambda: open_descriptors() <= before + 12, "descriptors leak")


# What a test does in the child of an honest parent, beside tests of other people.
HOSTILE_TESTS = {
    "closes its pipe": "os.close(3)\ntime.sleep(1000)",
    "closes everything": "os.closerange(0, 100)\ntime.sleep(1000)",
    "tries to fork": "print(os.fork())",
    "waits for others": "os.waitpid(-1, 0)",
    "talks nonsense": "os.write(3, b'\\xff' * 1000)\ntime.sleep(1000)",
    "begins again and again": "while True: output.ready(); time.sleep(0.01)",
    "has cost nothing": (
        "output._send(b'\\x01' + struct.pack('<IQQ', 16, 2**64 - 1, 2**64 - 1))\nwhile True: pass"
    ),
    "has cost everything": (
        "output._send(b'\\x05' + struct.pack('<IQQ', 16, 2**64 - 1, 2**64 - 1))"
    ),
    "gives code": "output.compiled(0, b'poison')\ntime.sleep(1000)",
    "sends half a frame": "os.write(3, b'\\x07' + struct.pack('<I', 1000))\nos._exit(0)",
    "stays below its parent": "ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)\ntime.sleep(1000)",
}


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("name", HOSTILE_TESTS)
def test_a_hostile_test_harms_no_other_that_shares_its_parent(
    name: str, born: list[Program]
) -> None:
    shared = f"{BURN}\noutput.loaded()\n"
    limits = Limits(cpu_ms=300, wall_ms=1_500)
    pause = "time.sleep(0.1)"
    ward = nursery.Nursery(ahead=2, run="tests.sandbox.raw:run_all_plainly")
    with Pool(2, nursery=ward) as pool:
        programs = [(n, program_of(f"x = {n}\n{pause}", shared, limits)) for n in range(12)]
        hostile = program_of(HOSTILE_TESTS[name], shared, limits)
        programs[6:6] = [(100, hostile), (101, hostile)]
        began = time.monotonic()
        outcomes = dict(pool.map(programs))
        assert time.monotonic() - began < PATIENCE_SECONDS
        assert hostile in born
        top = pool.zygote_pid
        for n in range(12):
            found = outcomes[n]
            assert isinstance(found, Outcome), found
            assert found.verdict is Verdict.PASSED
        assert pool._codes.get(hostile.modules[-1]) is None
        assert pool.run(program_of("x = 1", shared, limits)).verdict is Verdict.PASSED
        assert pool.zygote_pid == top
        assert top is not None
        wait_until(lambda: len(descendants(top)) <= 8, "strays are left")
