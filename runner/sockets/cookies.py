"""What a socket's request says of its session."""

from collections.abc import Iterable

from django.conf import settings
from django.http import parse_cookie


def session_key_of(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """Return the key in the session's cookie; empty where there is none that could be one."""
    for name, value in headers:
        if name == b"cookie":
            key = parse_cookie(value.decode("latin-1")).get(settings.SESSION_COOKIE_NAME, "")
            return key if may_be_session_key(key) else ""
    return ""


def may_be_session_key(text: str) -> bool:
    """Tell whether this has the form of a key; a cookie may spell even a NUL.

    Keys are looked up together: what the database does not take is not to spoil the others.
    """
    return text.isascii() and text.isalnum()
