"""Keeps the leases of runs that are claimed and not written yet.

A run is killed if its lease could not be extended for long: it must end before another worker
starts it, even if the database doesn't respond at all. Leases are not extended while the worker
makes no progress.
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

# Shares of the lease's duration: the interval of extensions, and the allowed age of the last one.
HEARTBEAT_SHARE = 0.1
TRUSTED_SHARE = 2 / 3


class LeaseKeeper:
    """The runs held by this worker, by (execution id, token); lost runs are passed to `cancel`.

    One thread extends the leases, another checks that they are extended.
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
        """Start keeping the leases of these runs."""
        with self._lock:
            self._runs.update(runs)

    def remove(self, run: Run) -> None:
        """Stop keeping the run's lease: it is written or lost."""
        with self._lock:
            self._runs.pop((run.claim.execution_id, run.claim.token), None)

    def find(self, ident: Hashable) -> Run | None:
        """Return the run if it is held."""
        return self._runs.get(ident)

    def all(self) -> dict[Hashable, Run]:
        """Return a copy of the held runs."""
        with self._lock:
            return dict(self._runs)

    def close(self) -> None:
        """Let the leases expire, and end the threads."""
        self._closing.set()
        for thread in self._threads:
            thread.join(timeout=1)

    def _lose(self, runs: Mapping[Hashable, Run]) -> None:
        """Kill runs that no longer belong to this worker; nothing more is written for them."""
        for run in runs.values():
            run.is_lost = True
            self.remove(run)
        self._cancel(runs)

    def _extend(self) -> None:
        """Extend the leases regularly; lose runs that another worker has claimed."""
        while not self._closing.wait(settings.LEASE_SECONDS * HEARTBEAT_SHARE):
            held = self.all()
            if not held:
                connection.close()
                continue
            if self._progress.is_stalled:
                log.warning("the database makes no progress; all leases are given up")
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
        """Lose runs whose leases were not extended for long; `_extend` may hang in a statement."""
        seen_at: dict[Hashable, float] = {}
        while not self._closing.wait(settings.LEASE_SECONDS * HEARTBEAT_SHARE):
            now = time.monotonic()
            held = self.all()
            seen_at = {ident: seen_at.get(ident, now) for ident in held}
            since = now - settings.LEASE_SECONDS * TRUSTED_SHARE
            lost = {ident: held[ident] for ident, at in seen_at.items() if at < since}
            if lost and self._extended_at < since:
                log.warning("leases could not be extended; all leases are given up")
                self._lose(lost)
