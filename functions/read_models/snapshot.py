"""Read-only database snapshots, for pages that take several queries."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from psycopg import IsolationLevel


@contextmanager
def snapshot() -> Iterator[None]:
    """Run all queries inside in one read-only snapshot.

    Within an outer transaction, that one's isolation applies.
    """
    if connection.in_atomic_block:
        yield
        return
    with _reading_one_instant(), transaction.atomic():
        yield


@contextmanager
def _reading_one_instant() -> Iterator[None]:
    """Set the isolation level of new transactions, which saves a query in each."""
    connection.ensure_connection()
    session = connection.connection
    before = session.isolation_level, session.read_only
    session.isolation_level, session.read_only = IsolationLevel.REPEATABLE_READ, True
    try:
        yield
    finally:
        if not session.closed:  # a closed one is not reused
            session.isolation_level, session.read_only = before
