"""Cursors: opaque texts for positions in a list."""

import base64
import binascii
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from django.http import Http404

MAX_ID = 2**63 - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class BadCursor(Http404):
    """Raised for an invalid cursor: its page doesn't exist."""


def encode_cursor(*place: int | str) -> str:
    """Return the cursor of a position."""
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def decode_cursor(text: str, *kinds: type[Any]) -> tuple[Any, ...]:
    """Return the position, whose parts must have these types."""
    try:
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        place = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (UnicodeError, binascii.Error, ValueError, RecursionError) as error:
        raise BadCursor("the cursor is malformed") from error
    if not isinstance(place, list) or [type(part) for part in place] != list(kinds):
        raise BadCursor("the cursor is of another list")
    return tuple(place)


def decode_place(text: str, length: int) -> tuple[int, ...]:
    """Return a position that consists of `length` ids."""
    place = decode_cursor(text, *[int] * length)
    if not all(0 <= number <= MAX_ID for number in place):
        raise BadCursor("the cursor's position is out of range")
    return place


def moment(us: int) -> datetime:
    """Return the instant of a cursor's microseconds since 1970."""
    try:
        return _EPOCH + timedelta(microseconds=us)
    except OverflowError as error:
        raise BadCursor("the cursor's time is out of range") from error


def since_epoch_us(at: datetime) -> int:
    """Return the microseconds from 1970 to an instant."""
    return (at - _EPOCH) // timedelta(microseconds=1)
