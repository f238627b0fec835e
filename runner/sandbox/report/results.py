"""What an exception means that user code has ended by: verdict, message, place, frames.

Some exceptions come from another process, which tells what it knows of them by `border_trace_of`;
`result_of_exception` reads that where the result is made.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

from runner.sandbox.report.border_trace import border_trace, packed
from runner.sandbox.report.explanation import WHY
from runner.sandbox.report.suggestions import suggestion
from runner.sandbox.report.trace import Sources, Trace, trace_of
from runner.sandbox.report.values import class_name, cut, plain
from runner.sandbox.supervisor.protocol import LONGEST_MESSAGE

_MOST_CAUSES = 5
_MOST_PARTS = 10
_MOST_NOTES = 5
_DEEPEST_GROUP = 3
_LONGEST_CAUSE = 300
_LEAVING = (SystemExit, KeyboardInterrupt, GeneratorExit)
_TOO_DEEP = "maximum recursion depth exceeded"

Result = dict[str, Any]


def out_of_memory(allowed_bytes: int | None = None) -> str:
    """Return the message of a run that had not enough memory."""
    if allowed_bytes is None:
        return "needed more memory than it may have"
    return f"needed more memory than the {allowed_bytes / (1 << 20):.4g} MiB it may have"


def result_of(
    verdict: str,
    message: str = "",
    module: str | None = None,
    line: int | None = None,
    *,
    trace: list[tuple[str, int, str, str]] | None = None,
    value: Any = None,
) -> Result:
    """Return what goes into the last frame of a run."""
    return {
        "verdict": verdict,
        "message": message,
        "module": module,
        "line": line,
        "trace": trace or [],
        "value": value,
    }


def result_of_exception(
    error: BaseException,
    sources: Sources,
    *,
    allowed_bytes: int | None = None,
    refusals: tuple[type[BaseException], ...] = (),
) -> Result:
    """Return the result of a run that an exception has ended.

    Refusals are exceptions whose verdict is `policy`, and whose text says it all.
    """
    trace = _whole_trace(error, sources)
    module, line = trace.place
    verdict = "policy" if refusals and isinstance(error, refusals) else _verdict(error)
    if verdict == "memory_limit":
        message = out_of_memory(allowed_bytes)
    elif verdict == "policy":
        message = cut(_text_of(error), LONGEST_MESSAGE)
    else:
        message = _with_the_rest(_said(error, trace, sources), _besides(error, sources))
    error.with_traceback(None)
    return result_of(verdict, message, module, line, trace=trace.shown())


def result_of_exit(status: BaseException, sources: Sources) -> Result | None:
    """Return the result of a script that has left by `sys.exit`, None for passed."""
    if type(status) is not SystemExit:
        return result_of_exception(status, sources)
    code = status.code
    if code is None or (type(code) in (int, bool) and not code):
        return None
    # What is no number is said, and counts as 1, as a shell gets it.
    text = f"{int(code)}" if isinstance(code, int) and type(code) in (int, bool) else ""
    said = f"left with exit code {text or f'1: {_text_of(status)}'}"
    return result_of_exception(status, sources) | {"message": _with_the_rest(said, _notes(status))}


def border_trace_of(error: BaseException, sources: Sources) -> list[Any]:
    """Return what to tell another process of an exception that crosses to it, as plain data.

    Its type, arguments, notes and parts cross by themselves.
    """
    trace = _whole_trace(error, sources)
    causes: list[str] = []
    with contextlib.suppress(Exception):
        causes += _causes(error, sources)
    said = "" if isinstance(error, MemoryError) else _said(error, trace, sources)
    return packed(cut(said, LONGEST_MESSAGE), trace, causes)


def _whole_trace(error: BaseException, sources: Sources) -> Trace:
    """Return the frames of this process, and then those of the one where it was raised."""
    trace = trace_of(error.__traceback__, sources)
    trace.segments += border_trace(error, sources).segments
    return trace


def _verdict(error: BaseException) -> str:
    if isinstance(error, MemoryError) and not error.args:
        # The interpreter's own comes without a word; one that user code raised has what to say.
        return "memory_limit"
    if isinstance(error, AssertionError) or is_pytests(error, "Failed"):
        return "failed"
    return "error"


def is_pytests(error: BaseException, name: str) -> bool:
    """Tell whether this is pytest's exception `Failed`, `Skipped` or `XFailed`.

    It has not been imported if the test doesn't use it.
    """
    outcomes = sys.modules.get("_pytest.outcomes")
    kind = getattr(outcomes, name, None)
    return isinstance(kind, type) and isinstance(error, kind)


def _with_the_rest(text: str, besides: Iterator[str]) -> str:
    """Return all lines, as far as there is room; the first one has the right to most of it."""
    message = cut(text, LONGEST_MESSAGE)
    # An exception's notes and parts are what its class makes of them; that may be nothing.
    with contextlib.suppress(Exception):
        for line in besides:
            if len(message) + 1 + len(line) > LONGEST_MESSAGE:
                break
            message += f"\n{line}"
    return message


# --- the exception itself -------------------------------------------------------------------------


def _said(error: BaseException, trace: Trace, sources: Sources) -> str:
    """Return what the process says where it was raised, or else what it looks like here."""
    return border_trace(error, sources).said or _described(error, trace, sources)


def _described(error: BaseException, trace: Trace, sources: Sources) -> str:
    try:
        return plain(_told(error, trace, sources))
    except BaseException:
        # To look at what it carries runs code of the test's, and asks other processes.
        return class_name(type(error))


def _told(error: Any, trace: Trace, sources: Sources) -> str:
    kind = type(error)
    text = _text_of(error)
    if kind is AssertionError or is_pytests(error, "Failed"):
        return _of_assertion(error, text)
    if kind is RecursionError and text.startswith(_TOO_DEEP):
        text = _of_recursion(text, trace)
    elif kind is NameError and (said := _of_several_givers(error, trace, sources)):
        text = said
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


def _of_assertion(error: BaseException, text: str) -> str:
    """Return the author's words first, and what the values were."""
    why = vars(error).get(WHY, "")
    if type(why) is not str or not why:
        return text or "assertion failed"
    return f"{cut(text, LONGEST_MESSAGE - len(why) - 2)}: {why}" if text else why


