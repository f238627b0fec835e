"""Runs the programs of the tables in plain Python, each in a fork of a warm interpreter.

`python -m tests.sandbox.programs.plain_python [NAME ...]` prints one JSON object: the programs that
failed, each with the reason.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import contextlib
import dataclasses  # noqa: F401 - what programs import takes longer than what they do
import inspect
import io
import json
import linecache
import os
import signal
import sys
import traceback
import typing  # noqa: F401
import unittest
import unittest.mock
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from tests.sandbox.programs.table import FOLDER, Judged, Script, read_tables

LONGEST_SECONDS = 20
VERSION = ".".join(map(str, sys.version_info[:3]))


class Complaint(Exception):
    """A program failed, in words."""


def check(condition: object, message: str = "") -> None:
    """The helper of this name."""
    if not condition:
        raise AssertionError(message)


def log(*values: object, sep: str = " ", end: str = "\n") -> None:
    """The helper of this name."""
    print(*values, sep=sep, end=end)


HELPERS: dict[str, object] = {"check": check, "log": log}


def run(program: Script | Judged) -> None:
    """Run it here; whatever it raises, it failed."""
    if isinstance(program, Script):
        run_script(program)
    else:
        run_judged(program)


def run_script(program: Script) -> None:
    """Execute it as the main program, which may leave with a status of success."""
    try:
        execute("__main__", program.source, {})
    except SystemExit as end:
        if end.code:
            raise


def run_judged(program: Judged) -> None:
    """Execute the implementation, and the test with what the implementation defines."""
    module = execute_test(program)
    if program.uses_pytest:
        run_in_pytest(module)
        return
    cases = unittest.TestSuite()
    for name, value in list(vars(module).items()):
        if isinstance(value, type) and issubclass(value, unittest.TestCase):
            cases.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(value))
        elif name.startswith("test_") and callable(value):
            answer = value()
            if inspect.iscoroutine(answer):
                asyncio.run(answer)
    said = io.StringIO()
    if not unittest.TextTestRunner(said).run(cases).wasSuccessful():
        raise Complaint(said.getvalue())


def execute_test(program: Judged) -> ModuleType:
    """Execute dependencies, implementation and test, each as a module of its own."""
    offered: dict[str, dict[str, object]] = {}

    def bound(source: str) -> dict[str, object]:
        names = dict(HELPERS)
        for name in program.named_by(source):
            names |= offered[name]
        return names

    for name, source in program.dependencies.items():
        offered[name] = public(execute(name, source, bound(source)))
    module = execute(program.function, program.implementation, bound(program.implementation))
    seen = public(module)
    if program.function not in seen:
        raise Complaint(f"the implementation doesn't define {program.function}")
    return execute(f"test_{program.name}", program.test, {**bound(program.test), **seen})


def execute(name: str, source: str, names: dict[str, object]) -> ModuleType:
    """Execute a module whose source can be looked up, though it is in no file."""
    module = ModuleType(name)
    vars(module).update(names, __bound__=names)
    path = f"{name}.py"
    module.__file__ = path
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    sys.modules[name] = module
    exec(compile(source, path, "exec", dont_inherit=True), vars(module))  # noqa: S102
    names.update((name, vars(module).get(name)) for name in imported(source))
    return module


def public(module: ModuleType) -> dict[str, object]:
    """The names that a module defines itself, or lists."""
    content = vars(module)
    if "__all__" in content:
        return {name: content[name] for name in content["__all__"]}
    kept = content["__bound__"]
    return {
        name: value
        for name, value in content.items()
        if not name.startswith("_") and not (name in kept and kept[name] is value)
    }


def imported(source: str) -> set[str]:
    """The names that a source's top level imports."""
    names: set[str] = set()
    pending: list[ast.AST] = [ast.parse(source)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            pending.extend(ast.iter_child_nodes(node))
    return names


class _Failures:
    """A plugin that keeps what pytest says of failures, and counts what passed."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.passed = 0

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.said.append(report.longreprtext)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.said.append(report.longreprtext)
        self.passed += report.when == "call" and report.passed


def run_in_pytest(module: ModuleType) -> None:
    """Have pytest itself collect and run what a test defines."""
    import pytest  # noqa: PLC0415 - only programs that import it need it

    class InMemory(pytest.Module):
        def _getobj(self) -> ModuleType:
            return module

    class Collection(_Failures):
        def pytest_collect_file(self, file_path: Any, parent: Any) -> Any:
            if file_path.samefile(__file__):
                return InMemory.from_parent(parent, path=file_path)
            return None

    failures = Collection()
    said = io.StringIO()
    options = ("-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", os.sep)
    with contextlib.redirect_stdout(said):
        pytest.main([*options, "--noconftest", __file__], plugins=[failures])
    if failures.said or not failures.passed:
        raise Complaint("\n".join(failures.said) or said.getvalue() or "nothing was run")


def complaint_of(run: Callable[[], None]) -> str:
    """Run it in a fork, silently; return why it failed, or nothing."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _run_and_end(run, writing)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return said or (f"ended with {code}" if code else "")


def _run_and_end(run: Callable[[], None], writing: int) -> NoReturn:
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    signal.alarm(LONGEST_SECONDS)
    code = 0
    try:
        run()
    except BaseException:  # noqa: BLE001 - as the interpreter does
        os.write(writing, traceback.format_exc()[-4_000:].encode("utf-8", "replace"))
        code = 1
    os._exit(code)


def main(arguments: Sequence[str]) -> None:
    """Run all programs, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the tables are")
    options = parser.parse_args(arguments)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ.pop("PYTEST_ADDOPTS", None)
    with contextlib.suppress(ImportError):
        import pytest  # noqa: F401, PLC0415 - once, and not in each fork
    complaints = {}
    for program in read_tables(options.folder):
        if (options.names and program.name not in options.names) or VERSION in program.not_on:
            continue
        if said := complaint_of(partial(run, program)):
            complaints[program.name] = said
    json.dump(complaints, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1:])
