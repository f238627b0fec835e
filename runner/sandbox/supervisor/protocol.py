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

# The reader may be an older Python, or a newer one.
MARSHAL_VERSION = 4

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
    """The kinds of frames, in the order in which they may come."""

    READY = 1
    COMPILED = 2
    STARTED = 3
    LINE = 4
    EXHAUSTED = 5
    LOADED = 6
    CASE = 7
    RESULT = 8


# The kinds that only a judge may send.
OF_JUDGE = frozenset({Kind.LOADED, Kind.CASE, Kind.RESULT})

# Longer code isn't sent, and so is compiled each time.
LONGEST_CODE_BYTES = 2_097_152

# The maximum length of frames of each kind in bytes: a character takes up to six bytes in a line,
# and up to twelve in JSON.
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

# The body of the most common result: passed, without any details.
PASSED = b"passed"


class Hostile(Exception):
    """A violation of the protocol, which only an attack can cause."""


class Usage(NamedTuple):
    """The CPU time and peak resident memory of a process."""

    cpu_us: int
    resident_bytes: int


Frame = tuple[Kind, bytes]


class FrameReader:
    """Splits a stream into frames; raises Hostile at the first invalid one."""

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
        """Raise Hostile if anything follows the last frame."""
        if self._pending:
            raise Hostile("something came after the last frame")


class Role(StrEnum):
    """The role of a process in a run."""

    JUDGE = "judge"  # executes the test, script or call, and reports the result
    SUBJECT = "subject"  # executes the implementation, and the test's modules that depend on it
    AIDE = "aide"  # executes the test's other modules


class Content(TypedDict):
    """A program in the form for one of its processes."""

    role: str
    token: bytes
    began: float
    # Name, source, the modules whose names it receives, and the code if it is cached.
    modules: list[tuple[str, str, tuple[str, ...], bytes | None]]
    # For a judge: the modules whose names the test receives from the subject and from the aide.
    given: list[list[str]]
    # For the others: the modules whose names the judge needs.
    offers: list[str]
    shared: list[str]  # modules that both the subject and the aide execute
    names: list[str]  # all modules of the program
    entry: str
    kind: str
    subject: str
    returns: str  # the annotation of the subject's result, or empty
    limits: dict[str, int]
    seed: bytes
    arguments: str  # JSON, or empty


def encode_content(content: Content) -> bytes:
    """Return the content as bytes; marshal is safe here, because only the supervisor writes it."""
    body = marshal.dumps(dict(content), MARSHAL_VERSION)
    return PAYLOAD_HEADER.pack(len(body)) + body


# To a process: the pool is idle, so there is time to warm up.
IDLE = PAYLOAD_HEADER.pack(0)


def decode_usage(body: bytes) -> Usage:
    if len(body) != USAGE.size:
        raise Hostile("malformed figures")
    return Usage(*USAGE.unpack(body))


def decode_compiled(body: bytes) -> tuple[int, bytes]:
    """Return a module's place in the process's list, and its code, which is not validated."""
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
    """Return the result; the judge was given the `token`, which catches accidental frames only."""
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
    """Return the decoded and cleaned JSON; raises Hostile where databases would not accept it."""
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
    """Escape NUL and lone surrogates, which databases and browsers don't accept."""
    if "\0" in text:
        text = text.replace("\0", "\\x00")
    if not text.isascii():
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text
