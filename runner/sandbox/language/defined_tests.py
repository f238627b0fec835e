"""Tracks the tests that a module defines and those that run, to find tests that never ran."""

from __future__ import annotations

import ast
import sys
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from typing import Any

DEFINED, RUN = "@defined", "@run"
_LOAD = ast.Load()


def mark_test(node: Any) -> None:
    """Rewrite a function named like a test to register its definition and its runs."""
    doc = 0 if ast.get_docstring(node, clean=False) is None else 1
    run = ast.withitem(ast.Call(ast.Name(RUN, _LOAD), [], []))
    body = ast.copy_location(ast.With([run], node.body[doc:] or [ast.Pass()]), node)
    defined = ast.copy_location(ast.Name(DEFINED, _LOAD), node)
    node.decorator_list.append(defined)
    node.body[doc:] = [ast.fix_missing_locations(body)]


class DefinedTests:
    """The test functions and methods of a module that were defined, and those that have run."""

    def __init__(self) -> None:
        self._defined: list[Callable[..., Any]] = []
        self._names: dict[str, Callable[..., Any]] = {}  # the last of each qualified name
        self._run: set[int] = set()  # code, by identity
        # To be added to the module's globals.
        self.helpers: dict[str, object] = {DEFINED: self._define, RUN: self._begin}

    def _define(self, function: Any) -> Any:
        if "<locals>" not in function.__qualname__:
            self._defined.append(function)
            self._names[function.__qualname__] = function
        return function

    def _begin(self) -> _Running:
        return _Running(self._run, id(sys._getframe(1).f_code))  # noqa: SLF001

    def is_idle(self, name: str) -> bool:
        """Return whether the test of this qualified name hasn't run."""
        function = self._names.get(name)
        return function is not None and id(function.__code__) not in self._run

    def idle(self) -> Iterator[tuple[str, int]]:
        """Yield the qualified names and lines of all tests that haven't run."""
        for function in self._defined:
            code = function.__code__
            if id(code) not in self._run:
                yield function.__qualname__, code.co_firstlineno


class _Running:
    """A running test; it counts as run at its end, unless it is stopped while it waits."""

    def __init__(self, run: set[int], code: int) -> None:
        self._run, self._code = run, code

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind not in (GeneratorExit, CancelledError):
            self._run.add(self._code)
