"""Exceptions across the border, and which of them may leave a test early."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any

# In a test they would end an iteration, a task or the test itself, and nobody would notice.
_ENDS_OF_ITERATION = (StopIteration, StopAsyncIteration)
_LEAVING = (
    *_ENDS_OF_ITERATION,
    GeneratorExit,
    KeyboardInterrupt,
    asyncio.CancelledError,
    unittest.SkipTest,
)


class Broken(BaseException):
    """The other process has ended, or has sent what no honest process sends."""


def is_outcome(error: BaseException) -> bool:
    """Tell whether a test framework takes this exception for a test's outcome."""
    return any(each.__module__.split(".")[0] == "_pytest" for each in type(error).__mro__)


def without_leaving(error: BaseException, *, ends_iteration: bool) -> BaseException:
    """Return what the judge raises where the implementation raised this."""
    if ends_iteration and type(error) in _ENDS_OF_ITERATION:
        return error
    if isinstance(error, _LEAVING) or is_outcome(error):
        return RuntimeError(f"the implementation raised {type(error).__name__}")
    return error


def is_failure(error: Any) -> bool:
    """Tell whether this is a failed check, or a group of exceptions with one in it."""
    pending = [error]
    while pending:
        each = pending.pop()
        if isinstance(each, BaseExceptionGroup):
            pending += each.exceptions
        elif isinstance(each, AssertionError) or _is_pytests_failure(each):
            return True
    return False


def _is_pytests_failure(error: Any) -> bool:
    return type(error).__name__ == "Failed" and is_outcome(error)


# What an `except` may name and then catches failed checks as well.
_CATCHING = (AssertionError, Exception, BaseException)


def catches_failures(thing: Any) -> bool:
    """Tell whether an `except` of the test's that names this would catch its failed checks."""
    named = thing if isinstance(thing, tuple) else (thing,)
    return any(each is wide for each in named for wide in _CATCHING)
