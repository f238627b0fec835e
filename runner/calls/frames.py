"""What is said between whoever wants a call and the callers: a frame of JSON each way."""

import json
import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from runner.programs.program import ModuleRow
from runner.sandbox import LogLine, Outcome, Refused, SandboxBroken, Verdict

HEADER = struct.Struct("<I")
MAX_FRAME_BYTES = 16 * 1024 * 1024


class Busy(Exception):
    """There is no room for this call now; `own` says that the caller's other calls take it."""

    def __init__(self, *, own: bool) -> None:
        super().__init__("no room for the call")
        self.own = own


class RateLimited(Exception):
    """This owner has called as often as anybody may for now."""

    def __init__(self, retry_after_seconds: int) -> None:
        super().__init__(f"as many calls as allowed; more in {retry_after_seconds} s")
        self.retry_after_seconds = retry_after_seconds


class CallServerUnavailable(Exception):
    """Nobody serves calls here, or they ended amid one."""


class SourcesMissing(Exception):
    """The callers don't have the sources of these hashes; nothing has been run."""

    def __init__(self, hashes: list[str]) -> None:
        super().__init__(f"{len(hashes)} sources are lacking")
        self.hashes = hashes


@dataclass(frozen=True, slots=True)
class CallRequest:
    """A call of the subject, the last but for a wrapper, on behalf of an owner.

    `sources` has the texts, by hash in hexadecimal, that the callers may not have.
    """

    owner: str
    modules: tuple[ModuleRow, ...]
    subject: str
    arguments: Mapping[str, Any]
    sources: Mapping[str, str] = field(default_factory=dict)


def encode_frame(content: Mapping[str, Any]) -> bytes:
    """One frame, as it is sent."""
    body = json.dumps(content).encode("ascii")
    return HEADER.pack(len(body)) + body


def frame_length(header: bytes) -> int:
    """How long the body after this header is; raises OSError for one that nobody sends."""
    (length,) = HEADER.unpack(header)
    if length > MAX_FRAME_BYTES:
        raise ConnectionAbortedError("a frame that is too long")
    return int(length)


def decode_body(body: bytes) -> dict[str, Any]:
    """What a frame says."""
    content: dict[str, Any] = json.loads(body)
    return content


def encode_request(request: CallRequest) -> dict[str, Any]:
    """The request as a frame has it."""
    return {name: getattr(request, name) for name in CallRequest.__slots__}


def decode_request(content: Mapping[str, Any]) -> CallRequest:
    """The request of a frame."""
    rows = tuple((name, sha256, tuple(binds)) for name, sha256, binds in content["modules"])
    return CallRequest(**{**content, "modules": rows})


def encode_answer(answer: Outcome | Exception) -> dict[str, Any]:
    """What came of a request, as a frame has it."""
    match answer:
        case Outcome():
            told = {name: getattr(answer, name) for name in _OUTCOME_FIELDS}
            return {"outcome": {**told, "log": [asdict(line) for line in answer.log]}}
        case Busy():
            return {"busy": answer.own}
        case RateLimited():
            return {"quota": answer.retry_after_seconds}
        case SourcesMissing():
            return {"lacking": answer.hashes}
        case Refused():
            return {"refused": str(answer)}
        case _:
            return {"broken": str(answer)}


# Of an outcome, what a call may have; its cases are tests'.
_OUTCOME_FIELDS = tuple(
    name for name in Outcome.__slots__ if name not in ("log", "cases", "loaded")
)


def decode_answer(content: Mapping[str, Any]) -> Outcome:
    """The outcome of a frame; raises what has come instead of one."""
    match content:
        case {"outcome": dict(told)}:
            return Outcome(
                **{
                    **told,
                    "verdict": Verdict(told["verdict"]),
                    "trace": tuple((m, line, f, text) for m, line, f, text in told["trace"]),
                    "log": tuple(LogLine(**line) for line in told["log"]),
                }
            )
        case {"busy": bool(own)}:
            raise Busy(own=own)
        case {"quota": int(seconds)}:
            raise RateLimited(seconds)
        case {"lacking": list(hashes)}:
            raise SourcesMissing(hashes)
        case {"refused": str(said)}:
            raise Refused(said)
    raise SandboxBroken(str(content.get("broken", "an answer that says nothing")))
