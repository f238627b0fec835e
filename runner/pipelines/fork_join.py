"""Fork-join: writers append rows without locks; a join takes all rows of a target in one write.

After its commit, a writer notifies the joiner of its process. The target is joined at once if its
last join was at least 0.1 seconds ago; otherwise by a thread when that time has passed, together
with all rows that arrive meanwhile. Only one process joins a target at a time. A joiner that can't
get the lock doesn't wait for it but tries again 0.1 seconds later, so no row is missed. Rows left
by a process that died are joined by the sweeper.
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

# Joiners of a target share the group's lock; an exclusive lock on the group stops them all.
_TRY_TARGET = """
    select pg_try_advisory_xact_lock_shared(hashtextextended(%(whole)s, 0))
       and pg_try_advisory_xact_lock(hashtextextended(%(whole)s || ' ' || %(target)s, 0))
"""
_LOCK_ALL = "select pg_advisory_xact_lock(hashtextextended(%(whole)s, 0))"


def try_lock_target(group: str, target: int) -> bool:
    """Lock the target until the transaction ends; false if another session has locked it."""
    with connection.cursor() as cursor:
        cursor.execute(_TRY_TARGET, {"whole": group, "target": str(target)})
        return bool(cursor.fetchone()[0])


def lock_all_targets(group: str) -> None:
    """Wait until no target of the group is being joined, and prevent joins until the commit."""
    with connection.cursor() as cursor:
        cursor.execute(_LOCK_ALL, {"whole": group})


class Joiner(Generic[Target]):
    """Joins targets soon after rows have arrived for them.

    `join` returns false if another process is joining the target; then it is called again.
    """

    def __init__(self, join: Callable[[Target], bool]) -> None:
        self._join = join
        self._changed = threading.Condition()
        self._due_at: dict[Target, float] = {}
        self._resting_until: dict[Target, float] = {}  # of targets joined recently
        self._running = 0
        self._thread: threading.Thread | None = None

    def notify(self, target: Target) -> None:
        """Schedule a join of the target; call it after the commit, or its rows may be missed.

        Never raises, because the caller's transaction is committed.
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
        """Wait until all targets notified here are joined; false on timeout."""
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
            log.exception("joining %s failed; left to the sweeper", target)
        if threading.current_thread() is self._thread:
            connection.close()  # the thread may be idle for long
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
        """Wait until a target is due; mark it as started and return it."""
        with self._changed:
            while True:
                now = time.monotonic()
                target = min(self._due_at, key=self._due_at.__getitem__, default=None)
                if target is not None and self._due_at[target] <= now:
                    del self._due_at[target]
                    self._start(target)
                    return target
                self._changed.wait(None if target is None else self._due_at[target] - now)
