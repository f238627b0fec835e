"""The engine that `settings.DATABASES` names."""

import select
import time
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from django.db.backends.postgresql import base
from psycopg_pool import ConnectionPool

from socialcode.database.instants import with_native_instants

# For so long a connection is trusted to be alive once the server has answered over it.
TRUST_SECONDS = 1.0

_answered: WeakKeyDictionary[psycopg.Connection[Any], float] = WeakKeyDictionary()


class DatabaseWrapper(base.DatabaseWrapper):
    """Has a pool ask the server about each connection once in a while, not for each request.

    That would be a third of the round trips of a request that makes two queries. In between,
    an end is noticed by what the kernel has of it.
    """

    @property
    def pool(self) -> Any:
        """Return the process's pool, which Django makes, if there is to be one."""
        pool = super().pool
        if pool is not None:
            pool._check = check  # noqa: SLF001 - Django lets none be named
        return pool

    def get_connection_params(self) -> dict[str, Any]:
        """Return what connections are made with."""
        parameters: dict[str, Any] = super().get_connection_params()
        parameters["context"] = with_native_instants(parameters["context"])
        return parameters


def check(connection: psycopg.Connection[Any]) -> None:
    """Raise `psycopg.OperationalError` unless the connection is alive, as far as one can tell."""
    now = time.monotonic()
    if now - _answered.get(connection, -TRUST_SECONDS) < TRUST_SECONDS:
        poll = select.poll()
        poll.register(connection.fileno(), select.POLLIN)
        if not poll.poll(0):
            return
    # The server has said something unasked, as it does when it ends; or not been asked for long.
    ConnectionPool.check_connection(connection)
    _answered[connection] = now
