"""Fork-join: arrivals append, and a join takes all that are there and writes their target once.

Who has appended and committed tells the process's joiner. Where the target has rested for a tenth
of a second, it is joined there and then; else by a thread, when that time has passed, with all
that came meanwhile. Only one at a time joins a target, by a lock that is tried and not waited
for. Who does not get it tries again a tenth of a second later, so nothing depends on whether the
holder saw what was committed since: a look after the commit, kept up until it finds the lock free.
What a process leaves behind that dies is the sweeper's.
"""

import logging
import threading
import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from django.db import connection

log = logging.getLogger(__name__)

GATHER_SECONDS = 0.1

Target = TypeVar("Target", bound=Hashable)

# The whole is shared by all who join a target of it; who holds it alone, keeps them all away.
_TRY_TARGET = """
    select pg_try_advisory_xact_lock_shared(hashtextextended(%(whole)s, 0))
       and pg_try_advisory_xact_lock(hashtextextended(%(whole)s || ' ' || %(target)s, 0))
"""
_LOCK_ALL = "select pg_advisory_xact_lock(hashtextextended(%(whole)s, 0))"


def try_lock_target(group: str, target: int) -> bool:
    """Keep others from joining the target until this transaction ends, unless somebody else is."""
    with connection.cursor() as cursor:
        cursor.execute(_TRY_TARGET, {"whole": group, "target": str(target)})
        return bool(cursor.fetchone()[0])


def lock_all_targets(group: str) -> None:
    """Wait until nobody joins any target of it, and keep everybody away until this is committed."""
    with connection.cursor() as cursor:
        cursor.execute(_LOCK_ALL, {"whole": group})


class Joiner(Generic[Target]):
    """Joins targets soon after something has arrived for them.

    `join` says whether it could: if somebody else was at it, it is called again.
    """

    def __init__(self, join: Callable[[Target], bool]) -> None:
        self._join = join
        self._changed = threading.Condition()
        self._due_at: dict[Target, float] = {}
        self._resting_until: dict[Target, float] = {}  # joined not long ago
        self._running = 0
        self._thread: threading.Thread | None = None

    def notify(self, target: Target) -> None:
        """Have the target joined; to be told after the commit, or the arrival may be missed.

        Never raises: what was committed stays committed, whatever comes of joining it.
        """
        with self._changed:
            if target in self._due_at:
                return
            is_resting = self._resting_until.get(target, 0.0) > time.monotonic()
            if is_resting:
                self._due_at[target] = self._resting_until[target]
                self._wake()
            else:
                self._start(target)
        if not is_resting:
            self._attempt(target)

    def wait_idle(self, timeout_seconds: float | None = None) -> bool:
        """Wait until all is joined that this process was told of; false if time runs out."""
        with self._changed:
            return self._changed.wait_for(
                lambda: not self._due_at and not self._running, timeout_seconds
            )

    def _wake(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._work, name="joiner", daemon=True)
            self._thread.start()
        self._changed.notify_all()

    def _start(self, target: Target) -> None:
        now = time.monotonic()
        self._resting_until = {each: at for each, at in self._resting_until.items() if at > now}
        self._resting_until[target] = now + GATHER_SECONDS
        self._running += 1

    def _attempt(self, target: Target) -> None:
        is_joined = True
        try:
            is_joined = self._join(target)
        except Exception:
            log.exception("the arrivals for %s are left to the sweeper", target)
        if threading.current_thread() is self._thread:
            connection.close()  # the others may want it while this thread waits
        with self._changed:
            if not is_joined:
                self._due_at[target] = time.monotonic() + GATHER_SECONDS
                self._wake()
            self._running -= 1
            self._changed.notify_all()

    def _work(self) -> None:
        while True:
            self._attempt(self._next())

    def _next(self) -> Target:
        """Wait until a target is due, and begin with it."""
        with self._changed:
            while True:
                now = time.monotonic()
                target = min(self._due_at, key=self._due_at.__getitem__, default=None)
                if target is not None and self._due_at[target] <= now:
                    del self._due_at[target]
                    self._start(target)
                    return target
                self._changed.wait(None if target is None else self._due_at[target] - now)
