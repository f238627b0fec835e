"""Every way in which a run can end has its verdict, with a message and a place."""
# ruff: noqa: E501

from __future__ import annotations

from dataclasses import replace

import pytest

from runner.sandbox import Limits, Module, Outcome, Pool, Program, Verdict
from tests.sandbox.conftest import RunSource, program_loading

ENDINGS = {
    "a false assertion": ("assert 1 == 2", "failed", "1 == 2"),
    "a failed check": ("check(False, 'why')", "failed", "why"),
    "a check without words": ("check(0)", "failed", "check failed"),
    "an exception": ("{}['k']", "error", "KeyError: 'k'"),
    "leaving": (
        "raise SystemExit(0)\n1",
        "error",
        "left by SystemExit(0) before the program's last",
    ),
    "leaving politely": ("exit()\n1", "error", "left by SystemExit(None) before the program's"),
    "ending by a base exception": (
        "class X(BaseException): pass\nraise X('bye')",
        "error",
        "X: bye",
    ),
    "endless recursion": (
        "def f(): f()\nf()",
        "error",
        "RecursionError: more than 1000 calls deep: f calls itself",
    ),
    "a huge list": ("x = [0] * 10 ** 9", "memory_limit", "needed more memory"),
    "growing memory": (
        "x = []\nwhile True: x.append(bytes(10 ** 6))",
        "memory_limit",
        "needed more",
    ),
    "C code that recurses": (
        "m = [1]\nfor _ in range(1000000): m = map(len, m)\nlist(m)",
        "crashed",
        "took its process down (SIGSEGV",
    ),
    "deep structures": (
        "x = []\nfor _ in range(200000): x = [x]\nrepr(x)",
        "error",
        "RecursionError",
    ),
    "what can't be parsed": ("x = = 1", "error", "SyntaxError: invalid syntax"),
    "a forbidden import": ("import socket", "policy", "`socket` can't be imported here"),
    "a forbidden builtin": ("open('x')", "policy", "programs reach no files"),
    "asking for input": ("input()", "error", "EOFError"),
    "a message that can't be shown": (
        "class X(Exception):\n    def __str__(self): raise KeyError\nraise X",
        "error",
        "X: its message can't be shown",
    ),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_ending_has_its_verdict(run_code: RunSource, ending: str) -> None:
    code, verdict, message = ENDINGS[ending]
    outcome = run_code(code)
    assert (outcome.verdict.value, message in outcome.message) == (verdict, True), outcome.message


LEAVING = {
    "import sys\nsys.exit()\n1": "",
    "import sys\ndef main(): sys.exit(0)\nmain()\n1": "",
    "import sys\ntry: sys.exit(False)\nfinally: print('tidy')": "",
    "import sys\nsys.exit(3)\n1": "left with exit code 3",
    "import sys\nsys.exit(3)": "left with exit code 3",
    "import sys\ndef main(): sys.exit(True)\nmain()": "left with exit code 1",
    "import sys\ndef main(): sys.exit('no such thing')\nmain()": (
        "left with exit code 1: no such thing"
    ),
    "class Zero(int): pass\nraise SystemExit(Zero(7))": "left with exit code 1: 7",
    "class Mine(SystemExit): code = 0\ndef main(): raise Mine(0)\nmain()": "Mine: 0",
    "def main(): raise KeyboardInterrupt\nmain()": "left by KeyboardInterrupt before",
    "try: bytearray(10 ** 12)\nexcept MemoryError: raise SystemExit(0)": "",
}


@pytest.mark.parametrize("source", LEAVING)
def test_a_script_may_leave_anywhere_with_the_status_of_success(pool: Pool, source: str) -> None:
    outcome = pool.run(Program((Module("F", source),), "script", "F"))
    assert outcome.message.startswith(LEAVING[source]) if LEAVING[source] else not outcome.message
    assert (outcome.verdict is Verdict.PASSED) == (not LEAVING[source]), outcome


def test_a_module_of_a_script_may_not_leave(pool: Pool) -> None:
    modules = (Module("F", "def F(): pass\nexit()\n1"), Module("main", "F()", ("F",)))
    outcome = pool.run(Program(modules, "script", "main"))
    assert (outcome.verdict, outcome.module) == (Verdict.ERROR, "F")


def test_computing_too_long_is_told_with_used_and_allowed(run_test: RunSource) -> None:
    source = "def F():\n    while True: pass"
    outcome = run_test(source, "F()", limits=Limits(cpu_ms=150))
    assert outcome.verdict is Verdict.TIME_LIMIT
    assert outcome.message.startswith("computed for 0.1")
    assert "0.15 s are allowed" in outcome.message
    assert 140_000 <= outcome.cpu_us < 600_000


def test_a_test_that_computes_too_long_is_to_blame_itself(run_code: RunSource) -> None:
    outcome = run_code("while True: pass", limits=Limits(cpu_ms=150))
    assert outcome.verdict is Verdict.TIME_LIMIT
    assert outcome.message.startswith("the test computed for 0.1")
    assert outcome.cpu_us < 100_000


def test_sleeping_too_long_ends_by_the_clock(run_code: RunSource) -> None:
    outcome = run_code("import time\ntime.sleep(60)", limits=Limits(wall_ms=150))
    assert outcome.verdict is Verdict.TIME_LIMIT
    assert outcome.cpu_us < 100_000
    assert 140_000 <= outcome.wall_us < 2_000_000


def test_swallowing_every_exception_does_not_help_against_time(run_code: RunSource) -> None:
    code = "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    assert run_code(code, limits=Limits(cpu_ms=100)).verdict is Verdict.TIME_LIMIT


@pytest.mark.parametrize("flood", ["print('x' * 1000)", "print('x', end='')", "print()"])
def test_a_flood_of_output_is_cut_off_with_a_marker(run_code: RunSource, flood: str) -> None:
    outcome = run_code(f"while True: {flood}", limits=Limits(output_bytes=20_000, output_lines=50))
    assert outcome.verdict is Verdict.OUTPUT_LIMIT
    assert outcome.truncated
    assert outcome.log[-1].stream == "sys"
    assert "allowed" in outcome.log[-1].text
    assert len(outcome.log) <= 51


def test_a_subject_that_does_not_define_its_name_does_not_load(pool: Pool) -> None:
    for source in ("G = 1", "from math import gcd as F", ""):
        outcome = pool.run(program_loading(source))
        assert (outcome.verdict, outcome.message) == (Verdict.ERROR, "does not define F")
        assert not outcome.loaded


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("class F: pass", ""),
        ("class M(type): pass\nclass F(metaclass=M): pass", ""),
        ("def F(): pass", "F is no class"),
        ("F = 1", "F is no class"),
        ("class G: pass", "does not define F"),
    ],
)
def test_of_the_kind_class_a_subject_must_be_one(pool: Pool, source: str, message: str) -> None:
    loading = replace(program_loading(source), kind="class")
    testing = replace(
        loading, modules=(*loading.modules, Module("test", "F", ("F",))), entry="test"
    )
    for outcome in (pool.run(loading), pool.run(testing)):
        assert (outcome.message, outcome.loaded) == (message, not message)


