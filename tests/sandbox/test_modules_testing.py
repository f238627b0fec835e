"""Programs that test themselves, by unittest, are told what they are in Python."""

from __future__ import annotations

import pytest

from runner.sandbox import Module, Outcome, Pool, Program, Verdict
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
    assert outcome.message == "left with exit code 1"
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


def test_a_test_can_not_leave_by_its_test_cases(run_code: RunSource) -> None:
    outcome = run_code(CASES.format(expected="aa") + "\nunittest.main()\nF")
    assert outcome.verdict is Verdict.ERROR
    assert outcome.message.startswith("left by SystemExit(")
