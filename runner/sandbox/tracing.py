"""Where an exception came by: the frames of user code, outermost first."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from types import FrameType, TracebackType

from runner.sandbox.binding import Namespace

# Module, line, function, and what is written there.
Frame = tuple[str, int, str, str]

_ENDS = (5, 15)
_LONGEST_TEXT = 200
_LONGEST_CYCLE = 6
_FEWEST_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Trace:
    """The frames; `calls` counts them all, `innermost` is the last one itself."""

    frames: list[Frame]
    innermost: FrameType | None

    @property
    def place(self) -> tuple[str, int] | tuple[None, None]:
        return self.frames[-1][:2] if self.frames else (None, None)

    def cycle(self) -> list[Frame]:
        """The frames that repeat at the end, once; empty if none do."""
        frames = self.frames
        for length in range(1, _LONGEST_CYCLE + 1):
            # The last call may have failed on its way, on another line than the ones before.
            for end in range(len(frames), max(len(frames) - _LONGEST_CYCLE, 0), -1):
                if _rounds(frames, end, length) >= _FEWEST_ROUNDS:
                    found = frames[end - length : end]
                    # Beginning with the first that was called, wherever the limit cut it off.
                    first = found.index(next(frame for frame in frames if frame in found))
                    return found[first:] + found[:first]
        return []


def _rounds(frames: list[Frame], end: int, length: int) -> int:
    """How many times in a row the frames before `end` are the same ones."""
    rounds = 1
    last = frames[end - length : end]
    while frames[max(end - length * (rounds + 1), 0) : end - length * rounds] == last:
        rounds += 1
    return rounds


def trace_of(traceback: TracebackType | None, namespaces: Mapping[str, Namespace]) -> Trace:
    """The frames of user code among those of a traceback."""
    frames: list[Frame] = []
    innermost = None
    sources: dict[str, list[str]] = {}
    while traceback is not None:
        code = traceback.tb_frame.f_code
        namespace = namespaces.get(code.co_filename)
        if namespace is not None:
            lines = sources.get(namespace.name)
            if lines is None:
                lines = sources[namespace.name] = namespace.source.split("\n")
            line = traceback.tb_lineno
            text = lines[line - 1].strip()[:_LONGEST_TEXT] if 0 < line <= len(lines) else ""
            function = code.co_qualname.replace(".<locals>.", ".")
            frames.append((namespace.name, line, function, text))
            innermost = traceback.tb_frame
        traceback = traceback.tb_next
    return Trace(frames, innermost)


def shortened(frames: list[Frame]) -> list[Frame]:
    """Without what comes again and again, and without the middle of what is too long still."""
    shown: list[Frame] = []
    index = 0
    while index < len(frames):
        length, rounds = _repeated(frames, index)
        if rounds < _FEWEST_ROUNDS:
            shown.append(frames[index])
            index += 1
            continue
        cycle = frames[index : index + length]
        names = " and ".join(dict.fromkeys(function for _, _, function, _ in cycle))
        module, line, function, _ = cycle[0]
        count = length * (rounds - 1)
        shown += [*cycle, (module, line, function, f"… {count} more calls of {names} …")]
        index += length * rounds
    if len(shown) > sum(_ENDS):
        return shown[: _ENDS[0]] + shown[-_ENDS[1] :]
    return shown


def _repeated(frames: list[Frame], index: int) -> tuple[int, int]:
    """The shortest cycle that begins there, and how often it comes in a row."""
    for length in range(1, _LONGEST_CYCLE + 1):
        first = frames[index : index + length]
        starts = itertools.count(index + length, length)
        rounds = 1
        for start in starts:
            if frames[start : start + length] != first:
                break
            rounds += 1
        if rounds >= _FEWEST_ROUNDS:
            return length, rounds
    return 1, 1
