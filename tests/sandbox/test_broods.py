"""Programs that share modules are run from a process that has loaded them: nobody can tell."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
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
)
from runner.sandbox.brood import Brood
from runner.sandbox.nursery import Nursery
from tests.patience import await_that
from tests.sandbox.test_pool import descendants

SHARED = """
import random
from dataclasses import dataclass

print("loading", end=" ")
print("F")
print("unfinished", end="")
CHOSEN = random.random()
state = []

@dataclass
class Point:
    x: int = 0

def F(x=0):
    state.append(x)
    return Point(x)
"""

# Each is tried alone and in a brood.
TESTS = {
    "passes": "assert F(1) == Point(1)",
    "prints": "print(', the end')\nlog(F(2))",
    "fails": "assert F(3).x == 4, 'no'",
    "errs": "F().y",
    "errs in the shared module": "F(1, 2)",
    "sees no state of others": "assert state == []\nF(1)\nassert state == [1]",
    "changes what is shared": "state.append(9)\nPoint.x = 7\nassert F().x == 0",
    "sees the same chance when loading": "log(CHOSEN)",
    "has chances of its own": "import random\nlog(random.random(), random.choice('abcdef'))",
    "has cases": "def test_a(): assert F().x == 0\ndef test_b(): assert F().x == 1",
    "is refused": "import socket",
    "is no Python": "x = = 1",
    "goes on for ever": "while True: pass",
    "sleeps": "import time\ntime.sleep(60)",
    "needs too much memory": "x = [0] * 10 ** 9",
    "recurses": "def f(): f()\nf()",
    "overflows the stack": "m = [1]\nfor _ in range(100000): m = map(len, m)\nlist(m)",
    "prints too much": "while True: print('x' * 100)",
    "ends with a base exception": "class X(BaseException): pass\nraise X('bye')",
}
LIMITS = Limits(cpu_ms=300, wall_ms=4_000, memory_bytes=32 << 20, output_bytes=5_000)


# For so much source, a parent tries to load it before any program has run.
MUCH = "\n#" + "." * 1_000 + "\n"


def program_of(test: str, shared: str = SHARED, limits: Limits = LIMITS) -> Program:
    modules = (Module("F", shared), Module("test", test, ("F",)))
    return Program(modules, "test", "F", limits, seed=test.encode())


@pytest.fixture
def own_pool() -> Iterator[Pool]:
    with Pool() as made:
        yield made


def run_in_brood(pool: Pool, programs: Sequence[Program]) -> list[Outcome]:
    """The outcomes, after some others have got a brood going."""

    def numbered() -> Iterator[tuple[int, Program]]:
        for n in range(1, 100):
            brood = pool._broods._present
            if brood is not None and brood.is_ready:
                break
            yield -n, program_of(f"F({n})\nimport time\ntime.sleep(0.05)")
        yield from enumerate(programs)

    outcomes = dict(pool.map(numbered()))
    found = [outcomes[n] for n in range(len(programs))]
    assert all(isinstance(outcome, Outcome) for outcome in found)
    return [outcome for outcome in found if isinstance(outcome, Outcome)]


def essence(outcome: Outcome) -> Outcome:
    """All of it that isn't measured."""
    log = tuple(replace(line, ms=0) for line in outcome.log)
    message = outcome.message if "computed for" not in outcome.message else "computed for long"
    return replace(outcome, log=log, message=message, cpu_us=0, wall_us=0, peak_bytes=0)


def test_a_program_has_the_same_outcome_alone_and_in_a_brood(
    own_pool: Pool, born: list[Program]
) -> None:
    programs = [program_of(test) for test in TESTS.values()]
    alone = [own_pool.run(program) for program in programs]
    assert not born
    together = run_in_brood(own_pool, programs)
    assert set(programs[1:]) <= set(born)
    for name, one, other in zip(TESTS, alone, together, strict=True):
        cut = 8 if name == "prints too much" else None
        expected, found = essence(one), essence(other)
        assert replace(expected, log=expected.log[:cut]) == replace(found, log=found.log[:cut]), (
            name
        )