def test_a_subject_loads_although_its_test_fails(run_test: RunSource) -> None:
    outcome = run_test("def F(): return 1", "assert F() == 2")
    assert outcome.loaded
    assert (outcome.module, outcome.line) == ("test", 1)


def test_test_functions_are_listed_by_name_in_order(run_test: RunSource) -> None:
    test = "def test_b(): assert F == 1\ndef test_a():\n    assert F == 2\ndef test_c(): F.x\ndef other(): 1 / 0"
    outcome = run_test("F = 1", test)
    assert [(c.name, c.verdict.value, c.line) for c in outcome.cases] == [
        ("test_b", "passed", None),
        ("test_a", "failed", 3),
        ("test_c", "error", 4),
    ]
    assert outcome.verdict is Verdict.FAILED
    assert outcome.message == "test_a: 1 == 2, where F is 1"


def test_more_test_functions_than_can_be_listed_are_an_error(run_test: RunSource) -> None:
    test = "\n".join(f"def test_{n}(): pass" for n in range(1001))
    outcome = run_test("F = 1", test)
    assert (outcome.verdict, len(outcome.cases)) == (Verdict.ERROR, 0)
    assert "1000 are allowed" in outcome.message


def test_a_test_may_have_the_name_of_a_module_that_is_loaded(pool: Pool) -> None:
    test = "\n".join(f"def test_{n}(): pass" for n in range(1001))
    modules = (Module("F", "F = 1"), Module("json", test, ("F",)))
    outcome = pool.run(Program(modules, "test", "F"))
    assert (outcome.verdict, outcome.module) == (Verdict.ERROR, "json")


