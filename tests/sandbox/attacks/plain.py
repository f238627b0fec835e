"""Runs groups of attacks in plain Python, as a careless site would: one process, no walls.

Programs come as a JSON list on standard input, `[name, function, implementation, test,
dependencies]` each; what went wrong is written to standard output, a JSON object by name.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import io
import json
import re
import sys
import types
import unittest
from collections.abc import Mapping
from typing import Any

_MARKER = re.compile(r"#.*<<(\w+)>>")


def check(condition: object, message: str = "") -> None:
    """Fail unless this is true, as the site's helper does."""
    if not condition:
        raise AssertionError(message or "check failed")


def log(*_: object) -> None:
    """Stand for the site's helper."""


def run(function: str, implementation: str, test: str, dependencies: Mapping[str, str]) -> None:
    """Run a test of an implementation; raises whatever the test does."""
    sources = {**dependencies, function: implementation}
    modules: dict[str, types.ModuleType] = {}
    try:
        for name in (*_MARKER.findall(test), function):
            _load(name, sources, modules)
        made = _execute("test", test, [modules[n] for n in (*_MARKER.findall(test), function)])
        _run_tests(made)
    finally:
        for name in (*modules, "test"):
            sys.modules.pop(name, None)


def _load(name: str, sources: Mapping[str, str], modules: dict[str, types.ModuleType]) -> None:
    if name in modules:
        return
    named = _MARKER.findall(sources[name])
    for other in named:
        _load(other, sources, modules)
    modules[name] = _execute(name, sources[name], [modules[other] for other in named])


def _execute(name: str, source: str, binds: list[types.ModuleType]) -> types.ModuleType:
    module = sys.modules[name] = types.ModuleType(name)
    names = vars(module)
    names |= {"check": check, "log": log}
    for bound in binds:
        # The function's own module comes last, so that its names win over others.
        names |= _public(bound)
    exec(compile(source, name, "exec"), names)  # noqa: S102
    return module


def _public(module: types.ModuleType) -> dict[str, Any]:
    names = vars(module)
    listed = names.get("__all__", [name for name in names if not name.startswith("_")])
    return {name: getattr(module, name) for name in listed}


def _run_tests(module: types.ModuleType) -> None:
    for name, thing in [*vars(module).items()]:
        if getattr(thing, "__module__", None) != module.__name__:
            continue
        if isinstance(thing, type) and issubclass(thing, unittest.TestCase):
            result = unittest.TestResult()
            unittest.defaultTestLoader.loadTestsFromTestCase(thing).run(result)
            if not result.wasSuccessful():
                raise AssertionError([*result.failures, *result.errors])
        elif name.startswith("test_") and inspect.iscoroutinefunction(thing):
            asyncio.run(thing())
        elif name.startswith("test_"):
            for arguments in _cases(thing):
                thing(**arguments)


def _cases(test: Any) -> list[dict[str, Any]]:
    """Return the arguments of each case, of a test that pytest gives one name at most."""
    for mark in getattr(test, "pytestmark", ()):
        name, values = mark.args
        return [{name: value} for value in values]
    return [{}]


def main() -> None:
    """Run the programs that come on standard input."""
    wrong = {}
    for name, *program in json.load(sys.stdin):
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                run(*program)
        except BaseException as error:  # noqa: BLE001
            wrong[name] = repr(error)
    print(json.dumps(wrong))


if __name__ == "__main__":
    main()