@pytest.mark.usefixtures("patient")
def test_a_program_has_the_same_outcome_where_none_has_run_before(
    own_pool: Pool, born: list[Program]
) -> None:
    names = ["goes on for ever", "passes", "prints", "fails", "errs in the shared module"]
    names += ["sees the same chance when loading", "has cases", "is refused"]
    programs = [program_of(TESTS[name], SHARED + MUCH) for name in names]
    together = dict(own_pool.map(enumerate(programs)))
    assert born == programs
    for n, program in enumerate(programs):
        outcome, alone = together[n], own_pool.run(program)
        assert isinstance(outcome, Outcome)
        assert essence(outcome) == essence(alone), names[n]


def test_what_loading_took_counts_for_each(own_pool: Pool, born: list[Program]) -> None:
    slow = "sum(range(3_000_000))\nblock = b'x' * 10_000_000\nF = 1\n"
    programs = [program_of(f"log({n})", slow, Limits()) for n in range(6)]
    outcomes = [o for _, o in own_pool.map(enumerate(programs)) if isinstance(o, Outcome)]
    assert born
    for outcome in outcomes:
        assert outcome.verdict is Verdict.PASSED
        assert outcome.cpu_us > 10_000
        assert outcome.peak_bytes > 9_000_000


def test_time_used_for_loading_is_not_there_for_the_test(
    own_pool: Pool, born: list[Program]
) -> None:
    slow = """
import time
began = time.process_time()
while time.process_time() - began < 0.2: pass
F = 1
"""
    programs = [program_of(f"log({n})\nwhile True: pass", slow) for n in range(5)]
    outcomes = [o for _, o in own_pool.map(enumerate(programs)) if isinstance(o, Outcome)]
    assert born
    assert {outcome.verdict for outcome in outcomes} == {Verdict.TIME_LIMIT}
    assert all(250_000 < outcome.cpu_us < 450_000 for outcome in outcomes)


@pytest.mark.parametrize("much", ["", MUCH])
@pytest.mark.parametrize(
    "shared",
    ["1 / 0", "while True: pass", "import socket", "G = 1", "x = [0] * 10 ** 9", "x = = 1"],
)
def test_modules_that_do_not_load_fail_each_program_as_alone(
    own_pool: Pool, shared: str, much: str
) -> None:
    programs = [program_of(f"log({n})", shared + much) for n in range(4)]
    alone = own_pool.run(programs[0])
    outcomes = [o for _, o in own_pool.map(enumerate(programs)) if isinstance(o, Outcome)]
    assert [essence(outcome) for outcome in outcomes] == [essence(alone)] * 4


def test_lines_of_loading_are_told_to_each(own_pool: Pool, born: list[Program]) -> None:
    seen: dict[Hashable, list[str]] = {}

    def take(ident: Hashable, lines: Sequence[LogLine]) -> None:
        seen.setdefault(ident, []).extend(line.text for line in lines)

    programs = [program_of(f"log('test {n}')\nimport time\ntime.sleep(0.05)") for n in range(8)]
    list(own_pool.map(enumerate(programs), on_output=take))
    assert born
    assert seen == {n: ["loading F", f"unfinishedtest {n}"] for n in range(8)}


