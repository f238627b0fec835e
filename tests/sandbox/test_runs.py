"""A run's processes: whose end counts, what each may use, and what is told of it."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from runner.sandbox import Limits, LogLine, Module, Outcome, Program, SandboxBroken
from runner.sandbox.pool import Pool
from runner.sandbox.supervisor.placement import place
from tests.sandbox.test_pool import descendants, kill_whole

TIGHT = Limits(cpu_ms=300, wall_ms=2_000, output_bytes=2_000)
ENDLESS = "while True: pass"


def run(pool: Pool, source: str, test: str, limits: Limits = TIGHT) -> Outcome:
    modules = (Module("F", source), Module("test", test, ("F",)))
    return pool.run(Program(modules, "test", "F", limits))


CATCHING = "try:\n    F()\nexcept BaseException:\n    pass"
# Implementation, test, verdict, and what the message says.
ENDINGS = {
    "a right implementation": ("def F(): return 1", "assert F() == 1", "passed", ""),
    "a wrong one": ("def F(): return 2", "assert F() == 1", "failed", "2 == 1, where F() is 2"),
    "one that leaves": ("import os\ndef F(): os._exit(0)", CATCHING, "crashed", "without a result"),
    "one that dies": (
        "import pickle\ndef F(): pickle.loads(b'\\x80\\x04cos\\n_exit\\nK\\x03\\x85R.')",
        CATCHING,
        "crashed",
        "without a result",
    ),
    "one that never ends": (f"def F():\n    {ENDLESS}", CATCHING, "time_limit", "computed for"),
    "one that waits": (
        "import time\ndef F(): time.sleep(60)",
        CATCHING,
        "time_limit",
        "ran for 2 s",
    ),
    "one that hoards": ("def F(): return [0] * 10 ** 9", CATCHING, "memory_limit", "128 MiB"),
    "one that prints": ("def F():\n    while True: print('x' * 99)", CATCHING, "output_limit", ""),
    "one that can't load": ("1 / 0", "F()", "error", "ZeroDivisionError"),
    "one that can't be compiled": ("def F(:", "F()", "error", "SyntaxError"),
    "one that never loads": (ENDLESS, "F()", "time_limit", "computed for"),
    "one with another name": ("def G(): pass", "F()", "error", "does not define F"),
    "a test that never ends": ("F = 1", ENDLESS, "time_limit", "the test computed for"),
    "a test that leaves": ("F = 1", "import os\nos._exit(0)", "crashed", "the test ended without"),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_end_of_any_process_has_its_verdict(pool: Pool, ending: str) -> None:
    source, test, verdict, said = ENDINGS[ending]
    outcome = run(pool, source, test)
    assert (outcome.verdict.value, said in outcome.message) == (verdict, True), outcome


def test_the_time_of_a_test_is_not_that_of_the_implementation(pool: Pool) -> None:
    compute = "import time\nb = time.process_time()\nwhile time.process_time() - b < 0.2: pass\n"
    outcome = run(pool, "def F(): return 1", f"{compute}assert F() == 1")
    assert outcome.verdict == "passed"
    assert outcome.cpu_us < 100_000


def test_lines_of_both_come_in_the_order_of_printing(pool: Pool) -> None:
    source = "print('loading')\ndef F(n):\n    print('F', n)\n    print('un', end='')"
    test = "print('test')\nF(1)\nprint('between')\nF(2)\nlog('end')"
    lines = [line.text for line in run(pool, source, test).log]
    assert lines == ["loading", "test", "F 1", "between", "unF 2", "end", "un"]


def test_who_the_test_names_beside_the_subject_has_a_process_of_its_own(pool: Pool) -> None:
    add = Module("Add", "import os\ndef Add(a, b): return a + b\ndef pid(): return os.getpid()")
    subject = Module("F", "import os\ndef F(): return Add(1, 1), os.getpid()", ("Add",))
    double = Module("Double", "def Double(n): return F()[0] * n", ("F",))
    test = "assert F()[0] == Add(1, 1) and Double(2) == 4 and F()[1] != pid()"
    modules = (add, subject, double, Module("test", test, ("F", "Add", "Double")))
    program = Program(modules, "test", "F")
    assert [(part.role.value, part.offers) for part in place(program)] == [
        ("judge", ()),
        ("subject", ("F", "Double")),
        ("aide", ("Add",)),
    ]
    assert pool.run(program).verdict == "passed"


def test_the_end_of_a_dependency_is_told_as_one(pool: Pool) -> None:
    modules = (
        Module("Oracle", "import os\ndef Oracle(): os._exit(3)"),
        Module("F", "def F(): return 1"),
        Module("test", "assert F() == Oracle()", ("F", "Oracle")),
    )
    outcome = pool.run(Program(modules, "test", "F"))
    assert outcome.verdict == "error"
    assert "a dependency of the test (Oracle)" in outcome.message


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
@pytest.mark.parametrize("whose", ["judge", "subject"])
def test_a_process_that_somebody_else_ends_is_no_verdict(number: int, whose: str) -> None:
    def used(pid: int) -> int:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11])

    source = f"def F():\n    print('on')\n    {ENDLESS}" if whose == "subject" else "F = 1"
    test = "F()" if whose == "subject" else f"print('on')\n{ENDLESS}"
    patient = Limits(cpu_ms=20_000, wall_ms=3_000)
    with Pool() as pool:
        top = pool.zygote_pid
        assert top is not None

        def strike(_: Sequence[LogLine]) -> None:
            before = {pid: used(pid) for pid in descendants(top)}
            os.sched_yield()
            while (busiest := max(before, key=lambda pid: used(pid) - before[pid])) and used(
                busiest
            ) - before[busiest] < 10:
                pass
            os.kill(busiest, number)

        modules = (Module("F", source), Module("test", test, ("F",)))
        program = Program(modules, "test", "F", patient)
        if number == signal.SIGKILL:
            with pytest.raises(SandboxBroken, match="killed from outside"):
                pool.run(program, on_output=strike)
        else:
            assert pool.run(program, on_output=strike).verdict == "time_limit"
        assert run(pool, "def F(): return 1", "assert F() == 1").verdict == "passed"


def test_a_zygote_that_is_killed_amid_a_run_breaks_that_run_only() -> None:
    with Pool() as pool:
        top = pool.zygote_pid
        assert top is not None
        source = f"def F():\n    print('on')\n    {ENDLESS}"
        modules = (Module("F", source), Module("test", "F()", ("F",)))
        program = Program(modules, "test", "F", Limits(cpu_ms=9_000))
        with pytest.raises(SandboxBroken, match="zygote"):
            pool.run(program, on_output=lambda _: kill_whole(top))
        assert run(pool, "def F(): return 1", "assert F() == 1").verdict == "passed"
