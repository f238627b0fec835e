"""A case of a test, and what an exception makes of it."""

from __future__ import annotations

import asyncio
import inspect
import types
import unittest
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from runner.sandbox.border.proxies import is_proxy
from runner.sandbox.report.results import is_pytests
from runner.sandbox.supervisor.protocol import MOST_CASES

# What a module defines itself, in its order.
Names = Mapping[str, Any]

UNEXPECTED_SUCCESS = "passed, though it is marked as expected to fail"
ENDED_EARLY = "ended before its last statement, and not by an exception"


@dataclass(frozen=True, slots=True)
class Case:
    """A case that has ended; without an error it passed, or was skipped."""

    name: str
    error: BaseException | None = None
    is_skipped: bool = False
    note: str = ""


Report = Callable[[Case], None]


class Unfit(Exception):
    """A test, or a case of it, can't be judged; the text says all that there is to say."""


class TooManyCases(Unfit):
    """There are more cases than can be listed."""

    def __init__(self, count: int) -> None:
        super().__init__(f"has {count} test functions, {MOST_CASES} are allowed")


def called(name: str, thing: Any) -> Any:
    """Return a test function that calls this, if it is one that another process has decorated."""
    if not (name.startswith("test_") and is_proxy(thing) and callable(thing)):
        return thing

    def call() -> Any:
        return thing()

    return call


def is_test_function(name: str, thing: Any) -> bool:
    return name.startswith("test_") and type(thing) is types.FunctionType


def is_test_case(thing: Any) -> bool:
    return isinstance(thing, type) and issubclass(thing, unittest.TestCase)


def checked(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that awaits what an `async def` returns, and refuses a generator."""

    def call(*args: Any, **kwargs: Any) -> None:
        returned = function(*args, **kwargs)
        if inspect.iscoroutine(returned):
            asyncio.run(returned)
        elif inspect.isgenerator(returned) or inspect.isasyncgen(returned):
            message = f"{name} has a `yield`, so nothing runs it; call what it should test"
            raise Unfit(message)

    # Marks are attributes; the wrapper takes what the test takes.
    vars(call).update(getattr(function, "__dict__", {}))
    call.__name__, call.__wrapped__ = name, function  # type: ignore[attr-defined]
    return call


def outcome_of(name: str, error: BaseException) -> Case:
    """Return the case that has ended so; of pytest, some exceptions are no failures."""
    if isinstance(error, unittest.SkipTest) or is_pytests(error, "Skipped"):
        return Case(name, is_skipped=True, note=skipped(str(error)))
    if is_pytests(error, "XFailed"):
        return Case(name, note="failed as expected")
    return Case(name, error)


def skipped(reason: str) -> str:
    return f"skipped: {reason}" if reason else "skipped"
