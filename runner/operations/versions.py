"""Versions of the engines that are supported."""

# The first version with `returning old.value, new.value`. The tests run on it.
OLDEST_POSTGRESQL = 18
