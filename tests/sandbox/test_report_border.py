"""What is said of an implementation in another process: its exceptions, and its objects."""
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from runner.sandbox.report.results import border_trace_of, result_of_exception
from runner.sandbox.report.trace import ATTRIBUTE, border_trace
from runner.sandbox.supervisor.protocol import LONGEST_MESSAGE
from tests.sandbox.judge_process import Judge

SOURCE = """\
import functools
class Own(Exception):
    def __str__(self): return "own words"
class Liar:
    def __eq__(self, other): return True
    def __hash__(self): return 1
class Shown:
    def __init__(self, how): self.how = how
    def __repr__(self):
        if self.how == "fails": raise BaseException
        if self.how == "no memory": raise MemoryError
        if self.how == "stops": raise StopIteration
        return self.how
def F(n): return functools.reduce(lambda a, b: a // b, [1, n])
def Deep(n): return Deep(n + 1)
def Ping(n): return Pong(n)
def Pong(n): return Ping(n + 1)
def Misspelt(length): return lenght
def Twofold(): return twice
def Asserts(n):
    assert n > 3, "small"
def Wraps():
    try:
        {}["k"]
    except KeyError as error:
        raise Own("args") from error
def Noted():
    error = ValueError("x")
    error.add_note("in line 7")
    raise error
def Group(): raise ExceptionGroup("two", [ValueError("a"), Own("b")])
def Calls(f): return f()
"""

SAID = {
    "F(0)": ("error", "ZeroDivisionError: integer division or modulo by zero", 14),
    "Misspelt(1)": (
        "error",
        "NameError: name 'lenght' is not defined. Did you mean: `length`?",
        18,
    ),
    "Twofold()": ("error", "NameError: `twice` is defined by both A and B", 19),
    "Deep(0)": (
        "error",
        "RecursionError: more than 1000 calls deep: Deep calls itself, and never stops",
        15,
    ),
    "Ping(0)": (
        "error",
        "RecursionError: more than 1000 calls deep: Ping → Pong → Ping, and never stops",
        17,
    ),
    "Asserts(1)": ("failed", "small: 1 > 3, where n is 1", 21),
    "Wraps()": ("error", "Own: own words\ncaused by KeyError: 'k', on line 24 of F", 26),
    "Noted()": ("error", "ValueError: x\nin line 7", 30),
    "Group()": (
        "error",
        "ExceptionGroup: two (2 sub-exceptions)\n  • ValueError: a\n  • Own: own words",
        31,
    ),
}


@pytest.mark.parametrize("call", SAID)
def test_an_exception_of_another_process_is_told_as_one_of_this_is(judge: Judge, call: str) -> None:
    verdict, message, line = SAID[call]
    outcome = judge(SOURCE, call, how="apart")
    assert (outcome.verdict, outcome.message) == (verdict, message)
    assert abs((outcome.line or 0) - line) <= (outcome.message.startswith("RecursionError"))
    assert outcome.module == "F"
    if "Recursion" not in message:
        beside = judge(SOURCE, call)
        assert (beside.message, beside.trace) == (outcome.message, outcome.trace)


def test_frames_of_the_other_process_come_after_those_of_the_test(judge: Judge) -> None:
    outcome = judge(SOURCE, "def test_zero():\n    F(0)\n", how="apart")
    assert (outcome.module, outcome.line) == ("F", 14)
    written = "def F(n): return functools.reduce(lambda a, b: a // b, [1, n])"
    assert outcome.trace == [
        ("test", 2, "test_zero", "F(0)"),
        ("F", 14, "F", written),
        ("F", 14, "F.<lambda>", written),
    ]


def test_endless_recursion_of_the_other_process_is_shown_once(judge: Judge) -> None:
    trace = judge(SOURCE, "Ping(0)", how="apart").trace
    assert [frame[2] for frame in trace][:3] == ["<module>", "Ping", "Pong"]
    assert "more calls of Ping and Pong …" in trace[3][3]
    assert len(trace) <= 6


