"""Limits concurrent hashing of passwords, and the number of requests waiting for it."""

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TypeVar

from django.db import connections
from django.utils.translation import gettext as _

from functions.errors import TooOften

T = TypeVar("T")

# All cores except one, if there are several.
HASHES_AT_ONCE = max(1, len(os.sched_getaffinity(0)) - 1)
# On busy cores, pages have priority; with a much higher value, nobody could sign in.
NICENESS = 5
# The limit of passwords being hashed or waiting in this process. One takes about 0.3 s of CPU time.
MOST_INSIDE = 8 + 8 * HASHES_AT_ONCE
MOST_INSIDE_OF_ONE_ADDRESS = 12
LONGEST_WAIT_SECONDS = 10.0
RETRY_SECONDS = 5


class HashersBusy(TooOften):
    """Raised if too many passwords are waiting to be hashed; nothing was checked or stored."""

    def __init__(self) -> None:
        super().__init__(
            _("Too many people are signing in at this moment. Try again in a few seconds."),
            retry_after_seconds=RETRY_SECONDS,
        )


class HashGate:
    """Computes a few hashes at once, queues a few more, and refuses all others."""

    def __init__(self, at_once: int, most: int, most_of_one: int) -> None:
        # Threads suffice, because hashing releases the GIL.
        self._hashers = ThreadPoolExecutor(at_once, "hashes", initializer=_be_nice)
        self._most, self._most_of_one = most, most_of_one
        self._lock = threading.Lock()
        self._inside: Counter[str] = Counter()

    def compute(self, hashing: Callable[[], T], address: str) -> T:
        """Compute the hash in turn and return it; `address` is empty in commands.

        Raises HashersBusy.
        """
        with self._place(address):
            # Connections are few, and a waiting thread needs none.
            release_connections()
            hashed = self._hashers.submit(hashing)
            wait([hashed], LONGEST_WAIT_SECONDS)
            if hashed.cancel():  # it has not started
                raise HashersBusy
            return hashed.result()

    @contextmanager
    def _place(self, address: str) -> Iterator[None]:
        with self._lock:
            is_too_much = address and self._inside[address] >= self._most_of_one
            if is_too_much or self._inside.total() >= self._most:
                raise HashersBusy
            self._inside[address] += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside[address] -= 1
                if not self._inside[address]:
                    del self._inside[address]


def _be_nice() -> None:
    """Lower the priority of this thread, which Linux allows for threads."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


def release_connections() -> None:
    """Release this thread's database connections, except those in a transaction."""
    for connection in connections.all(initialized_only=True):
        if connection.autocommit and not connection.in_atomic_block:
            connection.close()


gate = HashGate(HASHES_AT_ONCE, MOST_INSIDE, MOST_INSIDE_OF_ONE_ADDRESS)
