"""Limits how long statements may take, for commands that work on what the site has."""

from django.conf import settings
from django.db import connection


def limit_statements() -> None:
    """Have PostgreSQL end what takes too long, on all connections that are opened from now on."""
    options = connection.settings_dict["OPTIONS"]
    limit = f"-c statement_timeout={settings.WORKER_STATEMENT_SECONDS}s"
    options["options"] = f"{options.get('options', '')} {limit}"