def test_a_run_in_a_brood_is_cancelled_and_its_siblings_go_on(born: list[Program]) -> None:
    with Pool(2) as pool:
        limits = Limits(cpu_ms=20_000, wall_ms=20_000)
        endless = program_of("while True: pass", SHARED + MUCH, limits)

        def slow(n: int) -> Program:
            return program_of(f"log({n})\nimport time\ntime.sleep(0.3)", SHARED + MUCH, limits)

        def programs() -> Iterator[tuple[Hashable, Program]]:
            # On a busy machine many run alone, before a parent is there.
            for n in range(200):
                if born:
                    break
                yield n, slow(n)
            yield "endless", endless
            yield "beside it", slow(1_000)
            yield "after it", slow(1_001)

        def cancel(ident: Hashable, lines: Sequence[LogLine]) -> None:
            if ident == "after it":
                pool.cancel("endless")

        outcomes = dict(pool.map(programs(), on_output=cancel))
    assert endless in born
    assert outcomes.pop("endless") == Cancelled()
    assert {o.verdict for o in outcomes.values() if isinstance(o, Outcome)} == {Verdict.PASSED}
    assert {"beside it", "after it"} < outcomes.keys()


def test_a_killed_parent_harms_only_who_runs_from_it(own_pool: Pool, born: list[Program]) -> None:
    concerned: list[Hashable] = []
    before = descendants(own_pool.zygote_pid or 0)

    def kill_the_parent(ident: Hashable, lines: Sequence[LogLine]) -> None:
        brood = own_pool._broods._present
        if brood is not None and brood.is_busy and not concerned:
            assert brood._parent.process is not None
            concerned.extend(one for one, run in own_pool._running.values() if brood.has(run))
            signal.pidfd_send_signal(brood._parent.process, signal.SIGKILL)

    def programs() -> Iterator[tuple[int, Program]]:
        # On a busy machine many run alone, before a parent is there.
        while len(given) < 16 or (not concerned and len(given) < 500):
            given.append(program_of(f"log({len(given)})\nimport time\ntime.sleep(0.2)"))
            yield len(given), given[-1]

    given: list[Program] = []
    outcomes = dict(own_pool.map(programs(), on_output=kill_the_parent))
    assert concerned
    assert born
    assert before
    broken = [n for n, outcome in outcomes.items() if isinstance(outcome, SandboxBroken)]
    assert set(broken) <= set(concerned)
    assert sum(isinstance(outcome, Outcome) for outcome in outcomes.values()) >= len(given) - 2


FORKING = """
import sys
def attack():
    for _ in range(20):
        os.fork()
if threading.current_thread() is threading.main_thread():
    values["before"] = 1
    output.loaded()
    attack()
"""


def test_a_parent_forks_only_as_often_as_it_is_let_through() -> None:
    nursery = Nursery(ahead=2, run="tests.sandbox.raw:run_plainly")
    with Pool(nursery=nursery) as pool:
        limits = Limits(cpu_ms=500, wall_ms=1_500)
        parent = nursery.ask_for_parent()
        assert parent is not None
        brood = Brood(program_of("", FORKING, limits), parent, pool._codes, nursery.numbers)
        deadline = time.monotonic() + 10
        while brood.fileno() >= 0 and time.monotonic() < deadline:
            brood.receive()
            time.sleep(0.01)
        assert pool.zygote_pid is not None
        count = len(descendants(pool.zygote_pid))
        time.sleep(0.3)
        # The first fork of the attack waits for an answer that nobody has reason to give.
        assert len(descendants(pool.zygote_pid)) == count
        nursery.catch_up()
        listener = brood.close()
        assert listener is not None
        os.close(listener)


def test_nothing_of_a_brood_outlives_its_map(own_pool: Pool, born: list[Program]) -> None:
    def settled() -> int:
        deadline = time.monotonic() + 10
        count = -1
        while time.monotonic() < deadline:
            now = len(descendants(own_pool.zygote_pid or 0))
            if now == count:
                return count
            count = now
            time.sleep(0.2)
        return count

    list(own_pool.map(enumerate([program_of("F()")] * 3)))
    before = settled(), len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(12):
        list(own_pool.map((n, program_of(f"F({n})\nlog({n})")) for n in range(6)))
    assert born
    # Some more or fewer children may wait for a program, but nothing grows with the maps.
    await_that(lambda: settled() <= before[0] + 4, what="what is left has ended")
    assert len(list(Path("/proc/self/fd").iterdir())) <= before[1] + 10
