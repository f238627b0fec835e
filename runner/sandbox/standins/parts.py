"""The parts of asyncio that need no system.

The package itself would bring sockets, TLS, threads and processes along, so that its parts are
imported one by one, under a package of the same name that is empty.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import types
from typing import Any

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
            module = importlib.import_module(f"asyncio.{part}")
            vars(package).update({name: getattr(module, name) for name in module.__all__})
    finally:
        for name in absent:
            del sys.modules[name]
    return package
