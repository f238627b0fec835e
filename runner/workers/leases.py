"""Holding: what a worker has claimed and not written yet, whose leases it keeps.

A lease that could not be kept for long is not waited for: who executes must end before anybody
else begins, also when the database says nothing at all. Nor is one kept where nothing goes on.
"""

import logging
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Mapping

from django.conf import settings
from django.db import connection

from runner.telemetry.progress import Progress
from runner.workers.claims import extend_leases
from runner.workers.recorder import Run
from runner.workers.writer import DATABASE_AWAY

log = logging.getLogger(__name__)

# In shares of the lease: how often it is extended, and how old the last success may be.
HEARTBEAT_SHARE = 0.1
TRUSTED_SHARE = 2 / 3


class LeaseKeeper:
    """The runs that are held, by execution and token; `cancel` is told of those that are lost.

    Two threads see to them: one extends the leases, one sees that they are extended.
    """

    def __init__(
        self, cancel: Callable[[Iterable[Hashable]], None], progress: Progress | None = None
    ) -> None:
        self._cancel = cancel
        self._progress = progress or Progress()
        self._runs: dict[Hashable, Run] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._extended_at = time.monotonic()
        self._threads = [
            threading.Thread(target=act, name=name, daemon=True)
            for name, act in (("heartbeat", self._extend), ("watchman", self._watch))
        ]
        for thread in self._threads:
            thread.start()

    def add(self, runs: Mapping[Hashable, Run]) -> None:
        """Hold these, too."""
        with self._lock:
            self._runs.update(runs)

    def remove(self, run: Run) -> None:
        """Nothing is left to be written of it, or it is not ours any more."""
        with self._lock:
            self._runs.pop((run.claim.execution_id, run.claim.token), None)

    def find(self, ident: Hashable) -> Run | None:
        """Return the run if it is held."""
        return self._runs.get(ident)

    def all(self) -> dict[Hashable, Run]:
        """Return what is held at this moment."""
        with self._lock:
            return dict(self._runs)

    def close(self) -> None:
        """Let the leases expire, and end the threads."""
        self._closing.set()
        for thread in self._threads:
            thread.join(timeout=1)

    def _lose(self, runs: Mapping[Hashable, Run]) -> None:
        """Have what is not ours any more killed; what it still says is not written."""
        for run in runs.values():
            run.is_lost = True
            self.remove(run)
        self._cancel(runs)

    def _extend(self) -> None:
        """Keep the leases of what is held; drop what was taken away."""
        while not self._closing.wait(settings.LEASE_SECONDS * HEARTBEAT_SHARE):
            held = self.all()
            if not held:
                connection.close()
                continue
            if self._progress.is_stalled:
                log.warning("the database does not do what it was told, so nothing is ours")
                self._lose(held)
                continue
            now = time.monotonic()
            try:
                ours = extend_leases([run.claim for run in held.values()])
            except DATABASE_AWAY:
                connection.close()
                continue
            self._extended_at = now
            still_held = self.all()
            self._lose(
                {
                    ident: run
                    for ident, run in held.items()
                    if run.claim.execution_id not in ours and ident in still_held
                }
            )
        connection.close()

    def _watch(self) -> None:
        """Drop what was not kept for long; who keeps it may wait for a database that is silent."""
        seen_at: dict[Hashable, float] = {}
        while not self._closing.wait(settings.LEASE_SECONDS * HEARTBEAT_SHARE):
            now = time.monotonic()
            held = self.all()
            seen_at = {ident: seen_at.get(ident, now) for ident in held}
            since = now - settings.LEASE_SECONDS * TRUSTED_SHARE
            lost = {ident: held[ident] for ident, at in seen_at.items() if at < since}
            if lost and self._extended_at < since:
                log.warning("leases could not be kept, so nothing is ours")
                self._lose(lost)