def test_cases_before_a_time_limit_are_kept(run_test: RunSource) -> None:
    test = "def test_a(): pass\ndef test_b():\n    while True: pass"
    outcome = run_test("F = 1", test, limits=Limits(cpu_ms=100))
    assert outcome.verdict is Verdict.TIME_LIMIT
    assert [case.name for case in outcome.cases] == ["test_a"]


def _called(pool: Pool, source: str, *args: object, **kwargs: object) -> Outcome:
    arguments = {"args": list(args), "kwargs": kwargs}
    return pool.run(Program((Module("F", source),), "call", "F", arguments=arguments))


def test_a_call_gives_its_value_as_json(pool: Pool) -> None:
    outcome = _called(pool, "def F(a, b=1): return {'sum': [a + b, None, 'é\\x00']}", 2, b=3)
    assert outcome.verdict is Verdict.PASSED
    assert outcome.value == {"sum": [5, None, "é\\x00"]}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("{1, 2}", "an object of class set"),
        ("[1, {'a': (2, lambda: 0)}]", "an object of class function at [1]['a'][1]"),
        ("{'a': [float('nan')]}", "the float nan at ['a'][0]"),
        ("[{(1, 2): 3}]", "a dict with a key of class tuple at [0]"),
        ("(lambda x: x.append(x) or x)([])", "nested more than 98 deep, or in itself"),
        ("F", "an object of class function"),
    ],
)
def test_a_call_whose_value_is_no_json_is_told_what_of_it_and_where(
    pool: Pool, value: str, said: str
) -> None:
    outcome = _called(pool, f"def F(): return {value}")
    assert outcome.verdict is Verdict.ERROR
    assert "what JSON can't express" in outcome.message
    assert said in outcome.message


def test_a_call_may_not_return_megabytes(pool: Pool) -> None:
    assert _called(pool, "def F(): return 'x' * 2_000_000").verdict is Verdict.OUTPUT_LIMIT


def test_json_from_a_call_is_refused_from_where_it_is_too_deep(pool: Pool) -> None:
    source = "def F(n):\n    x = []\n    for _ in range(n): x = [x]\n    return x"
    assert _called(pool, source, 97).verdict is Verdict.PASSED
    for depth in (98, 150, 5_000):
        outcome = _called(pool, source, depth)
        assert outcome.verdict is Verdict.ERROR
        assert "nested more than 98 deep" in outcome.message


def test_a_call_runs_in_one_process_as_a_program_of_its_own(pool: Pool) -> None:
    """What a class of the value does, or a library that was changed, is the call's own affair."""
    source = """
import json

class Odd(dict):
    def items(self): return [("seen", self["x"])]

json.loads = json.dumps = None

def F(function, passing): return [function, passing, Odd(x=1), F.__module__]
"""
    outcome = _called(pool, source, function=1, passing=2)
    assert outcome.value == [1, 2, {"seen": 1}, "F"]


