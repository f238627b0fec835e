"""What became of the tests of `unittest`, and how it is told."""

from __future__ import annotations

import time
from typing import Any

from runner.sandbox.standins import reporting, streams

_LINE = "-" * 70


class TestResult:
    """unittest.TestResult.

    What changes is kept in containers of its own, so that none of its methods sets an attribute
    of whatever it is given.
    """

    def __init__(
        self,
        stream: Any = None,  # noqa: ARG002
        descriptions: Any = None,  # noqa: ARG002
        verbosity: Any = None,  # noqa: ARG002
    ) -> None:
        self.failures: list[tuple[Any, str]] = []
        self.errors: list[tuple[Any, str]] = []
        self.skipped: list[tuple[Any, str]] = []
        self.expectedFailures: list[tuple[Any, str]] = []
        self.unexpectedSuccesses: list[Any] = []
        self.failfast = False
        self._counted = {"run": 0, "stopped": 0, "told": 1}

    @property
    def testsRun(self) -> int:
        return self._counted["run"]

    @property
    def shouldStop(self) -> bool:
        return self._counted["stopped"] > 0

    def stop(self) -> None:
        self._counted["stopped"] += 1

    def wasSuccessful(self) -> bool:
        return not (self.failures or self.errors or self.unexpectedSuccesses)

    def startTestRun(self) -> None:
        """Before all tests."""

    def stopTestRun(self) -> None:
        """After all tests."""

    def startTest(self, test: Any) -> None:  # noqa: ARG002
        self._counted["run"] += 1

    def stopTest(self, test: Any) -> None:
        """After one test."""

    def addSuccess(self, test: Any) -> None:
        """Nothing is kept of it."""

    def addFailure(self, test: Any, err: Any) -> None:
        self.failures.append((test, _text_of(err)))
        self._mind_failfast()

    def addError(self, test: Any, err: Any) -> None:
        self.errors.append((test, _text_of(err)))
        self._mind_failfast()

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        if err is not None:
            is_failure = issubclass(err[0], test.failureException)
            (self.failures if is_failure else self.errors).append((subtest, _text_of(err)))
            self._mind_failfast()

    def addSkip(self, test: Any, reason: str) -> None:
        self.skipped.append((test, reason))

    def addExpectedFailure(self, test: Any, err: Any) -> None:
        self.expectedFailures.append((test, _text_of(err)))

    def addUnexpectedSuccess(self, test: Any) -> None:
        self.unexpectedSuccesses.append(test)
        self._mind_failfast()

    def _mind_failfast(self) -> None:
        if self.failfast:
            self.stop()

    def __repr__(self) -> str:
        counts = f"run={self.testsRun} errors={len(self.errors)} failures={len(self.failures)}"
        return f"<{type(self).__module__}.{type(self).__qualname__} {counts}>"


def _text_of(err: Any) -> str:
    return "".join(reporting.format_exception(err[1]))


class TextTestResult(TestResult):
    """unittest.TextTestResult, which tells of each test as it ends."""

    def __init__(self, stream: Any, descriptions: Any, verbosity: int) -> None:
        super().__init__()
        self._stream, self._descriptions, self._verbosity = stream, descriptions, verbosity

    def getDescription(self, test: Any) -> str:
        described = test.shortDescription() if self._descriptions else None
        return f"{test}\n{described}" if described else str(test)

    def _tell(self, test: Any, letter: str, word: str) -> None:
        if self._verbosity > 1:
            is_part = hasattr(test, "test_case")
            if is_part or self._counted["told"]:
                # Not what has been announced last.
                begin = "" if self._counted["told"] else "\n"
                indent = "  " if is_part else ""
                _write(self._stream, f"{begin}{indent}{self.getDescription(test)} ... ")
            _write(self._stream, f"{word}\n")
            self._counted["told"] = 1
        elif self._verbosity == 1:
            _write(self._stream, letter)

    def startTest(self, test: Any) -> None:
        super().startTest(test)
        if self._verbosity > 1:
            _write(self._stream, f"{self.getDescription(test)} ... ")
            self._counted["told"] = 0

    def addSuccess(self, test: Any) -> None:
        super().addSuccess(test)
        self._tell(test, ".", "ok")

    def addFailure(self, test: Any, err: Any) -> None:
        super().addFailure(test, err)
        self._tell(test, "F", "FAIL")

    def addError(self, test: Any, err: Any) -> None:
        super().addError(test, err)
        self._tell(test, "E", "ERROR")

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            is_failure = issubclass(err[0], test.failureException)
            self._tell(subtest, *(("F", "FAIL") if is_failure else ("E", "ERROR")))

    def addSkip(self, test: Any, reason: str) -> None:
        super().addSkip(test, reason)
        self._tell(test, "s", f"skipped {reason!r}")

    def addExpectedFailure(self, test: Any, err: Any) -> None:
        super().addExpectedFailure(test, err)
        self._tell(test, "x", "expected failure")

    def addUnexpectedSuccess(self, test: Any) -> None:
        super().addUnexpectedSuccess(test)
        self._tell(test, "u", "unexpected success")

    def printErrors(self) -> None:
        if self._verbosity:
            _write(self._stream, "\n")
        for kind, found in (("ERROR", self.errors), ("FAIL", self.failures)):
            for test, text in found:
                head = f"{'=' * 70}\n{kind}: {self.getDescription(test)}\n{_LINE}\n"
                _write(self._stream, f"{head}{text}\n")
        if self.unexpectedSuccesses:
            _write(self._stream, f"{'=' * 70}\n")
            for test in self.unexpectedSuccesses:
                _write(self._stream, f"UNEXPECTED SUCCESS: {self.getDescription(test)}\n")


def _write(stream: Any, text: str) -> None:
    streams.offered_print(text, end="", file=streams.standard.stderr if stream is None else stream)


class TextTestRunner:
    """unittest.TextTestRunner; its results are of our own class, and so go to who runs it only."""

    def __init__(
        self,
        stream: Any = None,
        descriptions: bool = True,
        verbosity: int = 1,
        failfast: bool = False,
        buffer: bool = False,  # noqa: ARG002
        warnings: Any = None,  # noqa: ARG002
    ) -> None:
        self.stream, self.verbosity = stream, verbosity
        self._options = (descriptions, failfast)

    def run(self, test: Any) -> TextTestResult:
        descriptions, failfast = self._options
        result = TextTestResult(self.stream, descriptions, self.verbosity)
        result.failfast = failfast
        began = time.perf_counter()
        test(result)
        took = time.perf_counter() - began
        result.printErrors()
        count = result.testsRun
        many = "" if count == 1 else "s"
        _write(
            self.stream, f"{_LINE}\nRan {count} test{many} in {took:.3f}s\n\n{summary(result)}\n"
        )
        return result


def summary(result: TestResult) -> str:
    """Its last line."""
    counts = {
        "failures": result.failures,
        "errors": result.errors,
        "skipped": result.skipped,
        "expected failures": result.expectedFailures,
        "unexpected successes": result.unexpectedSuccesses,
    }
    said = ", ".join(f"{name}={len(found)}" for name, found in counts.items() if found)
    return ("OK" if result.wasSuccessful() else "FAILED") + (f" ({said})" if said else "")
