"""Cases that `unittest` runs: functions named test_..., and test cases."""
# ruff: noqa: N802 - methods named by unittest

from __future__ import annotations

import inspect
import sys
import unittest
from collections.abc import Iterator
from typing import Any
from unittest import IsolatedAsyncioTestCase  # imported late by `unittest`, when it can't be read

from runner.sandbox.border.proxies import is_proxy
from runner.sandbox.process.case import (
    ENDED_EARLY,
    UNEXPECTED_SUCCESS,
    Case,
    Names,
    Report,
    TooManyCases,
    Unfit,
    checked,
    is_test_case,
    is_test_function,
    outcome_of,
    skipped,
)
from runner.sandbox.supervisor.protocol import MOST_CASES

_assert_set_equal = unittest.TestCase.assertSetEqual


def _compare_sets(self: unittest.TestCase, first: Any, second: Any, msg: Any = None) -> None:
    """As `unittest` does, which would ask an object of the implementation how it differs."""
    one, other = (set(each) if is_proxy(each) else each for each in (first, second))
    _assert_set_equal(self, one, other, msg)


vars(unittest)["TestCase"].assertSetEqual = _compare_sets


def run_by_unittest(module: str, own: Names, report: Report) -> None:
    """Run functions and test cases by `unittest`."""
    suite = unittest.TestSuite(_plain_cases(module, own))
    count = suite.countTestCases()
    if count > MOST_CASES:
        raise TooManyCases(count)
    result = _Reporting(module, report)
    try:
        suite.run(result)
    except KeyboardInterrupt as error:
        result.interrupt(error)


def _plain_cases(module: str, own: Names) -> Iterator[unittest.TestCase]:
    # Hooks of a module, which `unittest` calls between modules, are for its functions too.
    make: Any = type("Functions", (_FunctionCase,), {"__module__": module})
    for name, thing in own.items():
        if is_test_function(name, thing):
            case = make(checked(name, thing))
            case.called = name
            yield case
        elif is_test_case(thing):
            for method in _test_methods(thing):
                yield _method_case(thing, method)


class _FunctionCase(unittest.FunctionTestCase):
    """A test function as a test case."""

    called = ""


def _test_methods(cls: type) -> list[str]:
    """Return the names of a class's tests, in the order in which they were defined."""
    names = {name: None for each in reversed(cls.__mro__) for name in vars(each)}
    found = [name for name in names if name.startswith("test") and callable(getattr(cls, name))]
    return found or (["runTest"] if hasattr(cls, "runTest") else [])


def _method_case(cls: Any, name: str) -> unittest.TestCase:
    case: unittest.TestCase = cls(name)
    method = getattr(case, name)
    is_awaited = isinstance(case, IsolatedAsyncioTestCase)
    if not (is_awaited and inspect.iscoroutinefunction(method)):
        setattr(case, name, checked(name, method))
    return case


# --- what becomes of them -------------------------------------------------------------------------


class _Reporting(unittest.TestResult):
    """Reports each test as it ends, and each part of one that failed."""

    def __init__(self, module: str, report: Report) -> None:
        super().__init__()
        self._module = module
        self._report = report
        self._ended: Case | None = None
        self._count = 0
        self._is_running = False
        self._has_parts = self._has_passed = False
        self._current = ""

    def startTest(self, test: Any) -> None:
        super().startTest(test)
        self._current = self._name_of(test)
        self._ended, self._is_running = None, True
        self._has_parts = self._has_passed = False

    def stopTest(self, test: Any) -> None:
        super().stopTest(test)
        is_running, self._is_running = self._is_running, False
        if not is_running or isinstance(sys.exception(), KeyboardInterrupt):
            # Python 3.12.1 starts no test that is skipped; what interrupts all is reported later.
            return
        if self._ended is not None:
            self._send(self._ended)
        elif self._has_passed:
            self._send(Case(self._current))
        elif not self._has_parts:
            self._send(Case(self._current, Unfit(ENDED_EARLY)))

    def interrupt(self, error: BaseException) -> None:
        """End by an exception that no test framework catches."""
        self._send(Case(self._current, error))

    def addSuccess(self, test: Any) -> None:  # noqa: ARG002
        self._has_passed = True

    def addError(self, test: Any, err: Any) -> None:
        self._end(outcome_of(self._name_of(test), err[1]))

    def addFailure(self, test: Any, err: Any) -> None:
        self._end(Case(self._name_of(test), err[1]))

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: ARG002
        if err is not None:
            self._has_parts, self._has_passed = True, False
            self._send(Case(self._name_of(subtest), err[1]))

    def addSkip(self, test: Any, reason: str) -> None:
        if self._is_running and self._name_of(test) != self._current:
            # Of a part, and the others count.
            self._has_passed = not self._has_parts
        else:
            self._end(Case(self._name_of(test), is_skipped=True, note=skipped(reason)))

    def addExpectedFailure(self, test: Any, err: Any) -> None:  # noqa: ARG002
        self._end(Case(self._name_of(test), note="failed as expected"))

    def addUnexpectedSuccess(self, test: Any) -> None:
        self._end(Case(self._name_of(test), AssertionError(UNEXPECTED_SUCCESS)))

    def _end(self, case: Case) -> None:
        if not self._is_running:
            # Of a class or a module, around its tests.
            self._send(case)
        elif self._ended is None or (self._ended.error is None and case.error is not None):
            self._ended = case

    def _send(self, case: Case) -> None:
        self._count += 1
        if self._count > MOST_CASES:
            raise TooManyCases(self._count)
        self._report(case)

    def _name_of(self, test: Any) -> str:
        if isinstance(test, _FunctionCase):
            return test.called
        return str(test.id()).removeprefix(f"{self._module}.")
