"""Chance from the program's seed, where the library would ask the system."""

from __future__ import annotations

import random
import time
import uuid
from typing import Any

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


def seed(a: Any = None, version: int = 2) -> None:
    """random.seed; without a seed it goes on from the program's."""
    random.seed(random.getrandbits(128) if a is None else a, version)
