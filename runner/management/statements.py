"""Statement timeouts for commands that work on the site's database."""

from django.conf import settings
from django.db import connection


def limit_statements() -> None:
    """Set PostgreSQL's statement timeout on all connections opened from now on."""
    options = connection.settings_dict["OPTIONS"]
    limit = f"-c statement_timeout={settings.WORKER_STATEMENT_SECONDS}s"
    options["options"] = f"{options.get('options', '')} {limit}"
