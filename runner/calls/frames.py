"""The frames between a client and the call server: length-prefixed JSON, one each way."""

import json
import struct
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NoReturn

from runner.programs.program import ModuleRow
from runner.sandbox import LogLine, Outcome, Refused, SandboxBroken, Verdict

HEADER = struct.Struct("<I")
MAX_FRAME_BYTES = 16 * 1024 * 1024


class Busy(Exception):
    """The server is full; `own`: because of the same owner's calls."""

    def __init__(self, *, own: bool) -> None:
        super().__init__("the call server is full")
        self.own = own


class RateLimited(Exception):
    """The owner has made too many calls within a minute."""

    def __init__(self, retry_after_seconds: int) -> None:
        super().__init__(f"too many calls; retry in {retry_after_seconds} s")
        self.retry_after_seconds = retry_after_seconds


class CallServerUnavailable(Exception):
    """No call server is running, or it stopped during the call."""


class SourcesMissing(Exception):
    """The server lacks the sources with these hashes; nothing was run."""

    def __init__(self, hashes: list[str]) -> None:
        super().__init__(f"{len(hashes)} sources are missing")
        self.hashes = hashes


@dataclass(frozen=True, slots=True)
class CallRequest:
    """A call of the subject (the last module except for a wrapper) for an owner.

    `sources` has texts that the server may lack, by hexadecimal hash.
    """

    owner: str
    modules: tuple[ModuleRow, ...]
    subject: str
    arguments: Mapping[str, Any]
    sources: Mapping[str, str] = field(default_factory=dict)


def encode_frame(content: Mapping[str, Any]) -> bytes:
    """Return the content as a frame."""
    body = json.dumps(content).encode("ascii")
    return HEADER.pack(len(body)) + body


def frame_length(header: bytes) -> int:
    """Return the length of the body in bytes; raises OSError if it is over the limit."""
    (length,) = HEADER.unpack(header)
    if length > MAX_FRAME_BYTES:
        raise ConnectionAbortedError("the frame is too long")
    return int(length)


def decode_body(body: bytes) -> dict[str, Any]:
    """Return a frame's content."""
    content: dict[str, Any] = json.loads(body)
    return content


def encode_request(request: CallRequest) -> dict[str, Any]:
    """Return the request as a frame's content."""
    return {name: getattr(request, name) for name in CallRequest.__slots__}


def decode_request(content: Mapping[str, Any]) -> CallRequest:
    """Return the request of a frame's content."""
    rows = tuple((name, sha256, tuple(binds)) for name, sha256, binds in content["modules"])
    return CallRequest(**{**content, "modules": rows})


def encode_answer(answer: Outcome | Exception) -> dict[str, Any]:
    """Return the outcome or error as a frame's content."""
    match answer:
        case Outcome():
            return {"outcome": encode_outcome(answer, left_out=_NOT_OF_CALLS)}
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


# The fields of an outcome that calls don't have.
_NOT_OF_CALLS = frozenset({"cases", "loaded"})


def encode_outcome(outcome: Outcome, *, left_out: Collection[str]) -> dict[str, Any]:
    """Return an outcome's fields but these as plain data."""
    names = (name for name in Outcome.__slots__ if name not in left_out)
    fields = {name: getattr(outcome, name) for name in names}
    return {**fields, "log": [asdict(line) for line in outcome.log]}


def decode_outcome(fields: Mapping[str, Any]) -> Outcome:
    """Return the outcome of its fields as plain data."""
    return Outcome(
        **{
            **fields,
            "verdict": Verdict(fields["verdict"]),
            "trace": tuple((m, line, f, text) for m, line, f, text in fields["trace"]),
            "log": tuple(LogLine(**line) for line in fields["log"]),
        }
    )


def decode_answer(content: Mapping[str, Any]) -> Outcome:
    """Return the outcome in a frame's content, or raise the error in it."""
    if "outcome" not in content:
        raise_error(content)
    return decode_outcome(content["outcome"])


def raise_error(content: Mapping[str, Any]) -> NoReturn:
    """Raise the error in a frame's content."""
    match content:
        case {"busy": bool(own)}:
            raise Busy(own=own)
        case {"quota": int(seconds)}:
            raise RateLimited(seconds)
        case {"lacking": list(hashes)}:
            raise SourcesMissing(hashes)
        case {"refused": str(reason)}:
            raise Refused(reason)
    raise SandboxBroken(str(content.get("broken", "an empty answer")))