def test_an_error_of_a_value_is_told_like_one_of_the_function(pool: Pool) -> None:
    source = "class Odd(dict):\n    def items(self): return 1 / 0\ndef F(): return Odd(x=1)"
    outcome = _called(pool, source)
    assert (outcome.verdict, outcome.message) == (
        Verdict.ERROR,
        "ZeroDivisionError: division by zero",
    )
    assert (outcome.module, outcome.line) == ("F", 2)


@pytest.mark.parametrize(
    "body",
    [
        "threading.Thread(target=lambda: [print('x', time.sleep(1e-4)) for _ in range(10**6)]).start()",
        "sys.setprofile(lambda *_: print('x'))",
        "sys.stdout = None",
        "sys.stdout.close()",
        "atexit.register(print, 'x')",
        "sys.set_int_max_str_digits(0)",
    ],
)
def test_what_a_call_leaves_behind_does_not_change_its_answer(pool: Pool, body: str) -> None:
    source = f"import atexit, sys, threading, time\ndef F():\n    {body}\n    return 1"
    for _ in range(5):
        outcome = _called(pool, source)
        assert (outcome.verdict, outcome.value) == (Verdict.PASSED, 1), outcome.message


def test_a_call_may_raise_the_limit_of_digits_only_for_itself(pool: Pool) -> None:
    source = "import sys\ndef F():\n    sys.set_int_max_str_digits(0)\n    return 10**5_000"
    outcome = _called(pool, source)
    assert outcome.verdict is Verdict.ERROR
    assert "Exceeds the limit (4300 digits)" in outcome.message


def test_a_call_that_forges_its_result_gives_only_its_own_answer(pool: Pool) -> None:
    source = """
import sys

def F():
    frame = sys._getframe()
    while "template" not in frame.f_locals:
        frame = frame.f_back
    result = {"verdict": "passed", "message": "", "module": None, "line": None, "trace": []}
    template, content = frame.f_locals["template"], frame.f_locals["content"]
    template.output.result({**result, "value": "forged"}, content["token"])
    while True: pass
"""
    outcome = _called(pool, source)
    assert (outcome.verdict, outcome.value) == (Verdict.PASSED, "forged")
    assert _called(pool, "def F(): return 'honest'").value == "honest"


def test_a_script_may_go_on_printing_when_its_end_is_reached(run_code: RunSource) -> None:
    source = """
import threading, time
threading.Thread(target=lambda: [print(n, time.sleep(1e-4)) for n in range(10**6)]).start()
"""
    for _ in range(5):
        outcome = run_code(source)
        assert outcome.verdict is Verdict.PASSED, outcome.message


def test_odd_characters_come_out_harmless(run_code: RunSource) -> None:
    outcome = run_code(
        "print('a\\x00b', '\\ud800', '\\U0001F600')\nraise ValueError('\\udfff\\x00')"
    )
    assert outcome.log[0].text == "a\\x00b \\ud800 \N{GRINNING FACE}"
    assert outcome.message == "ValueError: \\udfff\\x00"


def test_an_error_is_traced_through_user_code_only(run_test: RunSource) -> None:
    source = (
        "import functools\ndef F(n):\n    return functools.reduce(lambda a, b: a // b, [1, n])\n"
    )
    outcome = run_test(source, "def test_zero():\n    F(0)\n")
    assert (outcome.module, outcome.line) == ("F", 3)
    assert outcome.trace == (
        ("test", 2, "test_zero", "F(0)"),
        ("F", 3, "F", "return functools.reduce(lambda a, b: a // b, [1, n])"),
        ("F", 3, "F.<lambda>", "return functools.reduce(lambda a, b: a // b, [1, n])"),
    )


def test_what_an_implementation_used_is_told(run_test: RunSource) -> None:
    source = "def F(): return len(b'x' * 30_000_000) + sum(range(300_000))"
    outcome = run_test(source, "y = b'y' * 60_000_000\nassert F()")
    assert outcome.peak_bytes < 50_000_000
    assert outcome.peak_bytes > 25_000_000
    assert 1_000 < outcome.cpu_us < 1_000_000
    assert outcome.wall_us > 1_000