OBJECTS = {
    "assert Liar() == 3": "<Liar object> == 3 (an object of the implementation's class Liar equals no plain data)",
    "assert [1] == Liar()": "[1] == <Liar object> (an object of the implementation's class Liar equals no plain data)",
    "assert [Liar()] == [3]": "[<Liar object>] == [3]\nat [0]: an object of the implementation's class Liar equals no plain data",
    "assert Shown('3') == 3": "3 == 3 (an object of the implementation's class Shown equals no plain data), where Shown('3') is 3",
    "assert Shown('fails') == 3": "<Shown, whose repr fails> == 3",
    "assert Shown('no memory') == 3": "<Shown, whose repr fails> == 3",
    "assert Shown('stops') == 3": "<Shown, whose repr fails> == 3",
    "import unittest\nunittest.TestCase().assertEqual(Liar(), 3)": "<Liar object> != 3",
    "import unittest\nunittest.TestCase().assertEqual(Shown('3'), 3)": "3 != 3",
    "import pytest\nassert Liar() == pytest.approx(3)": "<Liar object> == 3 ± 3.0e-06",
    "assert F is None": "<function F> is None",
    "assert Calls(Shown('x').how.upper) == 'Y'": "'X' == 'Y', where Calls(Shown('x').how.upper) is 'X'",
}


@pytest.mark.parametrize("code", OBJECTS)
def test_objects_of_another_process_are_shown_and_named(judge: Judge, code: str) -> None:
    outcome = judge(SOURCE, code, how="apart")
    assert outcome.verdict == "failed"
    assert outcome.message.startswith(OBJECTS[code]), outcome.message


def test_a_repr_of_megabytes_is_cut(judge: Judge) -> None:
    outcome = judge(SOURCE, "assert Shown('x' * 10 ** 6) == 3", how="apart")
    assert outcome.message.startswith("xxx")
    assert len(outcome.message) <= LONGEST_MESSAGE


class _Source:
    name = "F"
    source = "x = 1"

    def explain(self, _: str) -> str | None:
        return None


FRAME = ["F", 1, "f", "x = 1"]
NONSENSE: dict[str, Any] = {
    "no list": 3,
    "too short": ["said", []],
    "no text": [3, [], []],
    "a class of text": [type("Text", (str,), {})("x"), [], []],
    "no frames": ["said", 3, []],
    "no frame": ["said", [FRAME, 3], []],
    "a frame that is too short": ["said", [FRAME, ["F", 1, "f"]], []],
    "a frame that is too long": ["said", [[*FRAME, 1]], []],
    "an unknown module": ["said", [["os", 1, "f", "x"]], []],
    "a line that is none": ["said", [["F", "1", "f", "x"]], []],
    "a line before the first": ["said", [["F", -1, "f", "x"]], []],
    "a line after the last": ["said", [["F", 1 << 31, "f", "x"]], []],
    "a function that is none": ["said", [["F", 1, None, "x"]], []],
    "a text that is none": ["said", [["F", 1, "f", 3]], []],
    "a cause that is none": ["said", [], [3]],
}


@pytest.mark.parametrize("told", NONSENSE)
def test_nonsense_about_an_exception_is_not_looked_at(told: str) -> None:
    error = ValueError("here")
    vars(error)[ATTRIBUTE] = NONSENSE[told]
    result = result_of_exception(error, {"F": _Source()})
    assert (result["message"], result["trace"]) == ("ValueError: here", [])


def test_what_is_told_of_an_exception_is_bounded() -> None:
    error = ValueError("here")
    long = "x" * 10**6
    told = [long, [["F", 1, long, long]] * 1000, [long] * 1000]
    vars(error)[ATTRIBUTE] = told
    result = result_of_exception(error, {"F": _Source()})
    assert len(result["message"]) <= LONGEST_MESSAGE
    assert len(result["trace"]) <= 20
    assert max(len(text) for frame in result["trace"] for text in frame if type(text) is str) <= 200
    assert "\\x00" in border_trace(_with("a\0b"), {}).said


def _with(said: str) -> BaseException:
    error = ValueError()
    vars(error)[ATTRIBUTE] = [said, [], []]
    return error


def test_what_is_told_is_what_arrives() -> None:
    with pytest.raises(ValueError, match="x") as caught:
        raise ValueError("x") from KeyError("y")
    told = border_trace_of(caught.value, {__file__: _Source()})
    vars(caught.value)[ATTRIBUTE] = told
    arrived = border_trace(caught.value, {"F": _Source()})
    assert arrived.said == "ValueError: x"
    assert [frame[:3] for frame in arrived.frames] == [
        ("F", arrived.frames[0][1], "test_what_is_told_is_what_arrives")
    ]
    assert arrived.causes == ("caused by KeyError: 'y'",)
