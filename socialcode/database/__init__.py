"""Django's PostgreSQL, but for when a pool asks whether a connection is alive: see `base`."""
