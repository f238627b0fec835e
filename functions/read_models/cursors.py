"""Places in a long list, as opaque text that clients hand back to go on from there."""

import base64
import binascii
import json
from datetime import UTC, datetime, timedelta
from typing import Any

MAX_ID = 2**63 - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class BadCursor(ValueError):
    """The text is no cursor of ours."""


def encode_cursor(*place: int | str) -> str:
    """Return the text that stands for this place."""
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def decode_cursor(text: str, *kinds: type[Any]) -> tuple[Any, ...]:
    """Return the place, whose parts must be of these types."""
    try:
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        place = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (UnicodeError, binascii.Error, ValueError, RecursionError) as error:
        raise BadCursor("no cursor of ours") from error
    if not isinstance(place, list) or [type(part) for part in place] != list(kinds):
        raise BadCursor("a cursor of another list")
    return tuple(place)


def decode_place(text: str, length: int) -> tuple[int, ...]:
    """Return a place that is made of so many rows' numbers."""
    place = decode_cursor(text, *[int] * length)
    if not all(0 <= number <= MAX_ID for number in place):
        raise BadCursor("a place that no list has")
    return place


def moment(us: int) -> datetime:
    """Return the instant that a cursor tells in microseconds."""
    try:
        return _EPOCH + timedelta(microseconds=us)
    except OverflowError as error:
        raise BadCursor("a time that no list has") from error


def since_epoch_us(at: datetime) -> int:
    """Return an instant as cursors tell it."""
    return (at - _EPOCH) // timedelta(microseconds=1)
