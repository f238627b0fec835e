"""Places in a long list, as opaque text that clients hand back to go on from there."""

import base64
import binascii
import json
from typing import Any


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
