"""What one process tells another of an exception that crosses: what it says, and its frames.

The process in which an exception was raised knows its source, its names and what was meant. It
tells `border_trace_of(error, ...)`, and the other one keeps that, unread, under `ATTRIBUTE` in the
exception's `__dict__`. It is read when a result is made of the exception; anybody may have written
it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from runner.sandbox.report.trace import LONGEST_CYCLE, LONGEST_TEXT, Frame, Segment, Sources, Trace
from runner.sandbox.supervisor.protocol import LONGEST_MESSAGE, clean

ATTRIBUTE = "border_trace"

MOST_LINES = 10
_ENDS = (5, 35)
_MOST_ROUNDS = 1_000_000
_LAST_LINE = 1 << 31


class BorderTrace(NamedTuple):
    """What another process told of an exception; empty where it told nonsense."""

    said: str = ""
    segments: tuple[Segment, ...] = ()
    causes: tuple[str, ...] = ()


def packed(said: str, trace: Trace, causes: list[str]) -> list[Any]:
    """Return what crosses: lists, texts and numbers."""
    segments = trace.segments
    if len(segments) > sum(_ENDS):
        segments = segments[: _ENDS[0]] + segments[-_ENDS[1] :]
    frames = [[rounds, [list(frame) for frame in cycle]] for cycle, rounds in segments]
    return [said, frames, causes[:MOST_LINES]]


def border_trace(error: BaseException, sources: Sources) -> BorderTrace:
    """Return what the other process told of an exception, as far as it makes sense.

    Its frames must be of modules in `sources`, which the other process's modules are among.
    """
    names = {module.name for module in sources.values()}
    try:
        said, frames, causes = vars(error).get(ATTRIBUTE) or ("", [], [])
        return BorderTrace(
            clean(_text(said, LONGEST_MESSAGE)),
            tuple(_segment(entry, names) for entry in frames[: sum(_ENDS)]),
            tuple(clean(_text(cause, LONGEST_MESSAGE)) for cause in causes[:MOST_LINES]),
        )
    except (TypeError, ValueError):
        return BorderTrace()


def _segment(entry: Any, names: set[str]) -> Segment:
    match entry:
        case [int(rounds), [_, *_] as frames] if len(frames) <= LONGEST_CYCLE:
            if 0 < rounds <= _MOST_ROUNDS:
                return Segment(tuple(_frame(frame, names) for frame in frames), rounds)
    raise ValueError("no frames")


def _frame(entry: Any, names: set[str]) -> Frame:
    match entry:
        case [str(module), int(line), function, text]:
            if module in names and 0 <= line < _LAST_LINE:
                texts = [clean(_text(each, LONGEST_TEXT)) for each in (function, text)]
                return str(module), int(line), texts[0], texts[1]
    raise ValueError("no frame")


def _text(value: Any, most: int) -> str:
    if type(value) is not str:
        raise TypeError("a text was expected")
    return value[:most]