def _of_recursion(text: str, trace: Trace) -> str:
    cycle = trace.cycle()
    if not cycle:
        return text
    most = f"more than {sys.getrecursionlimit()} calls deep"
    names = [function for _, _, function, _ in cycle]
    if len(names) == 1:
        return f"{most}: {names[0]} calls itself, and never stops"
    return f"{most}: {' → '.join([*names, names[0]])}, and never stops"


def _of_several_givers(error: Any, trace: Trace, sources: Sources) -> str | None:
    module = next((each for each in sources.values() if each.name == trace.place[0]), None)
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


def _besides(error: BaseException, sources: Sources) -> Iterator[str]:
    yield from _notes(error)
    yield from _parts(error, "  ", sources)
    yield from _causes(error, sources)


def _causes(error: BaseException, sources: Sources) -> Iterator[str]:
    seen = [error]
    while len(seen) <= _MOST_CAUSES:
        if told := border_trace(error, sources).causes:
            # The same exceptions, which have crossed as well.
            yield from told
            return
        relation, cause = _cause(error)
        if cause is None or any(cause is one for one in seen):
            return
        error = cause
        seen.append(error)
        trace = _whole_trace(error, sources)
        module, line = trace.place
        where = f", on line {line} of {module}" if line else ""
        yield f"{relation} {_in_short(_said(error, trace, sources))}{where}"


def _cause(error: BaseException) -> tuple[str, BaseException | None]:
    if error.__cause__ is not None:
        return "caused by", error.__cause__
    return "while handling", None if error.__suppress_context__ else error.__context__


def _notes(error: BaseException) -> Iterator[str]:
    notes = vars(error).get("__notes__")
    if type(notes) is list:
        for note in notes[:_MOST_NOTES]:
            if isinstance(note, str):
                yield _in_short(plain(note))


def _parts(error: BaseException, indent: str, sources: Sources) -> Iterator[str]:
    """Yield what an exception group is made of."""
    if not isinstance(error, BaseExceptionGroup) or len(indent) > 2 * _DEEPEST_GROUP:
        return
    for part in error.exceptions[:_MOST_PARTS]:
        yield f"{indent}• {_in_short(_said(part, Trace(), sources))}"
        yield from _parts(part, f"{indent}  ", sources)
    if len(error.exceptions) > _MOST_PARTS:
        yield f"{indent}• {len(error.exceptions) - _MOST_PARTS} more"


def _in_short(text: str) -> str:
    return cut(text, _LONGEST_CAUSE)
