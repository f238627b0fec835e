"""Runs follow-ups in a thread of their own, so that no verdict waits for them to be written."""

import logging
import math
import threading
import time
from collections.abc import Callable

from django.db import connection

from runner.pipelines.follow_up_queue import due_targets
from runner.pipelines.follow_ups import run_due_follow_ups
from runner.pipelines.outbox import mark_follow_up_thread

log = logging.getLogger(__name__)

# An election would only delay the results that are still coming; after the last it is held at once.
GATHER_SECONDS = 0.5
# So often it is told at the latest that something may have become ready.
PASS_SECONDS = 0.2
# So many that wait are no results of which others are still coming.
BACKLOG = 32
BACKLOG_ROWS = 128


class FollowUpThread:
    """A thread that runs what is due; `on_pass` is told how much it was, and what was demanded."""

    def __init__(self, on_pass: Callable[[int, int], None]) -> None:
        self._on_pass = on_pass
        self._changed = threading.Condition()
        self._due_at = math.inf
        self._requested = self._completed = 0
        self._is_closing = False
        self._thread = threading.Thread(target=self._work, name="follow-ups", daemon=True)
        self._thread.start()

    def schedule(self) -> None:
        """Take note that something was written: what follows is gathered, and run soon."""
        with self._changed:
            if self._due_at == math.inf:
                self._due_at = time.monotonic() + GATHER_SECONDS
                self._changed.notify_all()

    def run_now(self, number: int) -> None:
        """Have a pass begin at once, that `on_pass` is told this number of."""
        with self._changed:
            self._requested = max(self._requested, number)
            self._changed.notify_all()

    def close(self, timeout_seconds: float) -> None:
        """Begin nothing more, and wait so long for what is under way."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
        self._thread.join(timeout_seconds)

    def _work(self) -> None:
        mark_follow_up_thread()
        try:
            while (requested := self._next()) is not None:
                ran = self._run()
                self._completed = requested
                self._on_pass(ran, requested)
        finally:
            connection.close()

    def _next(self) -> int | None:
        """Wait until something is due; return what is demanded by then, None: no more."""
        with self._changed:
            while not self._is_closing and self._requested == self._completed:
                if (left := self._due_at - time.monotonic()) <= 0:
                    break
                self._changed.wait(left if left < math.inf else None)
            self._due_at = math.inf
            return None if self._is_closing else self._requested

    def _run(self) -> int:
        try:
            if ran := run_due_follow_ups(PASS_SECONDS):
                self._schedule_rest()
        except Exception:
            log.exception("follow-ups are left to the sweeper")
            connection.close()
            return 0
        return ran

    def _schedule_rest(self) -> None:
        """Have what is left run at once where it is a portion or more; less is gathered."""
        left, _ = due_targets(BACKLOG_ROWS)
        wait_seconds = 0.0 if len(left) >= BACKLOG else GATHER_SECONDS
        with self._changed:
            self._due_at = min(self._due_at, time.monotonic() + wait_seconds)
