"""The parts of asyncio that need no system.

The package itself would bring sockets, TLS, threads and processes along, so that its parts are
imported one by one, under a package of the same name that is empty.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
import types
from typing import Any

from runner.sandbox.guards import Forbidden

# What is written in C could not be changed.
_IN_PYTHON = ("futures", "tasks")
_PARTS = "events futures tasks locks queues timeouts taskgroups exceptions coroutines".split()


class _Nothing:
    """In place of a module that is only there to be imported."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *_arguments: Any, **_keywords: Any) -> Any:
        return self

    def __sub__(self, _other: Any) -> int:
        return 0


def import_parts() -> types.ModuleType:
    """A module `asyncio` with what its harmless parts make public."""
    package = sys.modules.get("asyncio")
    if package is None:
        package = types.ModuleType("asyncio")
        found = importlib.util.find_spec("asyncio")
        package.__path__ = list(found.submodule_search_locations or ()) if found else []
        sys.modules["asyncio"] = package
    absent = [name for name in ("logging", "socket", "subprocess") if name not in sys.modules]
    sys.modules.update(dict.fromkeys(absent, _Nothing()))  # type: ignore[arg-type]
    try:
        # Frames are out of reach; tasks take this one over when their own module is made.
        base_tasks: Any = importlib.import_module("asyncio.base_tasks")
        base_tasks._task_get_stack = lambda *_: []
        for part in _PARTS:
            if part in _IN_PYTHON:
                sys.modules["_asyncio"] = None  # type: ignore[assignment]
            module = importlib.import_module(f"asyncio.{part}")
            sys.modules.pop("_asyncio", None)
            vars(package).update({name: getattr(module, name) for name in module.__all__})
    finally:
        for name in absent:
            del sys.modules[name]
    _protect_tasks(package.Future, package.Task)
    return package


def _protect_tasks(future: Any, task: Any) -> None:
    """Let nothing but its coroutine's end finish a task; a future of the same kind is anybody's.

    Else a function that a test awaits could finish the task of the test.
    """

    def guarded(finish: Any) -> Any:
        @functools.wraps(finish)
        def method(self: Any, *arguments: Any, **keywords: Any) -> Any:
            coroutine = self._coro if task in type(self).__mro__ else None
            if type(coroutine) is types.CoroutineType and coroutine.cr_frame is not None:
                raise Forbidden("a task ends when its coroutine does")
            return finish(self, *arguments, **keywords)

        return method

    for name in ("set_result", "set_exception", "cancel"):
        setattr(future, name, guarded(vars(future)[name]))

    def get_coro(_self: Any) -> Any:
        raise Forbidden("a task's coroutine is driven by the task only")

    task.get_coro = get_coro
