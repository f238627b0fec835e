"""PURE: the frames of the socket protocol: validating decoder, and encoders."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NoReturn

MAX_FRAME_CHARACTERS = 65_536
MAX_SEQ = 2**53 - 1  # the largest integer that every JSON reader keeps exact
TOPIC = re.compile(r"[a-z][a-z_]{0,19}:[A-Za-z0-9_-]{1,60}", re.ASCII)


class ClientKind(StrEnum):
    """The types of frames that clients send."""

    SUBSCRIBE = "subscribe"
    UNSUBSCRIBE = "unsubscribe"
    ACK = "ack"
    PING = "ping"


class Code(StrEnum):
    """The codes of errors; the connection is closed after all but `forbidden`."""

    FORBIDDEN = "forbidden"
    MALFORMED = "malformed"
    FRAME_TOO_LARGE = "frame_too_large"
    TOO_MANY_TOPICS = "too_many_topics"
    TOO_MANY_FRAMES = "too_many_frames"
    ACK_BEYOND_SENT = "ack_beyond_sent"
    PRESUMED_GONE = "presumed_gone"
    TOO_MANY_CONNECTIONS = "too_many_connections"
    SIGNED_OUT = "signed_out"


CLOSE_CODES = {
    Code.MALFORMED: 4400,
    Code.SIGNED_OUT: 4401,
    Code.PRESUMED_GONE: 4408,
    Code.ACK_BEYOND_SENT: 4409,
    Code.FRAME_TOO_LARGE: 4413,
    Code.TOO_MANY_TOPICS: 4422,
    Code.TOO_MANY_CONNECTIONS: 4423,
    Code.TOO_MANY_FRAMES: 4429,
}


@dataclass(frozen=True, slots=True)
class Subscribe:
    """A request for the topic's events after `after`, of this `epoch`."""

    topic: str
    epoch: int
    after: int
    is_present: bool = False  # show the client in presence


@dataclass(frozen=True, slots=True)
class Unsubscribe:
    """A request to stop sending the topic."""

    topic: str


@dataclass(frozen=True, slots=True)
class Ack:
    """An acknowledgement that all events up to `seq` have been applied."""

    topic: str
    seq: int


@dataclass(frozen=True, slots=True)
class Ping:
    """A request for a heartbeat at once."""


ClientMessage = Subscribe | Unsubscribe | Ack | Ping


class ProtocolError(Exception):
    """A violation of the protocol by the client."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def decode(text: str | None) -> ClientMessage:
    """Return the message of a client's frame; raises ProtocolError if it is malformed."""
    if text is None:
        _malformed("frames must be text, not binary")
    if len(text) > MAX_FRAME_CHARACTERS:
        raise ProtocolError(
            Code.FRAME_TOO_LARGE, f"a frame may have at most {MAX_FRAME_CHARACTERS} characters"
        )
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        _malformed("the frame is not valid JSON, or nested too deeply")
    if not isinstance(fields, dict):
        _malformed("a frame must be an object")
    reader = _READERS.get(fields["type"]) if isinstance(fields.get("type"), str) else None
    if reader is None:
        _malformed(f"the type of a frame must be one of {', '.join(ClientKind)}")
    return reader(fields)


def _malformed(message: str) -> NoReturn:
    raise ProtocolError(Code.MALFORMED, message)


def _topic(fields: Mapping[str, Any]) -> str:
    topic = fields.get("topic")
    if not isinstance(topic, str) or not TOPIC.fullmatch(topic):
        _malformed("a topic must be a kind and an id, as in function:12")
    return topic


def _integer(fields: Mapping[str, Any], name: str) -> int:
    value = fields.get(name)
    # `type`, because bool is a subclass of int.
    if type(value) is not int or not 0 <= value <= MAX_SEQ:
        _malformed(f"{name} must be an integer from 0 to {MAX_SEQ}")
    return value


def _flag(fields: Mapping[str, Any], name: str) -> bool:
    value = fields.get(name, False)
    if not isinstance(value, bool):
        _malformed(f"{name} must be true or false")
    return value


_READERS: dict[str, Callable[[Mapping[str, Any]], ClientMessage]] = {
    ClientKind.SUBSCRIBE: lambda fields: Subscribe(
        _topic(fields),
        _integer(fields, "epoch"),
        _integer(fields, "after"),
        _flag(fields, "present"),
    ),
    ClientKind.UNSUBSCRIBE: lambda fields: Unsubscribe(_topic(fields)),
    ClientKind.ACK: lambda fields: Ack(_topic(fields), _integer(fields, "seq")),
    ClientKind.PING: lambda _fields: Ping(),
}


def encode(fields: Mapping[str, Any]) -> str:
    """Return compact JSON, in ASCII, so that lone surrogates can't make the frame invalid."""
    return json.dumps(fields, separators=(",", ":"))


def hello(heartbeat_seconds: float) -> str:
    """Return the first frame, with the interval of heartbeats."""
    return encode({"type": "hello", "heartbeat_seconds": heartbeat_seconds})


def events(topic: str, epoch: int, encoded: Sequence[str]) -> str:
    """Return a frame of consecutive events that are already encoded."""
    start = encode({"type": "events", "topic": topic, "epoch": epoch})
    return f'{start[:-1]},"events":[{",".join(encoded)}]}}'


def caught_up(topic: str, head: int) -> str:
    """Return the frame sent after all events up to `head`, the end at subscription."""
    return encode({"type": "caught_up", "topic": topic, "head": head})


def heartbeat(heads: Mapping[str, int]) -> str:
    """Return a heartbeat; `heads` (by topic) let clients notice lost events."""
    return encode({"type": "heartbeat", "heads": heads})


def presence(topic: str, people: Sequence[str] | None, others: int | None, you: str | None) -> str:
    """Return the frame with a topic's followers; `you` is the recipient's name."""
    followers = {"people": people, "others": others, "you": you}
    return encode({"type": "presence", "topic": topic, **followers})


def reset(topic: str, epoch: int, head: int, reason: str) -> str:
    """Return the frame that ends a subscription whose next events no longer exist."""
    return encode({"type": "reset", "topic": topic, "epoch": epoch, "head": head, "reason": reason})


def error(code: Code, message: str, topic: str | None = None) -> str:
    """Return an error; without a topic, the connection is closed after it."""
    fields = {} if topic is None else {"topic": topic}
    return encode({"type": "error", "code": code, "message": message, **fields})
