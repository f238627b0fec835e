"""Signatures of deliveries, as the Standard Webhooks specification has them."""

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Iterable

PREFIX = "whsec_"
SECRET_BYTES = 32


def new_secret() -> str:
    """Return a random secret."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def sign(secret_texts: Iterable[str], *, identifier: str, timestamp: int, body: bytes) -> str:
    """Return the value of `webhook-signature`: a signature by each of the secrets."""
    signed = f"{identifier}.{timestamp}.".encode() + body
    return " ".join(f"v1,{_signature(secret, signed)}" for secret in secret_texts)


def _signature(secret: str, signed: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    digest = hmac.digest(key, signed, hashlib.sha256)
    return binascii.b2a_base64(digest, newline=False).decode()
