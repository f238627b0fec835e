"""`manage.py migrate`: Django's, which gives way to those who use the site meanwhile."""

import random
import time
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connection
from psycopg import errors

# A migration and a page may wait for each other. After a second PostgreSQL would end one of them,
# perhaps the page. So the migration all but never waits: it is undone and repeated. If that is in
# vain, it waits longer each time.
SHORTEST_WAIT_MS = 5.0
LONGEST_WAIT_MS = 500.0
GROWTH = 1.1
PATIENCE_SECONDS = 180.0
PAUSE_SECONDS = 0.2
_IN_USE = (errors.LockNotAvailable, errors.DeadlockDetected)


class Command(migrate.Command):
    """Applies migrations, each as soon as nobody uses its tables for a moment."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate, repeating what meets tables in use; raises CommandError if they always are."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        wait_ms = SHORTEST_WAIT_MS
        while not self._migrate(wait_ms, *args, **options):
            wait_ms = min(LONGEST_WAIT_MS, wait_ms * GROWTH)
            if time.monotonic() > deadline:
                raise CommandError(
                    f"tables were in use for {PATIENCE_SECONDS:.0f} s. What was migrated stays:"
                    " repeat the command when less is done, or with the workers stopped."
                )
            self.stdout.write("A table is in use; trying again.")
            time.sleep(random.uniform(0, 2 * PAUSE_SECONDS))  # noqa: S311

    def _migrate(self, wait_ms: float, *args: Any, **options: Any) -> bool:
        """Return whether nothing was in use."""
        _set_lock_timeout(f"'{wait_ms:.0f}ms'")
        try:
            super().handle(*args, **options)
        except OperationalError as error:
            _leave_transaction()
            if not isinstance(error.__cause__, _IN_USE):
                raise
            return False
        finally:
            _set_lock_timeout("default")
        return True


def _leave_transaction() -> None:
    """Connect anew if a transaction was left open.

    Django adds foreign keys last, when it leaves the schema editor. If that fails, it does not
    leave the transaction, which can't be used any more.
    """
    if connection.in_atomic_block:
        connection.close()
        connection.connect()


def _set_lock_timeout(value: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"set lock_timeout to {value}")
