"""What an exception of user code means: verdict, message, place, and the frames that lead to it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from runner.sandbox.binding import Namespace
from runner.sandbox.explaining import WHY
from runner.sandbox.guards import ExitStatus, Forbidden
from runner.sandbox.protocol import LONGEST_MESSAGE
from runner.sandbox.showing import ENDINGS, class_name, cut, plain
from runner.sandbox.suggestions import suggestion
from runner.sandbox.tracing import Trace, shortened, trace_of

_MOST_CAUSES = 5
_MOST_PARTS = 10
_MOST_NOTES = 5
_DEEPEST_GROUP = 3
_LONGEST_CAUSE = 300
_LEAVING = (SystemExit, KeyboardInterrupt, GeneratorExit)
_TOO_DEEP = "maximum recursion depth exceeded"

Namespaces = Mapping[str, Namespace]


def out_of_memory(allowed_bytes: int | None = None) -> str:
    """The message of a run that had not enough memory."""
    if allowed_bytes is None:
        return "needed more memory than it may have"
    return f"needed more memory than the {allowed_bytes / (1 << 20):.4g} MiB it may have"


def judge(
    error: BaseException, namespaces: Namespaces, *, allowed_bytes: int | None = None
) -> dict[str, Any]:
    """The result of a run that `error` has ended; frames of user code only, outermost first."""
    trace = trace_of(_of(error, "__traceback__"), namespaces)
    module, line = trace.place
    verdict = _verdict(type(error))
    if verdict == "memory_limit":
        message = out_of_memory(allowed_bytes)
    else:
        text = _described(error, trace, namespaces)
        message = _with_the_rest(text, _besides(error, namespaces))
    BaseException.with_traceback(error, None)
    return result_of(verdict, message, module, line, trace=shortened(trace.frames))


def _of(error: BaseException, attribute: str) -> Any:
    """An attribute that every exception has, whatever its class would answer."""
    return BaseException.__dict__[attribute].__get__(error)


def _verdict(kind: type[BaseException]) -> str:
    if issubclass(kind, ENDINGS):
        return "memory_limit"
    if issubclass(kind, AssertionError):
        return "failed"
    return "policy" if issubclass(kind, Forbidden) else "error"


def _with_the_rest(text: str, besides: Iterator[str]) -> str:
    """All lines, as far as there is room; the first one has the right to most of it."""
    message = cut(text, LONGEST_MESSAGE)
    # An exception's notes and parts are what its class makes of them; that may be nothing.
    with contextlib.suppress(BaseException):
        for line in besides:
            if len(message) + 1 + len(line) > LONGEST_MESSAGE:
                break
            message += f"\n{line}"
    return message


# --- the exception itself -------------------------------------------------------------------------


def _described(error: BaseException, trace: Trace, namespaces: Namespaces) -> str:
    try:
        return plain(_told(error, trace, namespaces))
    except BaseException:
        # To look at what it carries runs code of the user's.
        return class_name(type(error))


def _told(error: Any, trace: Trace, namespaces: Namespaces) -> str:
    kind = type(error)
    text = _text_of(error)
    if type(error) is AssertionError:
        return _of_assertion(error, text)
    if issubclass(kind, Forbidden):
        return text
    # Of these very classes: one of the user's own may have attributes that do anything.
    if kind is RecursionError and text.startswith(_TOO_DEEP):
        text = _of_recursion(text, trace)
    elif kind is NameError and (said := _of_several_givers(error, trace, namespaces)):
        text = said
    elif kind is AttributeError and class_name(type(error.obj)) == "Shim":
        text = f"`{plain(str(error.obj))}` has no `{error.name}` here{_suggested(error, trace)}"
    elif kind is ExitStatus:
        return _of_status(error.code, text)
    elif kind in _LEAVING:
        given = f"({text})" if text else ""
        return f"left by {kind.__name__}{given} before the program's last statement"
    elif text:
        text += _suggested(error, trace)
    return f"{class_name(kind)}: {text}" if text else class_name(kind)


def _text_of(error: Any) -> str:
    try:
        return plain(str(error))
    except BaseException:
        return "its message can't be shown"


def _of_assertion(error: AssertionError, text: str) -> str:
    """The author's words first, and what the values were."""
    why = error.__dict__.get(WHY, "")
    if type(why) is not str or not why:
        return text or "assertion failed"
    return f"{cut(text, LONGEST_MESSAGE - len(why) - 2)}: {why}" if text else why


def _of_status(status: Any, text: str) -> str:
    """What a shell would get; whatever is no number is said, and counts as 1."""
    if type(status) in (int, bool):
        return f"left with exit code {int(status)}"
    return f"left with exit code 1: {text}"


def _of_recursion(text: str, trace: Trace) -> str:
    cycle = trace.cycle()
    if not cycle:
        return text
    most = f"more than {sys.getrecursionlimit()} calls deep"
    names = [function for _, _, function, _ in cycle]
    if len(names) == 1:
        return f"{most}: {names[0]} calls itself, and never stops"
    return f"{most}: {' → '.join([*names, names[0]])}, and never stops"


def _of_several_givers(error: Any, trace: Trace, namespaces: Namespaces) -> str | None:
    module = namespaces.get(trace.place[0] or "")
    if module is None or type(error.name) is not str:
        return None
    return module.explain(error.name)


def _suggested(error: BaseException, trace: Trace) -> str:
    try:
        return suggestion(error, trace.innermost)
    except BaseException:
        # To list attributes is to ask the user's objects for them.
        return ""


# --- what is said besides -------------------------------------------------------------------------


def _besides(error: BaseException, namespaces: Namespaces) -> Iterator[str]:
    yield from _notes(error)
    yield from _parts(error, "  ")
    seen = [error]
    while len(seen) <= _MOST_CAUSES:
        relation, error = _cause(error)
        if error is None or any(error is one for one in seen):
            return
        seen.append(error)
        trace = trace_of(_of(error, "__traceback__"), namespaces)
        module, line = trace.place
        where = f", on line {line} of {module}" if line else ""
        said = _described(error, trace, namespaces)
        yield f"{relation} {_in_short(said)}{where}"


def _cause(error: BaseException) -> tuple[str, Any]:
    cause = _of(error, "__cause__")
    if cause is not None:
        return "caused by", cause
    return "while handling", None if _of(error, "__suppress_context__") else _of(
        error, "__context__"
    )


def _notes(error: BaseException) -> Iterator[str]:
    notes = error.__dict__.get("__notes__")
    if type(notes) is list:
        for note in notes[:_MOST_NOTES]:
            if isinstance(note, str):
                yield _in_short(plain(note))


def _parts(error: BaseException, indent: str) -> Iterator[str]:
    """What an exception group is made of."""
    if not issubclass(type(error), BaseExceptionGroup) or len(indent) > 2 * _DEEPEST_GROUP:
        return
    parts = BaseExceptionGroup.exceptions.__get__(error)
    for part in parts[:_MOST_PARTS]:
        yield f"{indent}• {_in_short(_described(part, Trace([], None), {}))}"
        yield from _parts(part, f"{indent}  ")
    if len(parts) > _MOST_PARTS:
        yield f"{indent}• {len(parts) - _MOST_PARTS} more"


def _in_short(text: str) -> str:
    return cut(text, _LONGEST_CAUSE)


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
