"""The frames between a supervisor and the processes of a run, which may be hostile."""

from __future__ import annotations

import json
import marshal
import math
import struct
from collections.abc import Iterator
from enum import IntEnum, StrEnum
from typing import Any, NamedTuple, TypedDict

from runner.sandbox.programs import Case, LogLine, Outcome, Verdict

PAYLOAD_HEADER = struct.Struct("<I")
FRAME_HEADER = struct.Struct("<BI")
USAGE = struct.Struct("<QQ")
COMPILED_HEADER = struct.Struct("<I")
LINE_HEADER = struct.Struct("<d")
TOKEN_BYTES = 16

LONGEST_LINE_CHARACTERS = 8_192
LONGEST_NAME = 200
LONGEST_MESSAGE = 2_000
LONGEST_TRACE = 50
MOST_CASES = 1_000
_DEEPEST_VALUE = 100


class Kind(IntEnum):
    """What a frame says, in the order in which they come."""

    READY = 1
    COMPILED = 2
    STARTED = 3
    LINE = 4
    EXHAUSTED = 5
    LOADED = 6
    CASE = 7
    RESULT = 8


# What only a judge may say.
OF_JUDGE = frozenset({Kind.LOADED, Kind.CASE, Kind.RESULT})

# Compiled code that is longer is compiled again each time.
LONGEST_CODE_BYTES = 2_097_152

# Bytes of the longest honest frame of each kind: a character is six of them in a line, twelve in
# JSON.
_LONGEST: dict[int, int] = {
    Kind.READY: USAGE.size,
    Kind.COMPILED: COMPILED_HEADER.size + LONGEST_CODE_BYTES,
    Kind.STARTED: USAGE.size,
    Kind.LINE: LINE_HEADER.size + 6 * LONGEST_LINE_CHARACTERS,
    Kind.EXHAUSTED: 0,
    Kind.LOADED: 0,
    Kind.CASE: 12 * (LONGEST_NAME + LONGEST_MESSAGE) + 100,
    Kind.RESULT: 1_310_720,
}

# The body of the commonest result: passed, and nothing to tell.
PASSED = b"passed"


class Hostile(Exception):
    """A frame that no honest child sends."""


class Usage(NamedTuple):
    """CPU time and the most resident memory that a process had used at some moment."""

    cpu_us: int
    resident_bytes: int


Frame = tuple[Kind, bytes]


class FrameReader:
    """Cuts a stream into frames; raises Hostile at the first that can't be one."""

    def __init__(self) -> None:
        self._pending = bytearray()

    def feed(self, received: bytes) -> Iterator[Frame]:
        self._pending += received
        while len(self._pending) >= FRAME_HEADER.size:
            number, length = FRAME_HEADER.unpack_from(self._pending)
            if length > _LONGEST.get(number, -1):
                raise Hostile(f"a frame of kind {number} with {length} bytes")
            end = FRAME_HEADER.size + length
            if len(self._pending) < end:
                return
            body = bytes(self._pending[FRAME_HEADER.size : end])
            del self._pending[:end]
            yield Kind(number), body

    def expect_nothing(self) -> None:
        """Raise Hostile if the stream goes on."""
        if self._pending:
            raise Hostile("something came after the last frame")


class Role(StrEnum):
    """What a process of a run does."""

    JUDGE = "judge"  # executes the test, and reports
    SUBJECT = "subject"  # executes the implementation, and what the test names that needs it
    AIDE = "aide"  # executes whatever else the test names


class Content(TypedDict):
    """A program as one of its processes reads it."""

    role: str
    token: bytes
    began: float
    # Name, source, whose names it receives, and the code where it is known.
    modules: list[tuple[str, str, tuple[str, ...], bytes | None]]
    # Of a judge: the modules whose names the test receives, of the subject and of the aide.
    given: list[list[str]]
    # Of the others: the modules whose names the judge needs.
    offers: list[str]
    shared: list[str]  # modules that both the subject and the aide execute
    names: list[str]  # all modules of the program
    entry: str
    kind: str
    subject: str
    returns: str  # the subject's, as published; or nothing
    limits: dict[str, int]
    seed: bytes
    arguments: str  # JSON, or nothing


