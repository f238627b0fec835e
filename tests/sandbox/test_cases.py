"""The cases of a test: which there are, in which order, what becomes of each, and of all."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from runner.sandbox.process.cases import result_of_cases
from runner.sandbox.report.results import result_of_exception
from tests.sandbox.judge_process import Judge

F = "def F(n=1): return n"


class Expected(NamedTuple):
    """A test, its cases by name and verdict, and the verdict and message of all."""

    test: str
    cases: str
    message: str = ""
    verdict: str = ""


UNITTEST = "import unittest\n"
PYTEST = "import pytest\n"
SUBTESTS = """
class Numbers(unittest.TestCase):
    def test_small(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertLess(i, 1)
    def test_named(self):
        with self.subTest("words", i=1): 1 / 0
    def test_fine(self):
        with self.subTest(): pass
"""
FIXTURES = """
closed = []
@pytest.fixture(scope="module")
def three(): return 3
@pytest.fixture
def box():
    yield []
    closed.append(1)
@pytest.fixture(params=[1, 2], ids=["one", "two"])
def number(request, three): return request.param * three
@pytest.fixture(autouse=True)
def around(box): box.append("around")
"""
HOOKED = """
log = []
class A(unittest.TestCase):
    @classmethod
    def setUpClass(cls): log.append("class")
    def setUp(self): self.addCleanup(log.append, "cleanup"); log.append("up")
    def tearDown(self): log.append("down")
    def test_b(self): log.append("b")
    def test_a(self): log.append("a")
def test_log():
    assert log == "class up b down cleanup up a down cleanup".split()
"""

CASES = {
    "functions in their order": Expected(
        "def test_b(): assert F() == 1\ndef test_a(): assert F() == 2\ndef test_c(): F.x\n"
        "def other(): 1 / 0\ntest_data = 3",
        "test_b passed, test_a failed, test_c error",
        "test_a: 1 == 2, where F() is 1",
        "failed",
    ),
    "none": Expected("assert F() == 1", ""),
    "none, and a failure": Expected("assert F() == 2", "", "1 == 2, where F() is 1", "failed"),
    "async functions": Expected(
        "import asyncio\nasync def test_a():\n    await asyncio.sleep(0)\n    assert F() == 2",
        "test_a failed",
        "test_a: 1 == 2, where F() is 1",
        "failed",
    ),
    "a generator function": Expected(
        "def test_a():\n    yield 1",
        "test_a error",
        "test_a: test_a has a `yield`, so nothing runs it; call what it should test",
        "error",
    ),
    "an async generator function": Expected(
        "async def test_a():\n    yield 1", "test_a error", "test_a: test_a has a `yield`", "error"
    ),
    "leaving": Expected(
        "def test_a(): raise SystemExit(0)\ndef test_b(): pass",
        "test_a error, test_b passed",
        "test_a: left by SystemExit(0) before the program's last statement",
        "error",
    ),
    "an interrupt ends all": Expected(
        "def test_a(): raise KeyboardInterrupt\ndef test_b(): pass",
        "test_a error",
        "test_a: left by KeyboardInterrupt before the program's last statement",
        "error",
    ),
    "the end of an iteration": Expected(
        "def test_a(): next(iter([]))", "test_a error", "test_a: StopIteration", "error"
    ),
    "no memory": Expected(
        "def test_a(): bytearray(1 << 40)\ndef test_b(): pass",
        "test_a memory_limit, test_b passed",
        "test_a: needed more memory",
        "memory_limit",
    ),
    "too many": Expected(
        "for n in range(1001): exec(f'def test_{n}(): pass')",
        "",
        "has 1001 test functions, 1000 are allowed",
        "error",
    ),
    # --- unittest ---------------------------------------------------------------------------------
    "test cases": Expected(
        UNITTEST + "class A(unittest.TestCase):\n"
        "    def test_b(self): self.assertEqual(F(), 1)\n"
        "    def test_a(self): self.assertEqual(F(), 2)\n"
        "    def other(self): 1 / 0\n"
        "def test_c(): pass\n",
        "A.test_b passed, A.test_a failed, test_c passed",
        "A.test_a: 1 != 2",
        "failed",
    ),
    "a test case that inherits": Expected(
        UNITTEST + "class A(unittest.TestCase):\n    n = 1\n"
        "    def test_a(self): self.assertEqual(F(), self.n)\nclass B(A):\n    n = 2\n"
        "    def test_b(self): pass\n",
        "A.test_a passed, B.test_a failed, B.test_b passed",
        "B.test_a: 1 != 2",
        "failed",
    ),
    "a test case with one test": Expected(
        UNITTEST + "class A(unittest.TestCase):\n    def runTest(self): 1 / 0",
        "A.runTest error",
        "A.runTest: ZeroDivisionError: division by zero",
        "error",
    ),
    "what is done before and after": Expected(
        UNITTEST + HOOKED, "A.test_b passed, A.test_a passed, test_log passed"
    ),
    "a class that can't be set up": Expected(
        UNITTEST + "class A(unittest.TestCase):\n    @classmethod\n"
        "    def setUpClass(cls): 1 / 0\n    def test_a(self): pass\n",
        "setUpClass (test.A) error",
        "setUpClass (test.A): ZeroDivisionError: division by zero",
        "error",
    ),
    "two errors of one case": Expected(
        UNITTEST + "class A(unittest.TestCase):\n    def tearDown(self): 1 / 0\n"
        "    def test_a(self): self.fail('first')\n",
        "A.test_a failed",
        "A.test_a: first",
        "failed",
    ),
    "parts that fail": Expected(
        UNITTEST + SUBTESTS,
        "Numbers.test_small (i=1) failed, Numbers.test_small (i=2) failed, "
        "Numbers.test_named [words] (i=1) error, Numbers.test_fine passed",
        "Numbers.test_small (i=1): 1 not less than 1",
        "failed",
    ),
    "async test cases": Expected(
        UNITTEST + "class A(unittest.IsolatedAsyncioTestCase):\n"
        "    async def asyncSetUp(self): self.n = 2\n"
        "    async def test_a(self): self.assertEqual(F(), self.n)\n"
        "    def test_b(self): self.assertEqual(F(), 1)\n"
        "    async def test_c(self): yield\n",
        "A.test_a failed, A.test_b passed, A.test_c error",
        "A.test_a: 1 != 2",
        "failed",
    ),
    "an async method of a plain test case": Expected(
        UNITTEST + "class A(unittest.TestCase):\n    async def test_a(self): self.fail('awaited')",
        "A.test_a failed",
        "A.test_a: awaited",
        "failed",
    ),
    "a method that yields": Expected(
        UNITTEST + "class A(unittest.TestCase):\n    def test_a(self): yield self.fail()",
        "A.test_a error",
        "A.test_a: test_a has a `yield`",
        "error",
    ),
    "some are skipped": Expected(
        UNITTEST + "class A(unittest.TestCase):\n    def test_a(self): self.skipTest('no')\n"
        "    @unittest.skip('never')\n    def test_b(self): 1 / 0\n"
        "def test_c(): raise unittest.SkipTest\n"
        "@unittest.skipIf(F(0), 'no')\ndef test_d(): pass\n",
        "A.test_a passed, A.test_b passed, test_c passed, test_d passed",
    ),
    "all are skipped": Expected(
        UNITTEST + "@unittest.skip('later')\ndef test_a(): pass\n"
        "@unittest.skip('later')\nclass B(unittest.TestCase):\n    def test_b(self): pass\n",
        "test_a passed, B.test_b passed",
        "all 2 cases were skipped, so nothing was tested",
        "error",
    ),
    "parts that are skipped": Expected(
        UNITTEST + "class A(unittest.TestCase):\n    def test_a(self):\n"
        "        with self.subTest(i=0): self.skipTest('no')\n"
        "        with self.subTest(i=1): self.assertEqual(F(), 1)\n"
        "    def test_b(self):\n"
        "        with self.subTest(i=0): self.fail('first')\n"
        "        with self.subTest(i=1): self.skipTest('no')\n",
        "A.test_a passed, A.test_b (i=0) failed",
        "A.test_b (i=0): first",
        "failed",
    ),
    "failures that are expected": Expected(
        UNITTEST + "class A(unittest.TestCase):\n    @unittest.expectedFailure\n"
        "    def test_a(self): 1 / 0\n    @unittest.expectedFailure\n    def test_b(self): pass\n",
        "A.test_a passed, A.test_b failed",
        "A.test_b: passed, though it is marked as expected to fail",
        "failed",
    ),
    "mocks": Expected(
        "from unittest import mock\nimport json\n@mock.patch('json.dumps', return_value=F())\n"
        "def test_a(dumps): assert json.dumps({}) == 2",
        "test_a failed",
        "test_a: 1 == 2",
        "failed",
    ),
    "a test can assert that its test cases pass": Expected(
        UNITTEST + "class A(unittest.TestCase):\n    def test_a(self): self.fail('no')\n"
        "assert unittest.main(exit=False).result.wasSuccessful()",
        "",
        "unittest.main(exit=False).result.wasSuccessful() is False",
        "failed",
    ),
    "a test can assert that its examples are right": Expected(
        "'''\n>>> F(2)\n3\n'''\nimport doctest\nassert doctest.testmod().failed == 0",
        "",
        "1 == 0\nwhere doctest.testmod().failed is 1\n",
        "failed",
    ),
    # --- pytest -----------------------------------------------------------------------------------
    "parameters": Expected(
        PYTEST + "@pytest.mark.parametrize('a, b', [(1, 1), pytest.param(2, 3, id='odd'), "
        "pytest.param(4, 5, marks=pytest.mark.xfail(strict=True))])\n"
        "@pytest.mark.parametrize('c', [0, 1])\n"
        "def test_a(a, b, c):\n    assert F(a) == b",
        "test_a[0-1-1] passed, test_a[0-odd] failed, test_a[0-4-5] passed, "
        "test_a[1-1-1] passed, test_a[1-odd] failed, test_a[1-4-5] passed",
        "test_a[0-odd]: 2 == 3, where F(a) is 2, b is 3 and a is 2",
        "failed",
    ),
    "fixtures": Expected(
        PYTEST + FIXTURES + "def test_a(number):\n    assert number == 3\n"
        "def test_b(box): assert box == ['around']\n"
        "async def test_c(box, three): assert F(three) == 3\n"
        "def test_d(): assert len(closed) == 4\n",
        "test_a[one] passed, test_a[two] failed, test_b passed, test_c passed, test_d passed",
        "test_a[two]: 6 == 3, where number is 6",
        "failed",
    ),
    "classes": Expected(
        "class TestA:\n    def setup_method(self): self.n = F()\n"
        "    def test_b(self): assert self.n == 1\n    def test_a(self): assert self.n == 2\n"
        "    def other(self): 1 / 0\n"
        "class TestNothing: pass\nclass Other:\n    def test_c(self): 1 / 0\n",
        "TestA.test_b passed, TestA.test_a failed",
        "TestA.test_a: 1 == 2, where self.n is 1",
        "failed",
    ),
    "marks": Expected(
        PYTEST + "@pytest.mark.skip(reason='no')\ndef test_a(): 1 / 0\n"
        "@pytest.mark.skipif(F(), reason='no')\ndef test_b(): 1 / 0\n"
        "@pytest.mark.xfail(reason='yet')\ndef test_c(): 1 / 0\n"
        "@pytest.mark.xfail\ndef test_d(): pass\n"
        "@pytest.mark.xfail(strict=True)\ndef test_e(): pass\n"
        "@pytest.mark.xfail(raises=KeyError)\ndef test_f(): 1 / 0\n"
        "def test_g(): pytest.skip('no')\n"
        "def test_h(): pytest.xfail('no')\n"
        "def test_i(): pytest.fail('no')\n",
        "test_a passed, test_b passed, test_c passed, test_d passed, test_e failed, "
        "test_f error, test_g passed, test_h passed, test_i failed",
        "test_e: passed, though it is marked as expected to fail",
        "failed",
    ),
    "outcomes without marks": Expected(
        PYTEST + "def test_a(): pytest.skip('no')\ndef test_b(): pytest.xfail('no')\n"
        "def test_c(): pytest.fail('no')\n"
        "def test_d():\n    with pytest.raises(ValueError): int('1')\n"
        "def test_e(): assert F() == pytest.approx(1)\n",
        "test_a passed, test_b passed, test_c failed, test_d failed, test_e passed",
        "test_c: no",
        "failed",
    ),
    "all are skipped by marks": Expected(
        PYTEST + "pytestmark = pytest.mark.skip\ndef test_a(): pass",
        "test_a passed",
        "its case was skipped, so nothing was tested",
        "error",
    ),
    "pytest's own fixtures": Expected(
        "import logging, sys\ndef test_a(capsys):\n    print('said')\n"
        "    assert capsys.readouterr().out == 'said\\n'\n"
        "def test_b(caplog):\n    logging.getLogger('x').warning('n %s', 1)\n"
        "    assert caplog.record_tuples == [('x', 30, 'n 1')]\n"
        "def test_c(monkeypatch):\n    monkeypatch.setattr(sys, 'argv', F())\n"
        "    assert sys.argv == 1\n"
        "def test_d(): assert sys.argv != 1\n",
        "test_a passed, test_b passed, test_c passed, test_d passed",
    ),
    "fixtures that aren't there": Expected(
        "def test_a(tmp_path): pass\ndef test_b(nothing): pass",
        "test_a error, test_b error",
        "test_a: programs reach no files, so there is no `tmp_path` here",
        "error",
    ),
    "what can't be collected": Expected(
        PYTEST + "@pytest.mark.parametrize('a', [1])\ndef test_a(): pass",
        "",
        "In test_a: function uses no argument 'a'",
        "error",
    ),
    "generators, and leaving, with fixtures": Expected(
        "def test_a(capsys): yield\ndef test_b(capsys): raise SystemExit(0)\n"
        "def test_c(capsys): raise KeyboardInterrupt\ndef test_d(capsys): pass",
        "test_a error, test_b error, test_c error",
        "test_a: test_a has a `yield`",
        "error",
    ),
    "a teardown that fails": Expected(
        PYTEST + "@pytest.fixture\ndef bad():\n    yield\n    1 / 0\ndef test_a(bad): pass\n"
        "def test_b(bad): assert False, 'first'",
        "test_a error, test_b failed",
        "test_a: ZeroDivisionError: division by zero",
        "error",
    ),
    "test cases beside fixtures": Expected(
        PYTEST + UNITTEST + "def test_a(capsys): pass\n" + SUBTESTS + "def test_b(): pass",
        "test_a passed, Numbers.test_small (i=1) failed, Numbers.test_small (i=2) failed, "
        "Numbers.test_named [words] (i=1) error, Numbers.test_fine passed, test_b passed",
        "Numbers.test_small (i=1): 1 not less than 1",
        "failed",
    ),
    "too many parameters": Expected(
        PYTEST + "@pytest.mark.parametrize('a', range(1001))\ndef test_a(a): pass",
        "",
        "has 1001 test functions, 1000 are allowed",
        "error",
    ),
    "warnings": Expected(
        PYTEST + "import warnings\npytestmark = pytest.mark.filterwarnings('error')\n"
        "def test_a():\n    with pytest.warns(UserWarning, match='old'): warnings.warn('old')\n"
        "def test_b(): warnings.warn('new')",
        "test_a passed, test_b error",
        "test_b: UserWarning: new",
        "error",
    ),
}


@pytest.mark.parametrize("what", CASES)
def test_cases_are_found_run_and_told(judge: Judge, what: str) -> None:
    expected = CASES[what]
    outcome = judge(F, expected.test)
    assert ", ".join(f"{name} {verdict}" for name, verdict, _, _ in outcome.cases) == expected.cases
    assert outcome.message.startswith(expected.message)
    assert outcome.verdict == (expected.verdict or "passed")


# What the implementation raises is no outcome of the test's own.
OUTCOMES = {
    "a skip": "import unittest\ndef F(): raise unittest.SkipTest('no')",
    "an exception that ends a case quietly": (
        "import unittest.case\ndef F(): raise unittest.case._ShouldStop"
    ),
    "a skip of pytest": "import pytest\ndef F(): pytest.skip('no')",
    "an expected failure": "import pytest\ndef F(): pytest.xfail('no')",
    "the end of an iteration": "def F(): raise StopIteration",
}
TESTS = {
    "a function": "def test_a(): F()\ndef test_b(): pass",
    "a test case": "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): F()",
    "a fixture": "def test_a(capsys): F()",
}


@pytest.mark.parametrize("source", OUTCOMES)
@pytest.mark.parametrize("test", TESTS)
def test_an_implementation_ends_no_case(judge: Judge, source: str, test: str) -> None:
    outcome = judge(OUTCOMES[source], TESTS[test], how="apart")
    assert (outcome.verdict, outcome.cases[0][1]) == ("error", "error")


@pytest.mark.parametrize("how", ["beside", "apart"])
def test_what_the_implementation_defines_is_no_case(judge: Judge, how: str) -> None:
    source = (
        "import unittest\ndef F(): return 1\ndef test_f(): 1 / 0\n"
        "class TestF:\n    def test_f(self): 1 / 0\n"
        "class Case(unittest.TestCase):\n    def test_f(self): 1 / 0\n"
        "pytestmark = setup_module = 3\n"
    )
    outcome = judge(source, "def test_a(): assert F() == 1", how=how)
    assert (outcome.verdict, [name for name, *_ in outcome.cases]) == ("passed", ["test_a"])


def test_a_case_fails_by_what_nobody_has_seen() -> None:
    told: list[tuple[str, str, str, int | None]] = []
    failures: list[BaseException] = []
    seen = iter(failures)

    def test_a() -> None:
        failures.append(AssertionError("in a callback"))

    def test_b() -> None:
        pass

    result = result_of_cases(
        "test",
        {"test_a": test_a, "test_b": test_b},
        lambda error: result_of_exception(error, {}),
        lambda *case: told.append(case),
        lambda: next(seen, None) if failures else None,
    )
    assert [case[:3] for case in told] == [
        ("test_a", "failed", "in a callback"),
        ("test_b", "passed", ""),
    ]
    assert result is not None
    assert result["message"] == "test_a: in a callback"


def test_lines_of_cases_are_told(judge: Judge) -> None:
    outcome = judge(F, "def test_a():\n    assert F() == 2\ndef test_b(): pass\n")
    assert [line for _, _, _, line in outcome.cases] == [2, None]
    assert (outcome.module, outcome.line) == ("test", 2)
    assert outcome.trace == [("test", 2, "test_a", "assert F() == 2")]


def test_what_skips_a_case_is_told(judge: Judge) -> None:
    test = "import unittest\n@unittest.skip('later')\ndef test_a(): pass\ndef test_b(): pass"
    assert judge(F, test).cases[0] == ("test_a", "passed", "skipped: later", None)
