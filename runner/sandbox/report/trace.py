"""Traces of exceptions: the frames of user code, outermost first.

Repeated calls are kept once, with their number, so that the trace of an endless recursion stays
short.

Only the process in which an exception was raised has its source and frames. It sends its trace with
the exception, and the other process stores it, unread, as `ATTRIBUTE` in the exception's
`__dict__`. It is validated when a result is made of the exception, because it can't be trusted.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType, TracebackType
from typing import Any, NamedTuple, Protocol

from runner.sandbox.supervisor.protocol import LONGEST_MESSAGE, clean

# Module, line, function, source line.
Frame = tuple[str, int, str, str]

ATTRIBUTE = "border_trace"

_LONGEST_TEXT = 200
_LONGEST_CYCLE = 6
_FEWEST_ROUNDS = 3
_LAST_LINE = 1 << 31
# The numbers of frames shown, and sent, of the beginning and the end of a long trace.
_ENDS = (5, 15)
_CROSSING = (5, 35)
_MOST_CAUSES = 10


class Source(Protocol):
    """A module of the program, as needed for traces."""

    @property
    def name(self) -> str: ...

    @property
    def source(self) -> str: ...

    def explain(self, name: str, /) -> str | None:
        """Return why a name offered by several modules isn't bound; None for other names."""


# By the file name in code objects.
Sources = Mapping[str, Source]


@dataclass(slots=True)
class Trace:
    """The frames of user code, with repeated calls folded.

    `cycle` are the frames that repeat at the end, if any. `innermost` is the last frame object of
    this process.
    """

    frames: list[Frame] = field(default_factory=list)
    place: tuple[str, int] | tuple[None, None] = (None, None)
    cycle: list[Frame] = field(default_factory=list)
    innermost: FrameType | None = None

    def extend(self, frames: Sequence[Frame]) -> None:
        """Add the frames of the process where the exception was raised."""
        if frames:
            self.frames += frames
            self.place = frames[-1][:2]

    def shown(self) -> list[Frame]:
        """Return the frames to show, without the middle of a long trace."""
        return _ends(self.frames, _ENDS)


def trace_of(traceback: TracebackType | None, sources: Sources) -> Trace:
    """Return the frames of user code in a traceback."""
    frames: list[Frame] = []
    innermost = None
    while traceback is not None:
        code = traceback.tb_frame.f_code
        module = sources.get(code.co_filename)
        if module is not None:
            lines = _lines_of(module.source)
            line = traceback.tb_lineno
            text = lines[line - 1].strip()[:_LONGEST_TEXT] if 0 < line <= len(lines) else ""
            function = code.co_qualname.replace(".<locals>.", ".")[:_LONGEST_TEXT]
            frames.append((module.name, line, function, text))
            innermost = traceback.tb_frame
        traceback = traceback.tb_next
    folded, cycle = _folded(frames)
    return Trace(folded, frames[-1][:2] if frames else (None, None), cycle, innermost)


@functools.lru_cache(maxsize=64)
def _lines_of(source: str) -> list[str]:
    return source.split("\n")


def _folded(frames: list[Frame]) -> tuple[list[Frame], list[Frame]]:
    """Return the frames with repeated ones only once, and the cycle at their end."""
    folded: list[Frame] = []
    last_cycle: list[Frame] = []
    index = 0
    while index < len(frames):
        length, rounds = _repeated(frames, index)
        cycle = frames[index : index + length]
        folded += cycle
        index += length * rounds
        if rounds > 1:
            names = " and ".join(dict.fromkeys(function for _, _, function, _ in cycle))
            more = f"… {length * (rounds - 1)} more calls of {names} …"
            folded.append((*cycle[0][:3], more))
            # The last call may have failed on another line than the calls before.
            last_cycle = cycle if len(frames) - index <= _LONGEST_CYCLE else []
    return folded, last_cycle


def _repeated(frames: list[Frame], index: int) -> tuple[int, int]:
    """Return the length of the shortest cycle that begins there, and its number of repetitions."""
    for length in range(1, _LONGEST_CYCLE + 1):
        first = frames[index : index + length]
        rounds = 1
        for start in itertools.count(index + length, length):
            if frames[start : start + length] != first:
                break
            rounds += 1
        if rounds >= _FEWEST_ROUNDS:
            return length, rounds
    return 1, 1


def _ends(entries: list[Any], most: tuple[int, int]) -> list[Any]:
    """Return the entries without the middle if they are too many."""
    return entries if len(entries) <= sum(most) else entries[: most[0]] + entries[-most[1] :]


# --- across the border ----------------------------------------------------------------------------


class BorderTrace(NamedTuple):
    """The trace of an exception sent by another process; empty if it was invalid."""

    said: str = ""
    frames: tuple[Frame, ...] = ()
    causes: tuple[str, ...] = ()


def add_calls(error: BaseException, frames: Sequence[Frame]) -> None:
    """Put calls of another language before those that an exception has gone through."""
    said, inner, causes = vars(error).get(ATTRIBUTE) or ("", [], [])
    vars(error)[ATTRIBUTE] = [said, [*map(list, frames), *inner], causes]


def packed(said: str, trace: Trace, causes: list[str]) -> list[Any]:
    """Return the trace as lists, texts and numbers, to be sent."""
    frames = [list(frame) for frame in _ends(trace.frames, _CROSSING)]
    return [said, frames, causes[:_MOST_CAUSES]]


def border_trace(error: BaseException, sources: Sources) -> BorderTrace:
    """Return the validated trace that another process has attached to an exception.

    Its frames must be of modules in `sources`.
    """
    names = {module.name for module in sources.values()}
    try:
        said, frames, causes = vars(error).get(ATTRIBUTE) or ("", [], [])
        return BorderTrace(
            _text(said, LONGEST_MESSAGE),
            tuple(_frame(entry, names) for entry in frames[: sum(_CROSSING)]),
            tuple(_text(cause, LONGEST_MESSAGE) for cause in causes[:_MOST_CAUSES]),
        )
    except (TypeError, ValueError):
        return BorderTrace()


def _frame(entry: Any, names: set[str]) -> Frame:
    match entry:
        case [str(module), int(line), function, text]:
            if module in names and 0 <= line < _LAST_LINE:
                texts = [_text(each, _LONGEST_TEXT) for each in (function, text)]
                return str(module), int(line), texts[0], texts[1]
    raise ValueError("no frame")


def _text(value: Any, most: int) -> str:
    if type(value) is not str:
        raise TypeError("a text was expected")
    return clean(value[:most])
