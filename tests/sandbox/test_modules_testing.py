"""Programs that test themselves, by unittest and doctest, are told what they are in Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from runner.sandbox import Module, Outcome, Pool, Program, Verdict
from runner.sandbox.compilation import complaints
from tests.sandbox.conftest import RunSource


def run_script(pool: Pool, source: str) -> Outcome:
    return pool.run(Program((Module("main", source),), "script", "main"))


def texts(outcome: Outcome) -> list[str]:
    return [line.text for line in outcome.log]


CASES = """
import unittest

def double(x):
    return x * 2

class Doubling(unittest.TestCase):
    def test_numbers(self):
        self.assertEqual(double(2), 4)
    def test_text(self):
        self.assertEqual(double("a"), {expected!r})

if __name__ == "__main__":
    unittest.main()
"""


def test_a_script_passes_when_its_test_cases_do(pool: Pool) -> None:
    outcome = run_script(pool, CASES.format(expected="aa"))
    assert (outcome.verdict, outcome.message) == (Verdict.PASSED, "")
    told = texts(outcome)
    assert (told[0], told[-1]) == ("..", "OK")
    assert told[2].startswith("Ran 2 tests in ")


def test_a_script_whose_test_case_fails_says_so_and_logs_where(pool: Pool) -> None:
    outcome = run_script(pool, CASES.format(expected="ab"))
    assert outcome.verdict is Verdict.ERROR
    assert outcome.message == "left with exit code 1\nunittest: FAILED (failures=1)"
    told = texts(outcome)
    assert told[0] == ".F"
    assert "FAIL: test_text (__main__.Doubling.test_text)" in told
    assert '  File "main", line 11, in test_text' in told
    assert "AssertionError: 'aa' != 'ab'" in told
    assert told[-1] == "FAILED (failures=1)"


def test_in_a_test_a_claim_that_does_not_hold_fails_it(run_code: RunSource) -> None:
    outcome = run_code("import unittest\nunittest.TestCase().assertEqual([1, 2], [1, 3])")
    assert (outcome.verdict, outcome.line) == (Verdict.FAILED, 2)
    assert outcome.message.startswith(
        "Lists differ: [1, 2] != [1, 3]\n\nFirst differing element 1:"
    )


def test_in_a_test_a_method_called_by_hand_fails_it(run_code: RunSource) -> None:
    source = CASES.format(expected="ab") + "\nDoubling('test_text').test_text()"
    outcome = run_code(source)
    assert outcome.verdict is Verdict.FAILED
    assert outcome.message.startswith("'aa' != 'ab'")


@pytest.mark.parametrize("expected", ["aa", "ab"])
def test_a_test_can_assert_that_its_test_cases_pass(run_code: RunSource, expected: str) -> None:
    source = CASES.format(expected=expected)
    outcome = run_code(f"{source}\nassert unittest.main(exit=False).result.wasSuccessful()")
    assert outcome.verdict is (Verdict.PASSED if expected == "aa" else Verdict.FAILED)


@pytest.mark.parametrize("expected", ["aa", "ab"])
def test_a_test_can_not_leave_by_its_test_cases(run_code: RunSource, expected: str) -> None:
    outcome = run_code(CASES.format(expected=expected) + "\nunittest.main()\nF")
    assert outcome.verdict is Verdict.ERROR
    status, summary = (0, "OK") if expected == "aa" else (1, "FAILED (failures=1)")
    assert outcome.message == (
        f"left by SystemExit({status}) before the program's last statement\nunittest: {summary}"
    )


CLAIMS = """
import unittest, warnings
t = unittest.TestCase()
def tell(claim, *given, **named):
    try:
        print(claim.__name__, claim(*given, **named))
    except AssertionError as e:
        print(claim.__name__, str(e).replace("\\n", "|"))
    except TypeError:
        print(claim.__name__, "can't")
PAIRS = [(1, 2), ("a", "b"), ("a\\nb\\n", "a\\nc\\n"), ([1, 2], [1, 3]), ([1], [1, 2, 3]),
         ((1,), (2,)), ({1}, {2, 3}), ({"a": 1}, {"a": 2, "b": 3}), (1, 1.0), ([1], (1,))]
for pair in PAIRS:
    for name in ("Equal NotEqual Is IsNot Less LessEqual Greater GreaterEqual In NotIn").split():
        tell(getattr(t, "assert" + name), *pair)
    tell(t.assertEqual, *pair, "why")
for one in (0, 1, None, [], "x"):
    for name in "True False IsNone IsNotNone".split():
        tell(getattr(t, "assert" + name), one)
    tell(t.assertIsInstance, one, int)
    tell(t.assertNotIsInstance, one, int, msg="why")
for near in ((1, 1.1), (1, 1.00000001), (2, 2)):
    for claim in (t.assertAlmostEqual, t.assertNotAlmostEqual):
        tell(claim, *near)
        tell(claim, *near, places=1)
        tell(claim, *near, delta=0.01)
        tell(claim, *near, delta=1, places=1)
for first, second in (("abc", "cba"), ([1, 1], [1]), ([[1], {}], [{}, [1]]), ([[1]], [[2]])):
    tell(t.assertCountEqual, first, second)
    tell(t.assertSequenceEqual, first, second)
