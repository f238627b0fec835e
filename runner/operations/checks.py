"""System checks of the database, run before migrations."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections

from runner.operations.versions import OLDEST_POSTGRESQL


@register(Tags.database)
def check_postgresql(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Report databases whose PostgreSQL is too old."""
    versions = {alias: _version(alias) for alias in databases or ()}
    return [
        Error(
            f"The database {alias!r} is PostgreSQL {version}, and {OLDEST_POSTGRESQL} is needed.",
            hint="Upgrade it, or leave DATABASE_URL out to use the embedded PostgreSQL.",
            id="runner.E001",
        )
        for alias, version in versions.items()
        if version < OLDEST_POSTGRESQL
    ]


def _version(alias: str) -> int:
    connection = connections[alias]
    connection.ensure_connection()
    server_version: int = connection.connection.info.server_version
    return server_version // 10_000
