"""What an exception of user code means: verdict, message, place, and the frames that lead to it."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any

from runner.sandbox.binding import Namespace
from runner.sandbox.guards import Forbidden
from runner.sandbox.protocol import LONGEST_MESSAGE

OUT_OF_MEMORY = "needed more memory than it may have"

_TRACE_ENDS = (5, 15)

Frame = tuple[str, int, str, str]


def judge(error: BaseException, namespaces: Mapping[str, Namespace]) -> dict[str, Any]:
    """The result of a run that `error` has ended; frames of user code only, outermost first."""
    trace = _trace(error.__traceback__, namespaces)
    error.__traceback__ = None
    verdict, message = _describe(error, namespaces.get(trace[-1][0]) if trace else None)
    module, line = (trace[-1][0], trace[-1][1]) if trace else (None, None)
    shortened = trace
    if len(trace) > sum(_TRACE_ENDS):
        shortened = trace[: _TRACE_ENDS[0]] + trace[-_TRACE_ENDS[1] :]
    return result_of(verdict, message, module, line, trace=shortened)


def _describe(error: BaseException, module: Namespace | None) -> tuple[str, str]:
    kind = type(error)
    if issubclass(kind, MemoryError):
        return "memory_limit", OUT_OF_MEMORY
    try:
        # Joined to get a plain str: `__str__` may return a subclass with methods of its own.
        text = "".join((str(error), ""))[:LONGEST_MESSAGE]
    except BaseException:
        text = "its message can't be shown"
    if issubclass(kind, AssertionError):
        return "failed", text or "assertion failed"
    if issubclass(kind, Forbidden):
        return "policy", text
    # Of this very class: one of the user's own may have a `name` that does anything.
    name = getattr(error, "name", None) if kind is NameError else None
    if module is not None and type(name) is str:
        text = module.explain(name) or text
    return "error", f"{kind.__name__}: {text}" if text else kind.__name__


def _trace(traceback: TracebackType | None, namespaces: Mapping[str, Namespace]) -> list[Frame]:
    trace = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        namespace = namespaces.get(code.co_filename)
        if namespace is not None:
            line = traceback.tb_lineno
            lines = namespace.source.split("\n")
            text = lines[line - 1].strip()[:200] if 0 < line <= len(lines) else ""
            trace.append((namespace.name, line, code.co_name, text))
        traceback = traceback.tb_next
    return trace


def result_of(
    verdict: str,
    message: str = "",
    module: str | None = None,
    line: int | None = None,
    *,
    trace: list[tuple[str, int, str, str]] | None = None,
    value: Any = None,
) -> dict[str, Any]:
    """What goes into the last frame."""
    return {
        "verdict": verdict,
        "message": message,
        "module": module,
        "line": line,
        "trace": trace or [],
        "value": value,
    }
