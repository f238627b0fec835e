"""How a child speaks: lines while the code runs, cases, and at the very end one result."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

from runner.sandbox.protocol import (
    COMPILED_HEADER,
    FRAME_HEADER,
    LINE_HEADER,
    LONGEST_CODE_BYTES,
    LONGEST_LINE_CHARACTERS,
    LONGEST_MESSAGE,
    LONGEST_NAME,
    PASSED,
    USAGE,
    Kind,
)

# Bound before user code runs, so that nothing it changes is asked.
_pieces: Any = json.encoder.c_make_encoder(  # type: ignore[attr-defined]
    None, None, json.encoder.encode_basestring_ascii, None, ": ", ", ", False, False, False
)
_write = os.write
_clock = time.perf_counter
_usage = resource.getrusage
_SELF = resource.RUSAGE_SELF
# To ask an enumeration for a member runs code of its class's, which touches much memory.
_READY, _COMPILED, _STARTED, _LINE, _LOADED, _CASE, _RESULT = map(int, Kind)


class Output:
    """Writes frames to one descriptor: each as soon as it is complete, but for the first few.

    That a run has started is of no use before there is more to say, and writing costs both sides.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._began = _clock()
        self._unfinished = ""
        self._held = bytearray()
        self.stream = _stream(self.write)

    def print(
        self,
        *values: Any,
        sep: str | None = " ",
        end: str | None = "\n",
        file: Any = None,
        flush: bool = False,  # noqa: ARG002
    ) -> None:
        """The `print` and `log` of user code; what is meant for the log needs no flushing."""
        text = str.join(" " if sep is None else sep, [str(value) for value in values])
        text = "".join((text, "\n" if end is None else end))
        stream = sys.stdout if file is None else file
        if stream is self.stream:
            self.write(text)
        else:
            stream.write(text)

    def write(self, text: str) -> None:
        """Send the lines that are complete."""
        # Joined, not added: a user's subclass of str must not get to see or to make a frame.
        *lines, self._unfinished = str.join("", (self._unfinished, text)).split("\n")
        if len(self._unfinished) > LONGEST_LINE_CHARACTERS:
            lines.append(self._unfinished)
            self._unfinished = ""
        if lines:
            self._send_lines(lines)

    def _send_lines(self, lines: list[str]) -> None:
        stamp = LINE_HEADER.pack((_clock() - self._began) * 1000)
        frames = bytearray()
        for line in lines:
            for start in range(0, len(line) or 1, LONGEST_LINE_CHARACTERS):
                piece = line[start : start + LONGEST_LINE_CHARACTERS]
                frames += _frame(_LINE, stamp + piece.encode("utf-8", "backslashreplace"))
            if len(frames) > 65_536:
                self._send(frames)
                frames = bytearray()
        self._send(frames)

    def ready(self) -> None:
        """Confined, and waiting for a program."""
        self._send(_frame(_READY, _used()))

    def compiled(self, place: int, code: bytes) -> None:
        if len(code) <= LONGEST_CODE_BYTES:
            self._send(_frame(_COMPILED, COMPILED_HEADER.pack(place) + code))

    def started(self, *, after: float = 0.0, at_once: bool = False) -> None:
        """From now on user code runs, and anything may come; `after` seconds of it have passed.

        Said at once where anything has been compiled: so that no code which comes later is
        believed, and the time that took isn't taken for the program's.
        """
        self._began = _clock() - after
        self._held += _frame(_STARTED, _used())
        if at_once:
            self._send(b"")

    def elapsed(self) -> float:
        """Seconds since it started."""
        return _clock() - self._began

    def loaded(self) -> None:
        self._send(_frame(_LOADED, _used()))

    def case(self, name: str, verdict: str, message: str, line: int | None) -> None:
        body = _encode([name[:LONGEST_NAME], verdict, message[:LONGEST_MESSAGE], line]).encode(
            "ascii"
        )
        self._send(_frame(_CASE, body))

    def result(self, result: dict[str, Any] | None, token: bytes) -> None:
        """The last frame, None for passed; unfinished output comes before it."""
        if self._unfinished:
            lines, self._unfinished = [self._unfinished], ""
            self._send_lines(lines)
        said = PASSED if result is None else _encode(result).encode("ascii")
        self._send(_frame(_RESULT, token + _used() + said))

    def _send(self, frames: bytes | bytearray) -> None:
        if self._held:
            frames, self._held = self._held + frames, bytearray()
        while (written := _write(self._descriptor, frames)) < len(frames):
            frames = frames[written:]


def _encode(thing: list[Any] | dict[str, Any]) -> str:
    """JSON, made by C code alone: a JSONEncoder looks its methods up on a class that all share."""
    return "".join(_pieces(thing, 0))


def _used() -> bytes:
    used = _usage(_SELF)
    return USAGE.pack(int((used.ru_utime + used.ru_stime) * 1e6), used.ru_maxrss * 1024)


def _stream(write: Callable[[str], None]) -> Any:
    """What stands in for sys.stdout: writes, and leads to nothing that could send a frame."""

    class Log:
        __slots__ = ()

        def write(self, text: str) -> None:
            write(text)

        def flush(self) -> None:
            """Lines are sent as they end; there is nothing else to flush."""

    return Log()


def _frame(kind: int, body: bytes) -> bytes:
    return FRAME_HEADER.pack(kind, len(body)) + body
