"""Where an exception came by: the frames of user code, outermost first.

Calls that repeat are kept once, with their number, so that endless recursion is as short as any
other trace, also where it crosses from another process.

The process in which an exception was raised knows its source, its names and what was meant. It
tells that, and the other one keeps it, unread, under `ATTRIBUTE` in the exception's `__dict__`. It
is read when a result is made of the exception; anybody may have written it.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType, TracebackType
from typing import Any, NamedTuple, Protocol

from runner.sandbox.supervisor.protocol import LONGEST_MESSAGE, clean

# Module, line, function, and what is written there.
Frame = tuple[str, int, str, str]

ATTRIBUTE = "border_trace"

_LONGEST_TEXT = 200
_LONGEST_CYCLE = 6
_FEWEST_ROUNDS = 3
_MOST_ROUNDS = 1_000_000
_LAST_LINE = 1 << 31
# What is shown, and what crosses, of the begin and the end of something long.
_ENDS = (5, 15)
_CROSSING = (5, 35)
_MOST_CAUSES = 10


class Source(Protocol):
    """A module of the program, as far as a report asks for it."""

    @property
    def name(self) -> str: ...

    @property
    def source(self) -> str: ...

    def explain(self, name: str, /) -> str | None:
        """Return why a name isn't there although another module defines it, if so."""


# By the file name of their code.
Sources = Mapping[str, Source]


class Segment(NamedTuple):
    """Frames that come in a row as often as `rounds` says."""

    frames: tuple[Frame, ...]
    rounds: int


@dataclass(slots=True)
class Trace:
    """The frames of user code; `innermost` is the last one itself, if it is of this process."""

    segments: list[Segment] = field(default_factory=list)
    innermost: FrameType | None = None

    @property
    def place(self) -> tuple[str, int] | tuple[None, None]:
        return self.segments[-1].frames[-1][:2] if self.segments else (None, None)

    def cycle(self) -> Sequence[Frame]:
        """Return the frames that repeat at the end, once; empty if none do."""
        # The last call may have failed on its way, on another line than the ones before.
        for segment in self.segments[: -_LONGEST_CYCLE - 1 : -1]:
            if segment.rounds >= _FEWEST_ROUNDS:
                return segment.frames
        return ()

    def shown(self) -> list[Frame]:
        """Return the frames to show: what repeats once, and not the middle of what is too long."""
        frames: list[Frame] = []
        for cycle, rounds in self.segments:
            frames += cycle
            if rounds > 1:
                names = " and ".join(dict.fromkeys(function for _, _, function, _ in cycle))
                count = len(cycle) * (rounds - 1)
                frames.append((*cycle[0][:3], f"… {count} more calls of {names} …"))
        return _ends(frames, _ENDS)


def trace_of(traceback: TracebackType | None, sources: Sources) -> Trace:
    """Return the frames of user code among those of a traceback."""
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
    return Trace(_folded(frames), innermost)


@functools.lru_cache(maxsize=64)
def _lines_of(source: str) -> list[str]:
    return source.split("\n")


def _folded(frames: list[Frame]) -> list[Segment]:
    segments: list[Segment] = []
    index = 0
    while index < len(frames):
        length, rounds = _repeated(frames, index)
        segments.append(Segment(tuple(frames[index : index + length]), rounds))
        index += length * rounds
    return segments


def _repeated(frames: list[Frame], index: int) -> tuple[int, int]:
    """Return the shortest cycle that begins there, and how often it comes in a row."""
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
    """Return them without the middle, if they are too many."""
    return entries if len(entries) <= sum(most) else entries[: most[0]] + entries[-most[1] :]


# --- across the border ----------------------------------------------------------------------------


class BorderTrace(NamedTuple):
    """What another process told of an exception; empty where it told nonsense."""

    said: str = ""
    segments: tuple[Segment, ...] = ()
    causes: tuple[str, ...] = ()


def packed(said: str, trace: Trace, causes: list[str]) -> list[Any]:
    """Return what crosses: lists, texts and numbers."""
    segments = _ends(trace.segments, _CROSSING)
    frames = [[rounds, [list(frame) for frame in cycle]] for cycle, rounds in segments]
    return [said, frames, causes[:_MOST_CAUSES]]


def border_trace(error: BaseException, sources: Sources) -> BorderTrace:
    """Return what the other process told of an exception, as far as it makes sense.

    Its frames must be of modules in `sources`, which the other process's modules are among.
    """
    names = {module.name for module in sources.values()}
    try:
        said, frames, causes = vars(error).get(ATTRIBUTE) or ("", [], [])
        return BorderTrace(
            _text(said, LONGEST_MESSAGE),
            tuple(_segment(entry, names) for entry in frames[: sum(_CROSSING)]),
            tuple(_text(cause, LONGEST_MESSAGE) for cause in causes[:_MOST_CAUSES]),
        )
    except (TypeError, ValueError):
        return BorderTrace()


def _segment(entry: Any, names: set[str]) -> Segment:
    match entry:
        case [int(rounds), [_, *_] as frames] if len(frames) <= _LONGEST_CYCLE:
            if 0 < rounds <= _MOST_ROUNDS:
                return Segment(tuple(_frame(frame, names) for frame in frames), rounds)
    raise ValueError("no frames")


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
