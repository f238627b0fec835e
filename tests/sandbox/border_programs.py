"""Runs programs of the tables with the implementation in another process than the test."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import io
import linecache
import sys
import unittest
from types import ModuleType

from tests.sandbox.border_process import process
from tests.sandbox.programs.plain_python import HELPERS, imported
from tests.sandbox.programs.table import Judged

_HELPERS = """
def check(condition, message=""):
    if not condition:
        raise AssertionError(message)

def log(*values, **options):
    print(*values, **options)

"""


def run_judged(program: Judged) -> None:
    """Run a program; raises what its test raises."""
    sources = (_HELPERS, *program.dependencies.values(), program.implementation)
    with process("\n".join(sources), is_strict=program.kind == "function") as (peer, names):
        hidden = imported("\n".join(sources)) | {"check", "log"}
        _run_test(program, {n: thing for n, thing in names.items() if n not in hidden})
        if peer.broken:
            raise peer.broken
        for failure in peer.failures:
            raise failure


def _run_test(program: Judged, names: dict[str, object]) -> None:
    module = ModuleType(f"test_{program.name}")
    vars(module).update(HELPERS, **names)
    path = f"test_{program.name}.py"
    linecache.cache[path] = (len(program.test), None, program.test.splitlines(True), path)
    sys.modules[module.__name__] = module
    try:
        exec(compile(program.test, path, "exec", dont_inherit=True), vars(module))  # noqa: S102
        _run_cases(module)
    finally:
        del sys.modules[module.__name__]


def _run_cases(module: ModuleType) -> None:
    cases = unittest.TestSuite()
    for name, value in list(vars(module).items()):
        if isinstance(value, type) and issubclass(value, unittest.TestCase):
            cases.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(value))
        elif name.startswith("test_") and callable(value):
            with contextlib.redirect_stdout(io.StringIO()):
                answer = value()
                if inspect.iscoroutine(answer):
                    asyncio.run(answer)
    said = io.StringIO()
    if not unittest.TextTestRunner(said).run(cases).wasSuccessful():
        raise AssertionError(said.getvalue())
