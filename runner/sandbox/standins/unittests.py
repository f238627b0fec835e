"""`unittest` of our own, small: test cases, and how one of them runs."""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Callable
from typing import Any, NoReturn

from runner.sandbox import exhaustion
from runner.sandbox.guards import guard_getattr
from runner.sandbox.standins import looping
from runner.sandbox.standins.claims import Claims
from runner.sandbox.standins.marks import EXPECTING, SKIP, SkipTest
from runner.sandbox.standins.outcomes import TestResult


class TestCase(Claims):
    """unittest.TestCase.

    What changes while it runs is kept in lists that `__init__` makes, so that none of its methods
    sets an attribute of whatever it is given.
    """

    def __init__(self, methodName: str = "runTest") -> None:
        self._testMethodName = methodName
        self._unittest_cleanups: list[tuple[Any, Any, Any]] = []
        self._unittest_runs: list[_Run] = []
        if methodName != "runTest":
            guard_getattr(self, methodName)

    def setUp(self) -> None:
        """Before each test."""

    def tearDown(self) -> None:
        """After each test."""

    @classmethod
    def setUpClass(cls) -> None:
        """Before the first test of a class."""

    @classmethod
    def tearDownClass(cls) -> None:
        """After the last test of a class."""

    def addCleanup(self, function: Any, /, *args: Any, **kwargs: Any) -> None:
        self._unittest_cleanups.append((function, args, kwargs))

    def enterContext(self, cm: Any) -> Any:
        stack = contextlib.ExitStack()
        entered = stack.enter_context(cm)
        self.addCleanup(stack.close)
        return entered

    def doCleanups(self) -> None:
        while self._unittest_cleanups:
            function, args, kwargs = self._unittest_cleanups.pop()
            function(*args, **kwargs)

    def skipTest(self, reason: str) -> NoReturn:
        raise SkipTest(reason)

    def subTest(self, msg: Any = None, **params: Any) -> Any:
        return _SubTestContext(
            self._unittest_runs[-1] if self._unittest_runs else None, _SubTest(self, msg, params)
        )

    def countTestCases(self) -> int:
        return 1

    def defaultTestResult(self) -> TestResult:
        return TestResult()

    def id(self) -> str:
        return f"{_title(type(self))}.{self._testMethodName}"

    def shortDescription(self) -> str | None:
        text = guard_getattr(self, self._testMethodName).__doc__
        return text.strip().split("\n")[0].strip() if isinstance(text, str) else None

    def run(self, result: Any = None) -> Any:
        result = self.defaultTestResult() if result is None else result
        result.startTest(self)
        try:
            _Run(self, result).go()
        finally:
            result.stopTest(self)
        return result

    def __call__(self, *arguments: Any) -> Any:
        return self.run(*arguments)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TestCase) or type(self) is not type(other):
            return NotImplemented
        return self._testMethodName == other._testMethodName

    def __hash__(self) -> int:
        return hash((type(self), self._testMethodName))

    def __str__(self) -> str:
        return f"{self._testMethodName} ({self.id()})"

    def __repr__(self) -> str:
        return f"<{_title(type(self))} testMethod={self._testMethodName}>"


class IsolatedAsyncioTestCase(TestCase):
    """unittest.IsolatedAsyncioTestCase: each test in a loop of its own."""

    async def asyncSetUp(self) -> None:
        """Before each test, in its loop."""

    async def asyncTearDown(self) -> None:
        """After each test, in its loop."""

    addAsyncCleanup = TestCase.addCleanup


def _title(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


class _Run:
    """One run of one test."""

    def __init__(self, case: Any, result: Any) -> None:
        self._case, self._result = case, result
        self._is_clean = True
        self._expected: list[Any] = []
        self._runner = looping.Runner() if isinstance(case, IsolatedAsyncioTestCase) else None

    def go(self) -> None:
        case, result = self._case, self._result
        method = guard_getattr(case, case._testMethodName)
        for marked in (type(case), method):
            if (why := getattr(marked, SKIP, None)) is not None:
                result.addSkip(case, why)
                return
        is_expecting = any(getattr(marked, EXPECTING, False) for marked in (type(case), method))
        case._unittest_runs.append(self)
        try:
            self._parts(method, is_expecting=is_expecting)
        finally:
            case._unittest_runs.pop()
            if self._runner is not None:
                self._runner.close()
        if not self._is_clean:
            return
        if not is_expecting:
            result.addSuccess(case)
        elif self._expected:
            result.addExpectedFailure(case, self._expected[0])
        else:
            result.addUnexpectedSuccess(case)

    def _parts(self, method: Any, *, is_expecting: bool) -> None:
        case = self._case
        is_async = self._runner is not None
        if self._part(case.setUp) and (not is_async or self._part(case.asyncSetUp)):
            self._part(method, is_expecting=is_expecting)
            if is_async:
                self._part(case.asyncTearDown)
            self._part(case.tearDown)
        while case._unittest_cleanups:
            function, args, kwargs = case._unittest_cleanups.pop()
            self._part(functools.partial(function, *args, **kwargs))

    def _part(self, function: Callable[[], Any], *, is_expecting: bool = False) -> bool:
        try:
            returned = function()
            if self._runner is not None and isinstance(returned, types.CoroutineType):
                self._runner.run(returned)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            exhaustion.caught()
            self.take(error, is_expecting=is_expecting)
            return False
        return True

    def take(self, error: BaseException, part: Any = None, *, is_expecting: bool = False) -> None:
        """Tell the result of it, unless a failure is expected."""
        case, result = self._case, self._result
        told = (type(error), error, error.__traceback__)
        if is_expecting and not isinstance(error, SkipTest):
            self._expected.append(told)
            return
        self._is_clean = False
        if isinstance(error, SkipTest):
            result.addSkip(part or case, str(error))
        elif part is not None:
            result.addSubTest(case, part, told)
        elif isinstance(error, case.failureException):
            result.addFailure(case, told)
        else:
            result.addError(case, told)


class _SubTest:
    """What a result gets to know of a part of a test."""

    def __init__(self, case: Any, msg: Any, params: dict[str, Any]) -> None:
        self.test_case = case
        self.failureException = case.failureException
        said = [] if msg is None else [f"[{msg}]"]
        if params or not said:
            inside = ", ".join(f"{name}={value!r}" for name, value in params.items())
            said.append(f"({inside})" if params else "(<subtest>)")
        self._said = " ".join(said)

    def id(self) -> str:
        return f"{self.test_case.id()} {self._said}"

    def shortDescription(self) -> Any:
        return self.test_case.shortDescription()

    def __str__(self) -> str:
        return f"{self.test_case} {self._said}"


class _SubTestContext:
    """A part of a test, whose failure isn't the end of it. By hand, it changes nothing."""

    def __init__(self, run: _Run | None, part: _SubTest) -> None:
        self._run, self._part = run, part

    def __enter__(self) -> None:
        """There is nothing to get ready."""

    def __exit__(self, kind: Any, error: Any, _traceback: Any) -> bool:
        leaves = (KeyboardInterrupt, exhaustion.Exhausted)
        if self._run is None or kind is None or issubclass(kind, leaves):
            return False
        self._run.take(error, self._part)
        return True
