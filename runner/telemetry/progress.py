"""Tracks how long a worker's threads have been waiting for the database.

Leases are extended only while work makes progress: not while a statement hangs, nor while writing
results keeps failing.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from django.conf import settings
from django.db import connection


class Progress:
    """The current steps of one worker's threads."""

    def __init__(self) -> None:
        self._since: dict[object, float] = {}

    @contextmanager
    def step(self) -> Iterator[None]:
        """Mark the block as a running step."""
        step = object()
        self._since[step] = time.monotonic()
        try:
            yield
        finally:
            del self._since[step]

    def statements(self) -> AbstractContextManager[None]:
        """Mark each statement of this thread inside the block as a step."""
        return connection.execute_wrapper(self._execute)

    def _execute(self, execute: Callable[..., Any], *arguments: Any) -> Any:
        with self.step():
            return execute(*arguments)

    @property
    def is_stalled(self) -> bool:
        """Whether a step has been running for longer than a lease lasts."""
        since = list(self._since.values())  # a copy: other threads change it
        return bool(since) and time.monotonic() - min(since) > settings.LEASE_SECONDS
