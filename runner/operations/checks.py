"""What the machinery needs of its database, looked at before it is migrated."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections

# `returning old.value, new.value`, by which votes and totals take one statement.
OLDEST_POSTGRESQL = 18


@register(Tags.database)
def check_postgresql(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Refuse databases that are too old, of those that are asked for."""
    found = {alias: _version(alias) for alias in databases or ()}
    return [
        Error(
            f"The database {alias!r} is PostgreSQL {version}, and {OLDEST_POSTGRESQL} is needed.",
            hint="Upgrade it, or leave DATABASE_URL out to use the one that comes along.",
            id="runner.E001",
        )
        for alias, version in found.items()
        if version < OLDEST_POSTGRESQL
    ]


def _version(alias: str) -> int:
    connection = connections[alias]
    connection.ensure_connection()
    server_version: int = connection.connection.info.server_version
    return server_version // 10_000
