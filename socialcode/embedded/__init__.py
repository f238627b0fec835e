"""PostgreSQL and Valkey out of Python wheels, for when no database is given; without Django."""
