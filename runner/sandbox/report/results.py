"""Results for exceptions of user code: verdict, message, place and trace.

For exceptions that cross from another process, that process attaches `border_trace_of`, which
`result_of_exception` reads in the judge.
"""

from __future__ import annotations

import contextlib
import difflib
import itertools
import sys
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any

from runner.sandbox.report.explanation import WHY
from runner.sandbox.report.trace import Sources, Trace, border_trace, packed, trace_of
from runner.sandbox.report.values import class_name, cut, plain
from runner.sandbox.supervisor.protocol import LONGEST_MESSAGE

_MOST_CAUSES = 5
_MOST_PARTS = 10
_MOST_NOTES = 5
_DEEPEST_GROUP = 3
_LONGEST_CAUSE = 300
_MOST_CANDIDATES = 750
_LONGEST_NAME = 40
# The minimum similarity of names.
_CLOSE = 0.7
_LEAVING = (SystemExit, KeyboardInterrupt, GeneratorExit)
_TOO_DEEP = "maximum recursion depth exceeded"

Result = dict[str, Any]


def result_of(
    verdict: str,
    message: str = "",
    module: str | None = None,
    line: int | None = None,
    *,
    trace: list[tuple[str, int, str, str]] | None = None,
    value: Any = None,
) -> Result:
    """Return the content of a run's last frame."""
    return {
        "verdict": verdict,
        "message": message,
        "module": module,
        "line": line,
        "trace": trace or [],
        "value": value,
    }


def result_of_exception(
    error: BaseException, sources: Sources, *, allowed_bytes: int | None = None
) -> Result:
    """Return the result of a run that was ended by an exception."""
    trace = _whole_trace(error, sources)
    module, line = trace.place
    verdict = "error"
    if isinstance(error, MemoryError) and not error.args:
        # The interpreter's MemoryError has no arguments; one raised by user code may have some.
        verdict = "memory_limit"
        most = "" if allowed_bytes is None else f"the {allowed_bytes / (1 << 20):.4g} MiB "
        message = f"needed more memory than {most}it may have"
    else:
        if isinstance(error, AssertionError) or is_pytests(error, "Failed"):
            verdict = "failed"
        message = _with_the_rest(_said(error, trace, sources), _besides(error, sources))
    error.with_traceback(None)
    return result_of(verdict, message, module, line, trace=trace.shown())


def result_of_exit(status: BaseException, sources: Sources) -> Result | None:
    """Return the result of a script that has called `sys.exit`; None for passed."""
    if type(status) is not SystemExit:
        return result_of_exception(status, sources)
    code = status.code
    # A status that is no number is printed, and the exit code is 1.
    said = f"1: {_text_of(status)}"
    if code is None or type(code) in (int, bool):
        if not code:
            return None
        said = f"{int(code)}"
    message = _with_the_rest(f"left with exit code {said}", _notes(status))
    return result_of_exception(status, sources) | {"message": message}


def border_trace_of(error: BaseException, sources: Sources) -> list[Any]:
    """Return the trace of an exception for another process, as plain data.

    The exception's type, arguments, notes and parts cross separately.
    """
    trace = _whole_trace(error, sources)
    causes: list[str] = []
    with contextlib.suppress(Exception):
        causes += _causes(error, sources)
    said = "" if isinstance(error, MemoryError) else _said(error, trace, sources)
    return packed(cut(said, LONGEST_MESSAGE), trace, causes)


def _whole_trace(error: BaseException, sources: Sources) -> Trace:
    """Return the frames of this process, then those of the process where it was raised."""
    trace = trace_of(error.__traceback__, sources)
    trace.extend(border_trace(error, sources).frames)
    return trace


def is_pytests(error: BaseException, name: str) -> bool:
    """Return whether this is pytest's exception of this name: `Failed`, `Skipped` or `XFailed`.

    Doesn't import pytest.
    """
    outcomes = sys.modules.get("_pytest.outcomes")
    kind = getattr(outcomes, name, None)
    return isinstance(kind, type) and isinstance(error, kind)


def _with_the_rest(text: str, besides: Iterator[str]) -> str:
    """Append lines to the text while they fit into LONGEST_MESSAGE."""
    message = cut(text, LONGEST_MESSAGE)
    # Reading notes and parts runs user code, which may raise.
    with contextlib.suppress(Exception):
        for line in besides:
            if len(message) + 1 + len(line) > LONGEST_MESSAGE:
                break
            message += f"\n{line}"
    return message


# --- the exception itself -------------------------------------------------------------------------


def _said(error: BaseException, trace: Trace, sources: Sources) -> str:
    """Return the text from the process where the error was raised, or else this process's."""
    if told := border_trace(error, sources).said:
        return told
    try:
        return plain(_told(error, trace, sources))
    except BaseException:
        # Reading its attributes runs user code and calls other processes.
        return class_name(type(error))


