"""The frames between supervisor and child. What comes from a child is hostile until proven sane."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NoReturn

from runner.sandbox.programs import Case, LogLine, Program, Verdict

PAYLOAD_HEADER = struct.Struct("<I")
FRAME_HEADER = struct.Struct("<BI")
STARTED = struct.Struct("<QQ")
LINE_HEADER = struct.Struct("<d")
TOKEN_BYTES = 16

LONGEST_LINE_CHARACTERS = 8_192
LONGEST_NAME = 200
LONGEST_MESSAGE = 2_000
LONGEST_TRACE = 50
MOST_CASES = 1_000
_DEEPEST_VALUE = 100


class Kind(IntEnum):
    """What a frame says."""

    STARTED = 1
    LINE = 2
    LOADED = 3
    CASE = 4
    RESULT = 5


# Bytes of the longest honest frame of each kind.
_LONGEST = {
    Kind.STARTED: STARTED.size,
    Kind.LINE: LINE_HEADER.size + 6 * LONGEST_LINE_CHARACTERS,
    Kind.LOADED: 0,
    Kind.CASE: 6 * (LONGEST_NAME + LONGEST_MESSAGE) + 100,
    Kind.RESULT: 1_310_720,
}
LONGEST_VALUE_BYTES = 1_048_576


class Hostile(Exception):
    """A frame that no honest child sends."""


@dataclass(frozen=True, slots=True)
class Started:
    """CPU time and resident memory that the child had used before it got its program."""

    cpu_us: int
    resident_bytes: int


@dataclass(frozen=True, slots=True)
class Result:
    """What the child says of its own run."""

    verdict: Verdict
    message: str
    module: str | None
    line: int | None
    trace: tuple[tuple[str, int, str, str], ...]
    value: Any


Frame = tuple[Kind, bytes]


class FrameReader:
    """Cuts a stream into frames; raises Hostile at the first that can't be one."""

    def __init__(self) -> None:
        self._pending = bytearray()

    def feed(self, received: bytes) -> Iterator[Frame]:
        self._pending += received
        while len(self._pending) >= FRAME_HEADER.size:
            number, length = FRAME_HEADER.unpack_from(self._pending)
            kind = _LONGEST.get(number)
            if kind is None or length > kind:
                raise Hostile(f"a frame of kind {number} with {length} bytes")
            end = FRAME_HEADER.size + length
            if len(self._pending) < end:
                return
            body = bytes(self._pending[FRAME_HEADER.size : end])
            del self._pending[:end]
            yield Kind(number), body

    def has_rest(self) -> bool:
        """Whether the stream ended amid a frame."""
        return bool(self._pending)


def encode_program(program: Program, token: bytes) -> bytes:
    """A program as the child reads it; only our own side writes this."""
    limits = program.limits
    content = {
        "modules": [[m.name, m.source, list(m.binds)] for m in program.modules],
        "entry": program.entry,
        "subject": program.subject,
        "limits": {name: getattr(limits, name) for name in limits.__slots__},
        "seed": program.seed.hex(),
        "token": token.hex(),
        "arguments": dict(program.arguments or {}),
    }
    body = json.dumps(content, separators=(",", ":")).encode("ascii")
    return PAYLOAD_HEADER.pack(len(body)) + body


def decode_started(body: bytes) -> Started:
    if len(body) != STARTED.size:
        raise Hostile("a malformed start")
    return Started(*STARTED.unpack(body))


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
    content = _decoded_json(body)
    match content:
        case [str(name), str(verdict), str(message), int() | None as line]:
            return Case(
                clean(name)[:LONGEST_NAME],
                _verdict(verdict),
                clean(message)[:LONGEST_MESSAGE],
                _line(line),
            )
    raise Hostile("a malformed case")


def check_case_count(count: int) -> None:
    if count > MOST_CASES:
        raise Hostile("more cases than a test can have")


def decode_result(body: bytes, token: bytes, modules: set[str]) -> Result:
    """The result; `token` was given to the child with its program, and proves little but care."""
    if body[:TOKEN_BYTES] != token:
        raise Hostile("a result that isn't signed")
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
            return Result(
                _verdict(verdict),
                clean(message)[:LONGEST_MESSAGE],
                module,
                _line(line),
                tuple(_trace_entry(entry, modules) for entry in trace[:LONGEST_TRACE]),
                _clean_value(value),
            )
    raise Hostile("a malformed result")


def _trace_entry(entry: object, modules: set[str]) -> tuple[str, int, str, str]:
    match entry:
        case [str(module), int(line), str(function), str(text)] if module in modules:
            return (
                module,
                _line(line) or 0,
                clean(function)[:LONGEST_NAME],
                clean(text)[:LONGEST_NAME],
            )
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
    try:
        content = json.loads(_decoded(body), parse_constant=_refuse_constant, parse_float=_finite)
    except (ValueError, RecursionError):
        raise Hostile("JSON that can't be read") from None
    _check_depth(content)
    return content


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _check_depth(content: Any) -> None:
    level = [content]
    for _ in range(_DEEPEST_VALUE):
        deeper: list[Any] = []
        for thing in level:
            if isinstance(thing, dict):
                deeper.extend(thing.values())
            elif isinstance(thing, list):
                deeper.extend(thing)
        if not deeper:
            return
        level = deeper
    raise Hostile("JSON nested too deeply")


def clean(text: str) -> str:
    """Text that every database and browser takes: no NUL, no half of a surrogate pair."""
    if "\0" in text:
        text = text.replace("\0", "\\x00")
    if not text.isascii():
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text


def _clean_value(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_clean_value(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): _clean_value(item) for key, item in value.items()}
    return value
