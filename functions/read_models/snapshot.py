"""One consistent look at the database, however many queries a page takes."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from psycopg import IsolationLevel


@contextmanager
def snapshot() -> Iterator[None]:
    """Have every query inside see the same instant, and write nothing.

    Inside somebody's transaction the isolation can't be chosen any more; then it is theirs.
    """
    if connection.in_atomic_block:
        yield
        return
    with _reading_one_instant(), transaction.atomic():
        yield


@contextmanager
def _reading_one_instant() -> Iterator[None]:
    """Have transactions begin so, rather than be told after they have begun: that is one query."""
    connection.ensure_connection()
    session = connection.connection
    before = session.isolation_level, session.read_only
    session.isolation_level, session.read_only = IsolationLevel.REPEATABLE_READ, True
    try:
        yield
    finally:
        if not session.closed:  # else nobody will use it again
            session.isolation_level, session.read_only = before