def _told(error: Any, trace: Trace, sources: Sources) -> str:
    kind = type(error)
    text = _text_of(error)
    if kind is AssertionError or is_pytests(error, "Failed"):
        # The author's message first, then the values.
        why = vars(error).get(WHY, "")
        if type(why) is not str or not why:
            return text or "assertion failed"
        return f"{cut(text, LONGEST_MESSAGE - len(why) - 2)}: {why}" if text else why
    if kind is RecursionError and text.startswith(_TOO_DEEP):
        text = _of_recursion(text, trace)
    elif kind is NameError and (said := _of_several_givers(error, trace, sources)):
        text = said
    elif kind in _LEAVING:
        given = f"({text})" if text else ""
        return f"left by {kind.__name__}{given} before the program's last statement"
    elif text:
        text += _suggested(error, trace.innermost)
    return f"{class_name(kind)}: {text}" if text else class_name(kind)


def _text_of(error: Any) -> str:
    try:
        return plain(str(error))
    except BaseException:
        return "its message can't be shown"


def _of_recursion(text: str, trace: Trace) -> str:
    if not trace.cycle:
        return text
    most = f"more than {sys.getrecursionlimit()} calls deep"
    names = [function for _, _, function, _ in trace.cycle]
    if len(names) == 1:
        return f"{most}: {names[0]} calls itself, and never stops"
    return f"{most}: {' → '.join([*names, names[0]])}, and never stops"


def _of_several_givers(error: Any, trace: Trace, sources: Sources) -> str | None:
    module = next((each for each in sources.values() if each.name == trace.place[0]), None)
    if module is None or type(error.name) is not str:
        return None
    return module.explain(error.name)


def _suggested(error: Any, frame: FrameType | None) -> str:
    """Return a suggestion for a name that doesn't exist; empty if no name is similar."""
    kind = type(error)
    try:
        # An error made by user code may have no name.
        if kind is AttributeError and type(error.name) is str:
            return _closest(error.name, dir(error.obj))
        if kind is NameError and type(error.name) is str and frame is not None:
            return _suggested_instead(error.name, frame)
    except BaseException:
        # Listing attributes runs user code.
        return ""
    return ""


def _suggested_instead(wrong: str, frame: FrameType) -> str:
    known = {**frame.f_builtins, **frame.f_globals, **frame.f_locals}
    if wrong in known:
        return ""
    if not wrong.startswith("_") and wrong in dir(frame.f_locals.get("self")):
        return f". Did you mean: `self.{wrong}`?"
    if not wrong.startswith("_") and wrong in sys.stdlib_module_names:
        return f". Did you forget `import {wrong}`?"
    return _closest(wrong, known)


def _closest(wrong: str, candidates: Iterable[Any]) -> str:
    """Suggest a similar name; a private one only if the wrong name is private too."""
    names = [
        name
        for name in itertools.islice(candidates, _MOST_CANDIDATES)
        if type(name) is str and name.isidentifier() and len(name) <= _LONGEST_NAME
        if name != wrong and (wrong.startswith("_") or not name.startswith("_"))
    ]
    found = difflib.get_close_matches(wrong[:_LONGEST_NAME], names, n=1, cutoff=_CLOSE)
    return f". Did you mean: `{found[0]}`?" if found else ""


# --- what is said besides -------------------------------------------------------------------------


def _besides(error: BaseException, sources: Sources) -> Iterator[str]:
    yield from _notes(error)
    yield from _parts(error, "  ", sources)
    yield from _causes(error, sources)


def _causes(error: BaseException, sources: Sources) -> Iterator[str]:
    seen = [error]
    while len(seen) <= _MOST_CAUSES:
        if told := border_trace(error, sources).causes:
            # These are the same exceptions as those that have crossed.
            yield from told
            return
        relation, cause = "caused by", error.__cause__
        if cause is None and not error.__suppress_context__:
            relation, cause = "while handling", error.__context__
        if cause is None or any(cause is one for one in seen):
            return
        error = cause
        seen.append(error)
        trace = _whole_trace(error, sources)
        module, line = trace.place
        where = f", on line {line} of {module}" if line else ""
        yield f"{relation} {cut(_said(error, trace, sources), _LONGEST_CAUSE)}{where}"


def _notes(error: BaseException) -> Iterator[str]:
    notes = vars(error).get("__notes__")
    if type(notes) is list:
        for note in notes[:_MOST_NOTES]:
            if isinstance(note, str):
                yield cut(plain(note), _LONGEST_CAUSE)


def _parts(error: BaseException, indent: str, sources: Sources) -> Iterator[str]:
    """Yield a line for each exception of a group."""
    if not isinstance(error, BaseExceptionGroup) or len(indent) > 2 * _DEEPEST_GROUP:
        return
    for part in error.exceptions[:_MOST_PARTS]:
        yield f"{indent}• {cut(_said(part, Trace(), sources), _LONGEST_CAUSE)}"
        yield from _parts(part, f"{indent}  ", sources)
    if len(error.exceptions) > _MOST_PARTS:
        yield f"{indent}• {len(error.exceptions) - _MOST_PARTS} more"
