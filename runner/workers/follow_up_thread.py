"""Runs follow-ups in a thread of their own, so that they never delay the writing of verdicts."""

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

# How long follow-ups are collected while results keep coming; after the last one they run at once.
GATHER_SECONDS = 0.5
# The length of a pass, after which `on_pass` is called.
PASS_SECONDS = 0.2
# This many waiting targets are run without collecting more.
BACKLOG = 32
BACKLOG_ROWS = 128


class FollowUpThread:
    """Runs due follow-ups in passes.

    After each pass, `on_pass` gets the number of targets that were run and of the last request that
    it covers.
    """

    def __init__(self, on_pass: Callable[[int, int], None]) -> None:
        self._on_pass = on_pass
        self._changed = threading.Condition()
        self._due_at = math.inf
        self._requested = self._completed = 0
        self._is_closing = False
        self._thread = threading.Thread(target=self._work, name="follow-ups", daemon=True)
        self._thread.start()

    def schedule(self) -> None:
        """Run follow-ups soon; called after a write."""
        with self._changed:
            if self._due_at == math.inf:
                self._due_at = time.monotonic() + GATHER_SECONDS
                self._changed.notify_all()

    def run_now(self, number: int) -> None:
        """Start a pass at once, for the request of this number."""
        with self._changed:
            self._requested = max(self._requested, number)
            self._changed.notify_all()

    def close(self, timeout_seconds: float) -> None:
        """Start no more passes, and wait for the running one."""
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
        """Wait until a pass is due; return the last request number, or None when closing."""
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
            log.exception("running follow-ups failed; left to the sweeper")
            connection.close()
            return 0
        return ran

    def _schedule_rest(self) -> None:
        """Schedule the rest: at once if it is a backlog, else later."""
        left, _ = due_targets(BACKLOG_ROWS)
        wait_seconds = 0.0 if len(left) >= BACKLOG else GATHER_SECONDS
        with self._changed:
            self._due_at = min(self._due_at, time.monotonic() + wait_seconds)
