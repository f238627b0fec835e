"""Runs functions named test_... and test cases by `unittest`; defines what a case is."""
# ruff: noqa: N802 - methods named by unittest

from __future__ import annotations

import asyncio
import inspect
import sys
import types
import unittest
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from unittest import IsolatedAsyncioTestCase  # imported late by `unittest`, when it can't be read

from runner.sandbox.border.proxies import is_proxy
from runner.sandbox.report.results import is_pytests
from runner.sandbox.supervisor.protocol import MOST_CASES

# The objects that a module defines itself by name, in order.
Names = Mapping[str, Any]

UNEXPECTED_SUCCESS = "passed, though it is marked as expected to fail"
ENDED_EARLY = "ended before its last statement, and not by an exception"


@dataclass(frozen=True, slots=True)
class Case:
    """A case that has ended; without an error it has passed or was skipped."""

    name: str
    error: BaseException | None = None
    is_skipped: bool = False
    note: str = ""


Report = Callable[[Case], None]


class Unfit(Exception):
    """A test, or a case of it, can't be judged; the text is the whole message."""


def check_count(count: int) -> None:
    """Raise Unfit if there are more than MOST_CASES."""
    if count > MOST_CASES:
        raise Unfit(f"has {count} test functions, {MOST_CASES} are allowed")


def is_test_function(name: str, thing: Any) -> bool:
    return name.startswith("test_") and type(thing) is types.FunctionType


def is_test_case(thing: Any) -> bool:
    return isinstance(thing, type) and issubclass(thing, unittest.TestCase)


def checked(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that awaits the coroutine of an `async def`, and refuses generators."""

    def call(*args: Any, **kwargs: Any) -> None:
        returned = function(*args, **kwargs)
        if inspect.iscoroutine(returned):
            asyncio.run(returned)
        elif inspect.isgenerator(returned) or inspect.isasyncgen(returned):
            message = f"{name} has a `yield`, so nothing runs it; call what it should test"
            raise Unfit(message)

    # Marks are attributes; `__wrapped__` keeps the signature.
    vars(call).update(getattr(function, "__dict__", {}))
    call.__name__, call.__wrapped__ = name, function  # type: ignore[attr-defined]
    return call


def outcome_of(name: str, error: BaseException) -> Case:
    """Return the case that has ended with this exception, which may mean skipped or xfailed."""
    if isinstance(error, unittest.SkipTest) or is_pytests(error, "Skipped"):
        return _skipped(name, str(error))
    if is_pytests(error, "XFailed"):
        return Case(name, note="failed as expected")
    return Case(name, error)


def _skipped(name: str, reason: str) -> Case:
    return Case(name, is_skipped=True, note=f"skipped: {reason}" if reason else "skipped")


# --- running --------------------------------------------------------------------------------------

_assert_set_equal = unittest.TestCase.assertSetEqual


def _compare_sets(self: unittest.TestCase, first: Any, second: Any, msg: Any = None) -> None:
    """Compare copies of proxies: `unittest` would let the implementation's object compare."""
    one, other = (set(each) if is_proxy(each) else each for each in (first, second))
    _assert_set_equal(self, one, other, msg)


vars(unittest)["TestCase"].assertSetEqual = _compare_sets


def run_by_unittest(module: str, own: Names, report: Report) -> None:
    """Run functions and test cases by `unittest`; raises Unfit, and exceptions of `report`."""
    suite = unittest.TestSuite(_plain_cases(module, own))
    check_count(suite.countTestCases())
    result = _Reporting(module, report)
    try:
        suite.run(result)
    except KeyboardInterrupt as error:
        # No test framework catches it.
        report(Case(result.current, error))


def _plain_cases(module: str, own: Names) -> Iterator[unittest.TestCase]:
    # Of the module, so that `unittest` calls the module's hooks for its functions too.
    make: Any = type("Functions", (unittest.FunctionTestCase,), {"__module__": module})
    for name, thing in own.items():
        if is_test_function(name, thing):
            yield make(checked(name, thing))
        elif is_test_case(thing):
            for method in _test_methods(thing):
                yield _method_case(thing, method)


def _test_methods(cls: type) -> list[str]:
    """Return the names of a class's tests, in the order of definition."""
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


class _Reporting(unittest.TestResult):
    """Reports each test as it ends, and each part of one that failed."""

    def __init__(self, module: str, report: Report) -> None:
        super().__init__()
        self.current = ""  # the name of the running test
        self._module = module
        self._report = report
        self._ended: Case | None = None
        # The case to report unless `_ended` is set.
        self._usual: Case | None = None

    def startTest(self, test: Any) -> None:
        super().startTest(test)
        self.current = self._name_of(test)
        self._ended, self._usual = None, Case(self.current, Unfit(ENDED_EARLY))

    def stopTest(self, test: Any) -> None:
        super().stopTest(test)
        if isinstance(sys.exception(), KeyboardInterrupt):
            return
        # Python 3.12.1 starts no test that is skipped.
        case = self._ended or self._usual
        self.current, self._ended, self._usual = "", None, None
        if case is not None:
            self._report(case)

    def addSuccess(self, test: Any) -> None:  # noqa: ARG002
        self._usual = Case(self.current)

    def addError(self, test: Any, err: Any) -> None:
        self._end(outcome_of(self._name_of(test), err[1]))

    def addFailure(self, test: Any, err: Any) -> None:
        self._end(Case(self._name_of(test), err[1]))

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: ARG002
        if err is not None:
            self._usual = None
            self._report(Case(self._name_of(subtest), err[1]))

    def addSkip(self, test: Any, reason: str) -> None:
        name = self._name_of(test)
        if self.current not in ("", name):
            # A subtest was skipped; the others decide.
            self._usual = self._usual and Case(self.current)
        else:
            self._end(_skipped(name, reason))

    def addExpectedFailure(self, test: Any, err: Any) -> None:  # noqa: ARG002
        self._end(Case(self._name_of(test), note="failed as expected"))

    def addUnexpectedSuccess(self, test: Any) -> None:
        self._end(Case(self._name_of(test), AssertionError(UNEXPECTED_SUCCESS)))

    def _end(self, case: Case) -> None:
        if not self.current:
            # A fixture of a class or module has failed or skipped.
            self._report(case)
        elif self._ended is None or (self._ended.error is None and case.error is not None):
            self._ended = case

    def _name_of(self, test: Any) -> str:
        return str(test.id()).removeprefix(f"{self._module}.")
