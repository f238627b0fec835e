"""How the site connects to the database: the entry of `settings.DATABASES`."""

from collections.abc import Mapping
from typing import Any

import environ


def database_from(url: str, *, session: Mapping[str, str], pool_size: int) -> dict[str, Any]:
    """Return the database at this address, with settings of each session; 0 means no pool."""
    database: dict[str, Any] = environ.Env.db_url_config(url)
    options = database.setdefault("OPTIONS", {})
    options["options"] = " ".join(f"-c {name}={value}" for name, value in session.items())
    # With the kernel's defaults, a cut network would be noticed after hours only. These only apply
    # to TCP. (On Linux, tcp_user_timeout also overrides keepalives_count.)
    options |= {
        "connect_timeout": 5,
        "tcp_user_timeout": 10_000,
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 3,
    }
    if "," in (database["HOST"] or options.get("host", "")):
        # Several servers: the primary is looked for; one that has vanished must not cost a page.
        options.setdefault("target_session_attrs", "read-write")
        options["connect_timeout"] = 3
    if pool_size:
        # By default, a page would wait 30 s for an unavailable database.
        options["pool"] = {"min_size": 1, "max_size": pool_size, "timeout": 5}
    # Connections broken by a restart of the database are noticed when taken from the pool.
    pooling = {"CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": True}
    return {**database, **pooling, "ENGINE": "socialcode.database"}
