"""The engine that executes JavaScript: QuickJS.

Its extension module is used without the package around it, which starts a thread when it is
imported: a process with threads can't be forked. An environment may lack it, and runs Python only.
"""

from __future__ import annotations

from typing import Any

try:
    import _quickjs
except ImportError:
    _quickjs = None

# Of the 64 MiB that a process has for its stack.
STACK_BYTES = 12 << 20

JSException: type[Exception] = getattr(_quickjs, "JSException", RuntimeError)


def is_there() -> bool:
    """Return whether this environment has the engine."""
    return _quickjs is not None


def require_engine() -> None:
    """Raise RuntimeError if this environment has no engine."""
    if not is_there():
        raise RuntimeError("quickjs-ng is not installed, so JavaScript can't be run")


def new_context() -> Any:
    """Return a context, with objects of its own; see the package `quickjs`."""
    require_engine()
    context = _quickjs.Context()
    context.set_max_stack_size(STACK_BYTES)
    return context