def encode_content(content: Content) -> bytes:
    """Return a program as the process reads it; only our own side may be trusted to write that."""
    body = marshal.dumps(dict(content))
    return PAYLOAD_HEADER.pack(len(body)) + body


# To a process: the pool is idle, so there is time to warm.
IDLE = PAYLOAD_HEADER.pack(0)


def decode_usage(body: bytes) -> Usage:
    if len(body) != USAGE.size:
        raise Hostile("malformed figures")
    return Usage(*USAGE.unpack(body))


def decode_compiled(body: bytes) -> tuple[int, bytes]:
    """The place of a module in its program, and its code, which isn't looked into."""
    if len(body) <= COMPILED_HEADER.size:
        raise Hostile("malformed code")
    return COMPILED_HEADER.unpack_from(body)[0], body[COMPILED_HEADER.size :]


def decode_line(body: bytes) -> LogLine:
    if len(body) < LINE_HEADER.size:
        raise Hostile("a malformed line")
    (ms,) = LINE_HEADER.unpack_from(body)
    if not 0 <= ms < 1e9:
        raise Hostile("a line from another time")
    text = _decoded(body[LINE_HEADER.size :])
    if "\n" in text:
        raise Hostile("a line of several lines")
    return LogLine(round(ms, 3), "out", clean(text))


def decode_case(body: bytes) -> Case:
    match _decoded_json(body):
        case [str(name), str(verdict), str(message), int() | None as line]:
            name, message = name[:LONGEST_NAME], message[:LONGEST_MESSAGE]
            return Case(name, _verdict(verdict), message, _line(line))
    raise Hostile("a malformed case")


def decode_result(body: bytes, token: bytes, modules: set[str]) -> Outcome:
    """The result; `token` was given to the judge with its program, and proves little but care."""
    if body[:TOKEN_BYTES] != token:
        raise Hostile("a result that isn't signed")
    if body[TOKEN_BYTES:] == PASSED:
        return Outcome(Verdict.PASSED)
    match _decoded_json(body[TOKEN_BYTES:]):
        case {
            "verdict": str(verdict),
            "message": str(message),
            "module": str() | None as module,
            "line": int() | None as line,
            "trace": list(trace),
            "value": value,
        }:
            if module is not None and module not in modules:
                raise Hostile("a result about an unknown module")
            frames = tuple(_frame(entry, modules) for entry in trace[:LONGEST_TRACE])
            message = message[:LONGEST_MESSAGE]
            found = _verdict(verdict)
            return Outcome(found, message, module, _line(line), frames, value=value)
    raise Hostile("a malformed result")


def _frame(entry: object, modules: set[str]) -> tuple[str, int, str, str]:
    match entry:
        case [str(module), int(line), str(function), str(text)] if module in modules:
            return module, _line(line) or 0, function[:LONGEST_NAME], text[:LONGEST_NAME]
    raise Hostile("a malformed trace")


def _verdict(text: str) -> Verdict:
    try:
        return Verdict(text)
    except ValueError:
        raise Hostile(f"the verdict {text[:40]!r}") from None


def _line(line: int | None) -> int | None:
    if line is not None and not 0 <= line < 1 << 31:
        raise Hostile("an impossible line")
    return line


def _decoded(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        raise Hostile("text that isn't UTF-8") from None


def _decoded_json(body: bytes) -> Any:
    """What is written, cleaned; no deeper, and no other numbers, than databases take."""
    try:
        content = json.loads(_decoded(body))
    except (ValueError, RecursionError):
        raise Hostile("JSON that can't be read") from None
    return _cleaned(content, _DEEPEST_VALUE)


def _cleaned(value: Any, levels: int) -> Any:
    if not levels:
        raise Hostile("JSON nested too deeply")
    match value:
        case str():
            return clean(value)
        case float() if not math.isfinite(value):
            raise Hostile("JSON that can't be read")
        case list():
            return [_cleaned(item, levels - 1) for item in value]
        case dict():
            return {clean(key): _cleaned(item, levels - 1) for key, item in value.items()}
    return value


def clean(text: str) -> str:
    """Text that every database and browser takes: no NUL, no half of a surrogate pair."""
    if "\0" in text:
        text = text.replace("\0", "\\x00")
    if not text.isascii():
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text
