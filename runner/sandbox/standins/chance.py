"""Chance from the program's seed, where the library would ask the system."""

from __future__ import annotations

import base64
import hmac
import random
import time
import uuid
from collections.abc import Sequence
from typing import Any, TypeVar

_Item = TypeVar("_Item")

# 100 ns intervals between the beginnings of the Gregorian calendar's and of Unix's time.
_GREGORIAN = 0x01B21DD213814000


def uuid4() -> uuid.UUID:
    return uuid.UUID(int=random.getrandbits(128), version=4)


def uuid1(node: int | None = None, clock_seq: int | None = None) -> uuid.UUID:
    """From the time, and a node that is made up."""
    stamp = time.time_ns() // 100 + _GREGORIAN
    sequence = random.getrandbits(14) if clock_seq is None else clock_seq
    fields = (
        stamp & 0xFFFFFFFF,
        stamp >> 32 & 0xFFFF,
        stamp >> 48 & 0x0FFF,
        sequence >> 8 & 0x3F,
        sequence & 0xFF,
        random.getrandbits(48) | 1 << 40 if node is None else node,
    )
    return uuid.UUID(fields=fields, version=1)


def token_bytes(nbytes: int | None = None) -> bytes:
    return random.randbytes(32 if nbytes is None else nbytes)  # noqa: S311


def token_hex(nbytes: int | None = None) -> str:
    return token_bytes(nbytes).hex()


def token_urlsafe(nbytes: int | None = None) -> str:
    return base64.urlsafe_b64encode(token_bytes(nbytes)).rstrip(b"=").decode("ascii")


def randbelow(exclusive_upper_bound: int) -> int:
    if exclusive_upper_bound <= 0:
        raise ValueError("Upper bound must be positive.")
    return random.randrange(exclusive_upper_bound)  # noqa: S311


def choice(seq: Sequence[_Item]) -> _Item:
    return random.choice(seq)  # noqa: S311


def randbits(k: int) -> int:
    return random.getrandbits(k)


SECRETS: dict[str, Any] = {
    "token_bytes": token_bytes,
    "token_hex": token_hex,
    "token_urlsafe": token_urlsafe,
    "randbelow": randbelow,
    "choice": choice,
    "randbits": randbits,
    "compare_digest": hmac.compare_digest,
}


def seed(a: Any = None, version: int = 2) -> None:
    """random.seed; without a seed it goes on from the program's."""
    random.seed(random.getrandbits(128) if a is None else a, version)
