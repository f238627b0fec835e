"""The handshake over TCP: both ends prove that they have the site's secret key.

The server sends a nonce, the client a nonce and a MAC of both nonces, the server another MAC of
both. The key itself is never sent, and no message can be used in another handshake.
"""

import os
from typing import NamedTuple

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

NONCE_BYTES = MAC_BYTES = 32
REPLY_BYTES = NONCE_BYTES + MAC_BYTES


class Reply(NamedTuple):
    """A client's reply to a nonce, and the answer of a server that has the same key."""

    content: bytes
    expected: bytes


def make_nonce() -> bytes:
    """Return the first message of a handshake."""
    return os.urandom(NONCE_BYTES)


def make_reply(nonce: bytes) -> Reply:
    """Return the client's reply to the server's nonce."""
    nonces, key = nonce + make_nonce(), settings.SECRET_KEY
    content = nonces[NONCE_BYTES:] + _mac("client", nonces, key)
    return Reply(content, _mac("server", nonces, key))


def make_answer(nonce: bytes, reply: bytes) -> bytes | None:
    """Return the server's answer to a reply; None if the client has none of its keys."""
    nonces, mac = nonce + reply[:NONCE_BYTES], reply[NONCE_BYTES:]
    for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        if constant_time_compare(mac, _mac("client", nonces, key)):
            return _mac("server", nonces, key)
    return None


def _mac(role: str, nonces: bytes, key: str) -> bytes:
    salt = f"runner.calls.handshake.{role}"
    return salted_hmac(salt, nonces, secret=key, algorithm="sha256").digest()
