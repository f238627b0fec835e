"""The cases of a test: finds what a module defines as tests, and runs them in their order.

What is plain is run by `unittest`: functions named test_..., and test cases. Where a module uses
fixtures, marks or classes as pytest has them, pytest itself runs all of it.
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
    """Import all that running cases needs, and which could not be read later."""
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

    `module` is its `__name__`, which a result doesn't tell, as it may differ from the program's.
    `own` are the names that the module defines itself, in their order. `explain` gives the result
    of an exception, `tell` gets each case's name, verdict, message and line as it ends. Either may
    raise to end the run; that is raised here, and so is what a test case's constructor raises.
    `overlooked` is asked after each case for an exception that nobody has seen since the last, and
    by which a case that passed has failed after all. `tests` are those that the module has defined:
    each must have run, unless it was skipped.
    """
    tests = tests or DefinedTests()
    # The first that didn't pass decides.
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
    """Return the qualified name of a case's function, which may have parameters."""
    return case.partition("[")[0]


def _idle(tests: DefinedTests, module: str, own: Names, excused: set[str]) -> Result | None:
    """Return the result where a test was defined and never ran; None if there is none."""
    for name, line in tests.idle():
        # Or its whole class or module was skipped.
        ends = (name, f"setUpClass ({module}.{name.partition('.')[0]})", f"setUpModule ({module})")
        if excused.isdisjoint(ends) and _is_expected(name, own):
            return result_of("error", f"{name} {_NEVER_RAN}", line=line)
    return None


def _is_expected(name: str, own: Names) -> bool:
    """Tell whether a function or a method of this qualified name is to run as a test."""
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
    """Return a function that calls this, if it is one that another process has decorated."""

    def call() -> Any:
        return thing()

    return call if is_proxy(thing) and callable(thing) else thing


def _needs_pytest(own: Names) -> bool:
    """Tell whether there are marks, fixtures, classes or hooks as pytest has them."""
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
