"""Migrations that the database lacks."""

from functools import cache

from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder


@cache
def _last_migrations() -> frozenset[tuple[str, str]]:
    """Return the last migration of each app, read from the files once."""
    return frozenset(MigrationLoader(None).graph.leaf_nodes())


def pending_migrations() -> list[str]:
    """Return the apps whose last migration has not been applied, in one query.

    A database that has migrations of a newer release is fine: it is migrated before its processes
    are started.
    """
    applied = MigrationRecorder(connection).applied_migrations()
    return sorted(app for app, name in _last_migrations() if (app, name) not in applied)
