"""For how long a worker's threads have been at one thing that the database has not done.

Leases are kept for work that goes on: not while a statement never ends, whatever keeps it, nor
while what was executed is not taken, however often that is tried.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from django.conf import settings
from django.db import connection


class Progress:
    """Knows what the threads of one worker are at; each tells by itself."""

    def __init__(self) -> None:
        self._since: dict[object, float] = {}

    @contextmanager
    def step(self) -> Iterator[None]:
        """Be at one thing, until it is done or given up."""
        step = object()
        self._since[step] = time.monotonic()
        try:
            yield
        finally:
            del self._since[step]

    def statements(self) -> AbstractContextManager[None]:
        """Be at one thing for as long as each statement takes that this thread makes in here."""
        return connection.execute_wrapper(self._execute)

    def _execute(self, execute: Callable[..., Any], *arguments: Any) -> Any:
        with self.step():
            return execute(*arguments)

    @property
    def is_stalled(self) -> bool:
        """Whether one thing has been going on for longer than a lease lasts."""
        since = list(self._since.values())  # at once: other threads add to it
        return bool(since) and time.monotonic() - min(since) > settings.LEASE_SECONDS
