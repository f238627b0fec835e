"""Sends a process's frames to its supervisor: printed lines, cases, and at last the result."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import sys
import threading
import time
from typing import Any

from runner.sandbox.supervisor.protocol import (
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

# Bound before user code runs, which may replace them in their modules.
_pieces: Any = json.encoder.c_make_encoder(  # type: ignore[attr-defined]
    None, None, json.encoder.encode_basestring_ascii, None, ": ", ", ", False, False, False
)
_write = os.write
_clock = time.perf_counter
_usage = resource.getrusage
_SELF = resource.RUSAGE_SELF
# Integers, because access to members of an enumeration writes to much memory.
_READY, _COMPILED, _STARTED, _LINE, _EXHAUSTED, _LOADED, _CASE, _RESULT = map(int, Kind)


class Output:
    """Writes frames to a descriptor, each as soon as it is complete."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._began = _clock()
        self._unfinished = ""
        # Frames of several threads stay whole. Reentrant, because finalizers may print.
        self._turn = threading.RLock()
        self._is_over = False

    def write(self, text: str) -> None:
        """Send complete lines, and keep the rest."""
        *lines, self._unfinished = (self._unfinished + text).split("\n")
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
        """Report that the process is confined and waits for a program."""
        self._send(_frame(_READY, _used()))

    def compiled(self, place: int, code: bytes) -> None:
        if len(code) <= LONGEST_CODE_BYTES:
            self._send(_frame(_COMPILED, COMPILED_HEADER.pack(place) + code))

    def started(self, began: float) -> None:
        """Report that user code runs from now on, so that code sent later isn't trusted.

        `began` is the start of the run, on the clock shared by all processes.
        """
        self._began = began
        self._send(_frame(_STARTED, _used()))

    def exhausted(self) -> None:
        """Report that memory has run out, even if the program catches the exception."""
        self._send(_frame(_EXHAUSTED, b""))

    def loaded(self) -> None:
        """Report that the subject's modules were executed and define its name."""
        self._send(_frame(_LOADED, b""))

    def case(self, name: str, verdict: str, message: str, line: int | None) -> None:
        body = _encode([name[:LONGEST_NAME], verdict, message[:LONGEST_MESSAGE], line]).encode(
            "ascii"
        )
        self._send(_frame(_CASE, body))

    def result(self, result: dict[str, Any] | None, token: bytes) -> None:
        """Send the rest of the output and the result, None for passed, as the last frame.

        What threads print later is dropped.
        """
        self.finish()
        said = PASSED if result is None else _encode(result).encode("ascii")
        with self._turn:
            self._is_over = True
            self._write_all(_frame(_RESULT, token + said))

    def finish(self) -> None:
        """Send the last line, even without a line end."""
        # The program may have replaced it by anything.
        with contextlib.suppress(Exception):
            sys.stdout.flush()
        if self._unfinished:
            lines, self._unfinished = [self._unfinished], ""
            self._send_lines(lines)

    def _send(self, frames: bytes | bytearray) -> None:
        with self._turn:
            if not self._is_over:
                self._write_all(frames)

    def _write_all(self, frames: bytes | bytearray) -> None:
        while (written := _write(self._descriptor, frames)) < len(frames):
            frames = frames[written:]


def _encode(thing: list[Any] | dict[str, Any]) -> str:
    """Return JSON, encoded by C code only: user code could replace methods of JSONEncoder."""
    return "".join(_pieces(thing, 0))


def _used() -> bytes:
    used = _usage(_SELF)
    return USAGE.pack(int((used.ru_utime + used.ru_stime) * 1e6), used.ru_maxrss * 1024)


def _frame(kind: int, body: bytes) -> bytes:
    return FRAME_HEADER.pack(kind, len(body)) + body
