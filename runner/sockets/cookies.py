"""Reads the session key from a socket's cookies."""

from collections.abc import Iterable

from django.conf import settings
from django.http import parse_cookie


def session_key_of(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """Return the session key; empty if there is none or its form is wrong."""
    for name, value in headers:
        if name == b"cookie":
            key = parse_cookie(value.decode("latin-1")).get(settings.SESSION_COOKIE_NAME, "")
            return key if may_be_session_key(key) else ""
    return ""


def may_be_session_key(text: str) -> bool:
    """Whether this has the form of a session key.

    Keys are looked up together, so one that the database rejects (with NUL) would fail them all.
    """
    return text.isascii() and text.isalnum()
