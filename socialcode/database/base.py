"""The database engine for `settings.DATABASES`."""

import select
import time
from datetime import UTC, datetime
from functools import cache, cached_property
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import psycopg
from django.db.backends.postgresql import base
from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import AdaptersMap, Loader
from psycopg.pq import Format
from psycopg_pool import ConnectionPool

from socialcode.database.failover import Server, server_of, with_server_first
from socialcode.database.telemetry import CountingErrorWrapper

# How long a connection is trusted after a response of the server.
TRUST_SECONDS = 1.0

_TIMESTAMP = "timestamptz"
_NativeLoader: Any = psycopg.adapters.get_loader(
    psycopg.adapters.types[_TIMESTAMP].oid, Format.TEXT
)
_answered: WeakKeyDictionary[psycopg.Connection[Any], float] = WeakKeyDictionary()


class DatabaseWrapper(base.DatabaseWrapper):
    """Checks pooled connections with the server only once a second, not for each request.

    The check would be a third of the round trips of a request with two queries. In between, a
    closed connection is noticed by the state of its socket.

    Of several servers, the process first tries the one that it has connected to last.
    """

    _last_server: ClassVar[Server | None] = None

    @property
    def pool(self) -> Any:
        """The process's pool, made by Django; None if pooling is off."""
        pool = super().pool
        if pool is not None and not callable(fixed := pool.kwargs):
            pool._check = check  # noqa: SLF001 - Django has no option for it
            pool.kwargs = lambda: with_server_first(fixed, DatabaseWrapper._last_server)
        return pool

    @cached_property
    def wrap_database_errors(self) -> CountingErrorWrapper:
        """The converter of the driver's errors to Django's."""
        return CountingErrorWrapper(self)

    def get_connection_params(self) -> dict[str, Any]:
        """Return the parameters of new connections."""
        parameters: dict[str, Any] = super().get_connection_params()
        parameters["context"] = _with_native_timestamps(parameters["context"])
        return with_server_first(parameters, DatabaseWrapper._last_server)

    def _configure_connection(self, connection: psycopg.Connection[Any]) -> bool:
        DatabaseWrapper._last_server = server_of(connection)
        return bool(super()._configure_connection(connection))  # type: ignore[misc]


def check(connection: psycopg.Connection[Any]) -> None:
    """Raise `psycopg.OperationalError` if the connection is known to be dead."""
    now = time.monotonic()
    if now - _answered.get(connection, -TRUST_SECONDS) < TRUST_SECONDS:
        poll = select.poll()
        poll.register(connection.fileno(), select.POLLIN)
        if not poll.poll(0):
            return
    # There is unread data, which means that the server is closing; or the last check is too old.
    ConnectionPool.check_connection(connection)
    _answered[connection] = now


class TimestampLoader(Loader):
    """Loads a timestamp in C, in UTC as Django expects; Django's own loader is six times slower."""

    timezone = UTC  # for other time zones, Django sets its own loader for each cursor

    def __init__(self, oid: int, context: AdaptContext | None = None) -> None:
        super().__init__(oid, context)
        self._native = _NativeLoader(oid, context)

    def load(self, data: Buffer) -> datetime:
        """Return the timestamp."""
        read: datetime = self._native.load(data)
        return read if read.tzinfo is UTC else read.astimezone(UTC)


@cache
def _with_native_timestamps(adapters: AdaptersMap) -> AdaptersMap:
    """Return Django's adapters with this loader added."""
    ours = AdaptersMap(adapters)
    ours.register_loader(_TIMESTAMP, TimestampLoader)
    return ours
