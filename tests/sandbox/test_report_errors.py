"""What is said of an exception that ends a run, and of the calls that led to it."""
# ruff: noqa: E501

from __future__ import annotations

import pytest

from runner.sandbox.report.results import result_of_exception
from tests.sandbox.judge_process import Judge

ERRORS = {
    "{}['k']": "KeyError: 'k'",
    "raise ValueError": "ValueError",
    "raise ValueError('')": "ValueError",
    "raise ValueError('two\\nlines')": "ValueError: two\nlines",
    "raise SyntaxError('by hand')": "SyntaxError: by hand",
    "raise StopIteration": "StopIteration",
    "int('x')": "ValueError: invalid literal for int() with base 10: 'x'",
    # Assertions by hand have failed as well.
    "raise AssertionError": "assertion failed",
    "raise AssertionError('by hand')": "by hand",
    "class Mine(AssertionError): pass\nraise Mine('by hand')": "Mine: by hand",
    # What was meant.
    "length = 3\nlenght": "NameError: name 'lenght' is not defined. Did you mean: `length`?",
    "prnt(1)": "NameError: name 'prnt' is not defined. Did you mean: `print`?",
    "math.sqrt(2)": "NameError: name 'math' is not defined. Did you forget `import math`?",
    "def f(value):\n    return valeu\nf(1)": "NameError: name 'valeu' is not defined. Did you mean: `value`?",
    "class A:\n    def __init__(self): self.size = 1\n    def f(self): return size\nA().f()": "NameError: name 'size' is not defined. Did you mean: `self.size`?",
    "failure_": "NameError: name 'failure_' is not defined",
    "quite_another_thing": "NameError: name 'quite_another_thing' is not defined",
    "[].apend(1)": "AttributeError: 'list' object has no attribute 'apend'. Did you mean: `append`?",
    "import math\nmath.sqr(2)": "AttributeError: module 'math' has no attribute 'sqr'. Did you mean: `sqrt`?",
    "class A:\n    def __getattr__(self, name): raise AttributeError('none')\nA().b": "AttributeError: none",
    "twice": "NameError: `twice` is defined by both A and B",
    "raise NameError('by hand')": "NameError: by hand",
    "def f():\n    print(x)\n    x = 1\nf()": "UnboundLocalError: cannot access local variable 'x' where it is not associated with a value",
    # What came before, and what is inside.
    "try: {}['k']\nexcept KeyError as e:\n    raise ValueError('bad') from e": "ValueError: bad\ncaused by KeyError: 'k', on line 1 of test",
    "try: {}['k']\nexcept KeyError:\n    raise ValueError('bad')": "ValueError: bad\nwhile handling KeyError: 'k', on line 1 of test",
    "try: {}['k']\nexcept KeyError:\n    raise ValueError('bad') from None": "ValueError: bad",
    "try: {}['k']\nexcept KeyError:\n    assert 1 == 2": "1 == 2\nwhile handling KeyError: 'k', on line 1 of test",
    "raise ValueError('a') from TypeError('b')": "ValueError: a\ncaused by TypeError: b",
    "e = ValueError('x')\ne.add_note('in line 7')\nraise e": "ValueError: x\nin line 7",
    "raise ExceptionGroup('two', [ValueError('a'), ExceptionGroup('in', [KeyError('b')])])": """\
ExceptionGroup: two (2 sub-exceptions)
  • ValueError: a
  • ExceptionGroup: in (1 sub-exception)
    • KeyError: 'b'""",
    # Endless recursion.
    "def f(n): return f(n + 1)\nf(0)": "RecursionError: more than 1000 calls deep: f calls itself, and never stops",
    "def f(): g()\ndef g(): f()\nf()": "RecursionError: more than 1000 calls deep: f → g → f, and never stops",
    "raise RecursionError('by hand')": "RecursionError: by hand",
}


@pytest.mark.parametrize("code", ERRORS)
def test_an_error_says_what_happened_and_what_was_meant(judge: Judge, code: str) -> None:
    assert judge("F = 1", code).message == ERRORS[code]


# Further endings than those that test_verdicts.py has in a real process.
VERDICTS = {
    "a claim of unittest": (
        "import unittest\nunittest.TestCase().assertEqual([1, 2], [1, 3])",
        "failed",
        "Lists differ: [1, 2] != [1, 3]\n\nFirst differing element 1:",
    ),
    "a failure of pytest": ("import pytest\npytest.fail('why')", "failed", "why"),
    "nothing raised": (
        "import pytest\nwith pytest.raises(ValueError): pass",
        "failed",
        "DID NOT RAISE",
    ),
    "an interrupt": ("raise KeyboardInterrupt", "error", "left by KeyboardInterrupt before"),
    "test cases that pass": (
        "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\nunittest.main()",
        "error",
        "left by SystemExit(",
    ),
    "a skip": ("import unittest\nraise unittest.SkipTest('no')", "error", "SkipTest: no"),
    "a skip of pytest": (
        "import pytest\npytest.skip('no', allow_module_level=True)",
        "error",
        "Skipped: no",
    ),
    "a base exception": ("class X(BaseException): pass\nraise X('bye')", "error", "X: bye"),
    "memory by hand": ("raise MemoryError('disk')", "error", "MemoryError: disk"),
}


