"""Django's PostgreSQL backend with cheaper liveness checks of pooled connections."""