tell(t.assertListEqual, [1], (1,))
tell(t.assertDictEqual, {}, [])
tell(t.assertSetEqual, {1}, frozenset({1}))
tell(t.assertTupleEqual, (1, 2), (1,))
tell(t.assertMultiLineEqual, "a", "a ")
tell(t.assertRegex, "abc", "x")
tell(t.assertNotRegex, "abc", "b", "why")
tell(t.assertRaises, ValueError, int, "1")
tell(t.assertRaises, (ValueError, KeyError), int, "1")
tell(t.assertRaises, 3, int)
tell(t.assertRaisesRegex, ValueError, "nope", int, "x")
tell(t.assertRaisesRegex, ValueError, "invalid .*", int, "x")
tell(t.assertWarns, UserWarning, warnings.warn, "x")
tell(t.assertWarnsRegex, UserWarning, "y", warnings.warn, "x")
tell(t.assertWarns, UserWarning, int)
with t.assertWarns(DeprecationWarning) as told:
    warnings.warn("old", DeprecationWarning)
print(told.warning, len(told.warnings))
try:
    with t.assertRaises(ValueError, msg="none"): pass
except AssertionError as e: print(e)
try:
    with t.assertRaises(ValueError): 1 / 0
except ZeroDivisionError as e: print(e)
t.longMessage = False
tell(t.assertEqual, 1, 2, "only")
tell(t.fail)
class Wrong(Exception): pass
class One(unittest.TestCase):
    failureException = Wrong
    def runTest(self):
        with self.subTest(n=1): self.assertEqual(1, 2)
print(One(), repr(One()), One() == One(), One().run().failures[0][1].splitlines()[-1])
try: One().runTest()
except Wrong as e: print(e)
"""


def test_every_claim_says_what_it_says_in_python(pool: Pool) -> None:
    plain = subprocess.run(
        [sys.executable, "-I", "-c", CLAIMS], capture_output=True, text=True, check=True
    )
    outcome = run_script(pool, CLAIMS)
    assert outcome.verdict is Verdict.PASSED, outcome.message
    assert texts(outcome) == plain.stdout.splitlines()


EXAMPLES = '''
"""Two of them.

>>> half(4)
2.0
>>> half(1), half(3)
(0.5, 1.6)
"""
import doctest

def half(x):
    """
    >>> half("x")
    4
    >>> if half(2) == 1:
    ...     print("one")
    two
    """
    return x / 2

class Box:
    """
    >>> Box()
    """

print(doctest.testmod())
'''


def test_examples_that_come_out_wrong_are_told_as_in_python(pool: Pool, tmp_path: Path) -> None:
    file = tmp_path / "main.py"
    file.write_text(EXAMPLES, "utf-8")
    plain = subprocess.run(
        [sys.executable, "-I", str(file)], capture_output=True, text=True, check=True
    )
    outcome = run_script(pool, EXAMPLES)
    assert outcome.verdict is Verdict.PASSED, outcome.message
    told = [line for line in texts(outcome) if " object at 0x" not in line]
    # Frames of the library aren't told of; files are modules.
    expected = [line for line in plain.stdout.splitlines() if " object at 0x" not in line]
    assert [line for line in told if line[:1] not in (" ", "F")] == [
        line for line in expected if line[:1] not in (" ", "F")
    ]
    assert [line.partition(", ")[2] for line in told if line.startswith("File")] == [
        line.partition(", ")[2] for line in expected if line.startswith("File")
    ]
    assert "    TypeError: unsupported operand type(s) for /: 'str' and 'int'" in told
    assert told[-1] == "TestResults(failed=4, attempted=5)"


def test_examples_of_one_function_run_among_the_names_that_are_given(pool: Pool) -> None:
    source = (
        "import doctest\ndef f():\n    '''\n    >>> x + 1\n    3\n    >>> x\n    3\n    '''\n"
        "doctest.run_docstring_examples(f, {'x': 2})"
    )
    outcome = run_script(pool, source)
    assert outcome.verdict is Verdict.PASSED, outcome.message
    assert texts(outcome) == [
        "*" * 70,
        'File "__main__", line 6, in __main__.f',
        "Failed example:",
        "    x",
        "Expected:",
        "    3",
        "Got:",
        "    2",
    ]


def test_examples_are_programs_under_the_policy(pool: Pool) -> None:
    source = (
        "'''\n>>> import socket\n>>> (lambda: 0).__globals__\n>>> x = = 1\n'''\nimport doctest\n"
        "doctest.testmod()"
    )
    told = "\n".join(texts(run_script(pool, source)))
    assert "`socket` can't be imported here" in told
    assert "the attribute `__globals__` is out of reach here" in told
    assert "SyntaxError: invalid syntax" in told
    assert "***Test Failed*** 3 failures." in told


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import unittest.mock", "pass a function or an object of your own"),
        ("from unittest import mock", "pass a function or an object of your own"),
        ("from unittest.mock import patch", "pass a function or an object of your own"),
        ("from doctest import testfile", "programs reach no files"),
        ("import pytest", "plain asserts, or a unittest.TestCase"),
    ],
)
def test_what_is_not_offered_is_refused_with_a_way_out(source: str, why: str) -> None:
    (found,) = complaints(source, name="F")
    assert found.code == "policy"
    assert why in found.message


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import unittest\nunittest.main(module='json')", "in the module that asks for them"),
        ("import unittest\nunittest.main(testRunner=print)", "by unittest.TextTestRunner only"),
        ("import unittest\nunittest.skip('x')(dict)()", "in the module that defines it"),
        ("import doctest, json\ndoctest.testmod(json)", "of the module that calls it"),
        ("import doctest\ndoctest.testmod(raise_on_error=True)", "has no `raise_on_error` here"),
    ],
)
def test_what_would_reach_further_is_refused_where_it_is_used(
    run_code: RunSource, source: str, why: str
) -> None:
    outcome = run_code(source)
    assert (outcome.verdict, outcome.line) == (Verdict.POLICY, 2), outcome
    assert why in outcome.message