@pytest.mark.parametrize("ending", VERDICTS)
def test_every_ending_has_its_verdict(judge: Judge, ending: str) -> None:
    code, verdict, message = VERDICTS[ending]
    outcome = judge("F = 1", code)
    assert (outcome.verdict, message in outcome.message) == (verdict, True), outcome.message


STATUS = {
    "import sys\nsys.exit()\n1": "",
    "import sys\ndef main(): sys.exit(0)\nmain()\n1": "",
    "import sys\ntry: sys.exit(False)\nfinally: print('tidy')": "",
    "import sys\nsys.exit(3)\n1": "left with exit code 3",
    "import sys\ndef main(): sys.exit(True)\nmain()": "left with exit code 1",
    "import sys\ndef main(): sys.exit('no such thing')\nmain()": (
        "left with exit code 1: no such thing"
    ),
    "class Zero(int): pass\nraise SystemExit(Zero(7))": "left with exit code 1: 7",
    "class Mine(SystemExit): code = 0\ndef main(): raise Mine(0)\nmain()": "Mine: 0",
    "def main(): raise KeyboardInterrupt\nmain()": "left by KeyboardInterrupt before",
}


@pytest.mark.parametrize("source", STATUS)
def test_a_script_may_leave_anywhere_with_the_status_of_success(judge: Judge, source: str) -> None:
    outcome = judge("F = 1", source, how="script")
    assert outcome.message.startswith(STATUS[source]) if STATUS[source] else not outcome.message
    assert (outcome.verdict == "passed") == (not STATUS[source]), outcome


def test_a_long_message_loses_its_middle(judge: Judge) -> None:
    message = judge("F = 1", "raise ValueError('begin' + 'x' * 5000 + 'end')").message
    assert len(message) <= 2_000
    assert message.startswith("ValueError: begin")
    assert message.endswith("xxend")
    assert " … " in message


def test_a_message_stays_within_its_length_with_all_that_came_before(judge: Judge) -> None:
    code = """
def f(n):
    try:
        if n: f(n - 1)
        raise ValueError('x' * 900)
    except ValueError as error:
        raise KeyError('y' * 900) from error
f(20)
"""
    assert len(judge("F = 1", code).message) <= 2_000


def test_functions_are_named_with_what_they_are_in(judge: Judge) -> None:
    code = """\
class Tree:
    def walk(self):
        def step(): return 1 / 0
        return step()
Tree().walk()
"""
    assert [frame[:3] for frame in judge("F = 1", code).trace] == [
        ("test", 5, "<module>"),
        ("test", 4, "Tree.walk"),
        ("test", 3, "Tree.walk.step"),
    ]


def test_calls_that_repeat_are_shown_once(judge: Judge) -> None:
    code = "def f(n):\n    if n == 0: return 1 / 0\n    return f(n - 1)\nf(500)\n"
    assert judge("F = 1", code).trace == [
        ("test", 4, "<module>", "f(500)"),
        ("test", 3, "f", "return f(n - 1)"),
        ("test", 3, "f", "… 499 more calls of f …"),
        ("test", 2, "f", "if n == 0: return 1 / 0"),
    ]


def test_calls_that_take_turns_are_shown_once(judge: Judge) -> None:
    code = "def f(n): return g(n) if n else 1 / 0\ndef g(n): return f(n - 1)\nf(100)\n"
    functions = [(frame[2], frame[3]) for frame in judge("F = 1", code).trace]
    assert functions == [
        ("<module>", "f(100)"),
        ("f", "def f(n): return g(n) if n else 1 / 0"),
        ("g", "def g(n): return f(n - 1)"),
        ("f", "… 198 more calls of f and g …"),
        ("f", "def f(n): return g(n) if n else 1 / 0"),
    ]


HOSTILE = {
    "its text fails": "def __str__(self): raise BaseException",
    "its text is another": "def __str__(self): return Liar('x')",
    "its notes are a number": "def __init__(self): self.__notes__ = 3",
    "it has no end of notes": "def __init__(self): [self.add_note('n' * 900) for _ in range(90)]",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_whatever_an_exception_answers_it_is_an_error(judge: Judge, what: str) -> None:
    code = f"""
class Liar(str):
    def __len__(self): return 10 ** 9
    def __getitem__(self, index): return self
class Odd(Exception):
    {HOSTILE[what]}
raise Odd
"""
    outcome = judge("F = 1", code)
    assert outcome.verdict == "error"
    assert len(outcome.message) <= 2_000


@pytest.mark.parametrize(
    ("allowed_bytes", "said"),
    [(128 << 20, "the 128 MiB it"), (1_500_000, "the 1.431 MiB it"), (None, "it")],
)
def test_what_ran_out_of_memory_is_told_how_much_it_had(
    allowed_bytes: int | None, said: str
) -> None:
    result = result_of_exception(MemoryError(), {}, allowed_bytes=allowed_bytes)
    assert result["message"] == f"needed more memory than {said} may have"
