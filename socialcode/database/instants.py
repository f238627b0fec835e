"""Loads timestamps in C; Django's own loader is in Python, and six times slower."""

from datetime import UTC, datetime
from functools import cache
from typing import Any

import psycopg
from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import AdaptersMap, Loader
from psycopg.pq import Format

_TYPE = "timestamptz"
_Native: Any = psycopg.adapters.get_loader(psycopg.adapters.types[_TYPE].oid, Format.TEXT)


class InstantLoader(Loader):
    """Loads a timestamp like psycopg itself, in UTC, as Django expects."""

    timezone = UTC  # where connections are in another, Django has its own loader for each cursor

    def __init__(self, oid: int, context: AdaptContext | None = None) -> None:
        super().__init__(oid, context)
        self._native = _Native(oid, context)

    def load(self, data: Buffer) -> datetime:
        """Return the timestamp."""
        read: datetime = self._native.load(data)
        return read if read.tzinfo is UTC else read.astimezone(UTC)


@cache
def with_native_instants(adapters: AdaptersMap) -> AdaptersMap:
    """Return Django's adapters with this loader added."""
    ours = AdaptersMap(adapters)
    ours.register_loader(_TYPE, InstantLoader)
    return ours
