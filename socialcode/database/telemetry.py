"""Counts errors of the database by their cause, and tells how much of the pool is in use."""

from collections.abc import Mapping
from types import TracebackType
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS
from django.db.backends.postgresql import base
from django.db.utils import DatabaseErrorWrapper
from psycopg import errors
from psycopg_pool import PoolTimeout

from runner.telemetry.counters import count
from runner.telemetry.families import Family, declare
from runner.telemetry.gauges import Gauge, declare_gauge

ERRORS = declare(
    Family("database_errors", "Statements and connections that failed, by cause", ("cause",))
)
# The first that fits. Violated constraints are not failures: the site expects them.
CAUSES: tuple[tuple[type[psycopg.Error], str], ...] = (
    (PoolTimeout, "pool_timeout"),
    (errors.QueryCanceled, "statement_timeout"),
    (errors.LockNotAvailable, "lock_timeout"),
    (errors.DeadlockDetected, "deadlock"),
    (errors.SerializationFailure, "serialization"),
    (errors.TooManyConnections, "too_many_connections"),
    (psycopg.OperationalError, "unavailable"),
    (psycopg.InterfaceError, "unavailable"),
)


class CountingErrorWrapper(DatabaseErrorWrapper):
    """Django's converter of errors, which counts them as well."""

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if exc_type is None:
            return
        cause = next((cause for kind, cause in CAUSES if issubclass(exc_type, kind)), None)
        if cause is not None:
            count(ERRORS, cause)
        super().__exit__(exc_type, exc_value, traceback)


def _pool() -> Any:
    # Asking a wrapper would make the pool.
    return vars(base.DatabaseWrapper)["_connection_pools"].get(DEFAULT_DB_ALIAS)


def connections() -> Mapping[str, float]:
    """Return the numbers of this process's pooled connections."""
    pool = _pool()
    if pool is None:
        return {}
    stats = pool.get_stats()
    idle = stats.get("pool_available", 0)
    return {"idle": idle, "in_use": stats.get("pool_size", 0) - idle}


def waiting() -> Mapping[str, float]:
    """Return the number of threads that wait for a pooled connection."""
    pool = _pool()
    return {} if pool is None else {"": pool.get_stats().get("requests_waiting", 0)}


declare_gauge(
    Gauge(
        "database_connections",
        "Pooled connections to PostgreSQL, by state",
        ("state",),
        connections,
    )
)
declare_gauge(Gauge("database_waiting", "Threads that wait for a pooled connection", (), waiting))
