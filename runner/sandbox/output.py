"""How a child speaks: lines while the code runs, cases, and at the very end one result."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from typing import Any

from runner.sandbox.protocol import (
    FRAME_HEADER,
    LINE_HEADER,
    LONGEST_LINE_CHARACTERS,
    LONGEST_MESSAGE,
    LONGEST_NAME,
    STARTED,
    Kind,
)

# Bound before user code runs, so that nothing it changes is asked.
_encode = json.JSONEncoder().encode
_write = os.write
_clock = time.perf_counter


class Output:
    """Writes frames to one descriptor, each as soon as it is complete."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._began = _clock()
        self._unfinished = ""

    def print(
        self, *values: Any, sep: str | None = " ", end: str | None = "\n", **_ignored: Any
    ) -> None:
        """The `print` and `log` of user code; `file` and `flush` change nothing."""
        text = str.join(" " if sep is None else sep, [str(value) for value in values])
        self.write("".join((text, "\n" if end is None else end)))

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
                frames += _frame(Kind.LINE, stamp + piece.encode("utf-8", "backslashreplace"))
            if len(frames) > 65_536:
                self._send(frames)
                frames = bytearray()
        self._send(frames)

    def started(self, cpu_us: int, resident_bytes: int) -> None:
        self._began = _clock()
        self._send(_frame(Kind.STARTED, STARTED.pack(cpu_us, resident_bytes)))

    def loaded(self) -> None:
        self._send(_frame(Kind.LOADED, b""))

    def case(self, name: str, verdict: str, message: str, line: int | None) -> None:
        body = _encode([name[:LONGEST_NAME], verdict, message[:LONGEST_MESSAGE], line]).encode(
            "ascii"
        )
        self._send(_frame(Kind.CASE, body))

    def result(self, result: dict[str, Any], token: bytes) -> None:
        """The last frame; unfinished output comes before it."""
        if self._unfinished:
            lines, self._unfinished = [self._unfinished], ""
            self._send_lines(lines)
        self._send(_frame(Kind.RESULT, token + _encode(result).encode("ascii")))

    def _send(self, frames: bytes | bytearray) -> None:
        rest = memoryview(frames)
        while rest:
            rest = rest[_write(self._descriptor, rest) :]


def writer(write: Callable[[str], None]) -> Any:
    """What stands in for sys.stdout: writes, and leads to nothing that could send a frame."""

    class Writer:
        __slots__ = ()

        def write(self, text: str) -> None:
            write(text)

        def flush(self) -> None:
            """Lines are sent as they end; there is nothing else to flush."""

    return Writer()


def _frame(kind: Kind, body: bytes) -> bytes:
    return FRAME_HEADER.pack(kind, len(body)) + body
