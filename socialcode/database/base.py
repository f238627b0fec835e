"""The database engine of `settings.DATABASES`."""

import select
import time
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from django.db.backends.postgresql import base
from psycopg_pool import ConnectionPool

from socialcode.database.instants import with_native_instants

# Time for which a connection is trusted after the server has answered over it.
TRUST_SECONDS = 1.0

_answered: WeakKeyDictionary[psycopg.Connection[Any], float] = WeakKeyDictionary()


class DatabaseWrapper(base.DatabaseWrapper):
    """Checks pooled connections with the server only once in a while, not for each request.

    Otherwise that would be a third of the round trips of a request with two queries. In between,
    a closed connection is noticed by the state of its socket.
    """

    @property
    def pool(self) -> Any:
        """The process's pool, made by Django; None if pooling is off."""
        pool = super().pool
        if pool is not None:
            pool._check = check  # noqa: SLF001 - Django lets none be named
        return pool

    def get_connection_params(self) -> dict[str, Any]:
        """Return the parameters of new connections."""
        parameters: dict[str, Any] = super().get_connection_params()
        parameters["context"] = with_native_instants(parameters["context"])
        return parameters


def check(connection: psycopg.Connection[Any]) -> None:
    """Raise `psycopg.OperationalError` if the connection is known to be dead."""
    now = time.monotonic()
    if now - _answered.get(connection, -TRUST_SECONDS) < TRUST_SECONDS:
        poll = select.poll()
        poll.register(connection.fileno(), select.POLLIN)
        if not poll.poll(0):
            return
    # Unread data means that the server is closing; otherwise the last check was too long ago.
    ConnectionPool.check_connection(connection)
    _answered[connection] = now
