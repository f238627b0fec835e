"""PostgreSQL and Valkey from Python wheels, for sites without a configured database. No Django."""
