"""What a socket's request says of its session."""

from collections.abc import Iterable

from django.conf import settings
from django.http import parse_cookie


def session_key_of(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """Return the key in the session's cookie; empty where there is none that could be one."""
    for name, value in headers:
        if name == b"cookie":
            key = parse_cookie(value.decode("latin-1")).get(settings.SESSION_COOKIE_NAME, "")
            # Keys are looked up together: what no database takes is not to spoil the others.
            return key if key.isascii() and key.isalnum() else ""
    return ""
