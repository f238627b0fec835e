"""Finds the cases of a test module and runs them in order.

Functions named test_... and test cases are run by `unittest`. If a module uses fixtures, marks or
classes of pytest, pytest runs all of it.
"""

from __future__ import annotations

import inspect
import unittest
from collections.abc import Callable
from typing import Any

from runner.sandbox.border.proxies import Mirror, is_proxy
from runner.sandbox.language.defined_tests import DefinedTests
from runner.sandbox.process import pytest_cases
from runner.sandbox.process.unittest_cases import (
    Case,
    Names,
    Unfit,
    check_count,
    is_test_case,
    is_test_function,
    run_by_unittest,
)
from runner.sandbox.report.results import Result, result_of
from runner.sandbox.supervisor.protocol import LONGEST_MESSAGE, LONGEST_NAME

_NEVER_RAN = "never ran, so it has tested nothing"
_PYTEST_NAMES = frozenset(
    "pytestmark setup_module teardown_module setup_function teardown_function".split()
)


def preload() -> None:
    """Import everything for running cases, because files can't be read later."""
    unittest.TestCase().assertNoLogs()
    pytest_cases.preload()


def result_of_cases(
    module: str,
    own: Names,
    explain: Callable[[BaseException], Result],
    tell: Callable[[str, str, str, int | None], None],
    overlooked: Callable[[], BaseException | None] = lambda: None,
    tests: DefinedTests | None = None,
) -> Result | None:
    """Run the cases of a module, and return the result, None for passed.

    `module` is its `__name__`, which may differ from its name in the program and is left out of
    results. `own` are the names that the module defines, in order. `explain` returns the result for
    an exception; `tell` is called with each case's name, verdict, message and line when it ends.
    Both may raise to end the run; their exceptions propagate, like those of a test case's
    constructor. `overlooked` is called after each case and returns an exception that the case has
    missed, so that a passed case fails after all. `tests` are the tests that the module has
    defined: each must have run, unless it was skipped.
    """
    tests = tests or DefinedTests()
    # The first case that didn't pass decides.
    first: Result | None = None
    count = skipped = 0
    excused: set[str] = set()

    def take(case: Case) -> None:
        nonlocal first, count, skipped
        count += 1
        check_count(count)
        skipped += case.is_skipped
        name, late = case.name[:LONGEST_NAME], overlooked()
        error = case.error
        if case.note:
            excused.add(_of_function(case.name))
        elif error is None:
            is_idle = tests.is_idle(_of_function(case.name))
            error = late or (Unfit(_NEVER_RAN) if is_idle else None)
        if error is None:
            tell(name, "passed", case.note[:LONGEST_MESSAGE], None)
            return
        result = result_of("error", str(error)) if isinstance(error, Unfit) else explain(error)
        tell(name, result["verdict"], result["message"], result["line"])
        first = first or result | {"message": f"{name}: {result['message']}"[:LONGEST_MESSAGE]}

    own = {name: _called(thing) if name[:5] == "test_" else thing for name, thing in own.items()}
    run = pytest_cases.run_by_pytest if _needs_pytest(own) else run_by_unittest
    try:
        run(module, own, take)
    except Unfit as unfit:
        return result_of("error", str(unfit))
    if first is None and 0 < count == skipped:
        what = "its case was" if count == 1 else f"all {count} cases were"
        return result_of("error", f"{what} skipped, so nothing was tested")
    return first or _idle(tests, module, own, excused)


def _of_function(case: str) -> str:
    """Return the qualified name of a case's function, without parameters."""
    return case.partition("[")[0]


def _idle(tests: DefinedTests, module: str, own: Names, excused: set[str]) -> Result | None:
    """Return the result if a defined test never ran; None if there is no such test."""
    for name, line in tests.idle():
        # Its whole class or module may have been skipped.
        ends = (name, f"setUpClass ({module}.{name.partition('.')[0]})", f"setUpModule ({module})")
        if excused.isdisjoint(ends) and _is_expected(name, own):
            return result_of("error", f"{name} {_NEVER_RAN}", line=line)
    return None


def _is_expected(name: str, own: Names) -> bool:
    """Return whether a function or method of this qualified name must run as a test."""
    head, _, method = name.partition(".")
    if head not in own or not (method or name.startswith("test_")):
        return False
    thing = own[head]
    if is_proxy(thing) or isinstance(thing, Mirror):
        return True
    if method and isinstance(thing, type) and not (is_test_case(thing) or head[:4] == "Test"):
        return False
    is_fixture = type(thing).__module__ == "_pytest.fixtures"
    return not is_fixture and getattr(thing, "__test__", True) is not False


def _called(thing: Any) -> Any:
    """Return a function that calls this if it is a proxy of a callable; else the thing itself."""

    def call() -> Any:
        return thing()

    return call if is_proxy(thing) and callable(thing) else thing


def _needs_pytest(own: Names) -> bool:
    """Return whether there are marks, fixtures, classes or hooks of pytest."""
    return not _PYTEST_NAMES.isdisjoint(own) or any(
        type(thing).__module__ == "_pytest.fixtures"
        or (is_test_function(name, thing) and _has_fixtures(thing))
        or (name.startswith("Test") and _is_test_class(thing))
        for name, thing in own.items()
    )


def _has_fixtures(function: Any) -> bool:
    parameters = inspect.signature(function, follow_wrapped=False).parameters.values()
    return hasattr(function, "pytestmark") or any(
        each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
        for each in parameters
    )


def _is_test_class(thing: Any) -> bool:
    if not isinstance(thing, type) or is_test_case(thing):
        return False
    return any(is_test_function(*item) for each in thing.__mro__ for item in vars(each).items())
