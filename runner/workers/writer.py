"""Writes outcomes, output and releases in a thread, many in one transaction.

Writes are delayed only shortly after another write, so the first outcome is published at once.
"""

import logging
import math
import threading
import time
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connection

from runner.events.sequencer import sequence_topics
from runner.models import Attempt
from runner.pipelines.outbox import mark_follow_up_thread
from runner.programs.program import RuntimeMismatch
from runner.sandbox import Outcome
from runner.telemetry.progress import Progress
from runner.telemetry.tracebacks import format_traceback
from runner.workers.follow_up_thread import FollowUpThread
from runner.workers.recorder import Run, publish_output, publish_started, record
from runner.workers.release import Release, release

log = logging.getLogger(__name__)

GATHER_SECONDS = 0.025
# Under load, larger batches are cheaper and a 250 ms delay is not noticeable.
GATHER_SECONDS_WHEN_BUSY = 0.25
GATHER_MAX = 32
# Writing slows running programs down, so the thread pauses as long as a write took; but a write may
# have waited for a lock, so there is a maximum.
MAX_REST_SECONDS = GATHER_SECONDS_WHEN_BUSY
# The start of shorter runs is not published.
SHORT_RUN_SECONDS = 0.1
OUTPUT_GATHER_SECONDS = 0.05
RETRY_SECONDS = 0.5
CLOSE_SECONDS = 2.0
# A program of another runtime is left to the workers of the other release for about a minute.
MISMATCHES = 12
MISMATCH_SECONDS = 5.0

DATABASE_AWAY = (OperationalError, InterfaceError)

T = TypeVar("T")


@dataclass(slots=True)
class _Buffer:
    """The data to be written next."""

    topic_ids: set[int] = field(default_factory=set)
    started: list[Run] = field(default_factory=list)
    outcomes: list[tuple[Run, Outcome]] = field(default_factory=list)
    released: list[tuple[Run, Release]] = field(default_factory=list)
    with_output: dict[int, Run] = field(default_factory=dict)  # by identity
    is_urgent: bool = False

    def __bool__(self) -> bool:
        return bool(
            self.topic_ids or self.started or self.outcomes or self.released or self.with_output
        )

    @property
    def is_held(self) -> bool:
        """Whether any of its runs still belongs to this worker."""
        ended = (run for run, _ in [*self.outcomes, *self.released])
        return not all(run.is_lost for run in [*self.started, *self.with_output.values(), *ended])


class ResultWriter:
    """A writer thread; calls `on_written` for each run that is completely written."""

    def __init__(self, on_written: Callable[[Run], None], progress: Progress | None = None) -> None:
        self._on_written = on_written
        self._progress = progress or Progress()
        self._changed = threading.Condition()
        self._buffer = _Buffer()
        self._started: dict[int, tuple[Run, float]] = {}  # by identity: the run, when it started
        self._wakes_at = -math.inf  # when the thread wakes up by itself
        # Numbers of flushes: the last requested, written, and with its follow-ups run.
        self._flush_requested = self._written = self._followed_up = 0
        self.ready_count = 0  # changes when writing may have made programs ready
        self._wrote_at = self._resting_until = self._output_at = 0.0
        self._gather_seconds = GATHER_SECONDS
        self._is_closing = False
        self._thread = threading.Thread(target=self._work, name="flusher", daemon=True)
        self._follow_ups = FollowUpThread(self._on_follow_up_pass)
        self._thread.start()

    def set_load(self, *, is_busy: bool) -> None:
        """Set whether many programs are waiting; then larger batches are written."""
        self._gather_seconds = GATHER_SECONDS_WHEN_BUSY if is_busy else GATHER_SECONDS

    def add_topics(self, topic_ids: Iterable[int]) -> None:
        """Sequence these topics."""
        with self._changed:
            self._buffer.topic_ids.update(topic_ids)
            self._wake_if_due()

    def add_started(self, run: Run) -> None:
        """Publish the start of the run, unless it ends within SHORT_RUN_SECONDS."""
        with self._changed:
            self._started[id(run)] = (run, time.monotonic())
            self._wake_if_due()

    def add_outcome(self, run: Run, outcome: Outcome, *, urgent: bool) -> None:
        """Record the outcome; an urgent one is written soon even under load."""
        with self._changed:
            self._started.pop(id(run), None)
            self._buffer.outcomes.append((run, outcome))
            self._buffer.is_urgent = self._buffer.is_urgent or urgent
            self._wake_if_due()

    def add_release(
        self, run: Run, outcome: Attempt.Outcome, error: str = "", *, delay: float = 0
    ) -> None:
        """End the run's attempt without a result; the next one is `delay` seconds later."""
        exclusive = outcome == Attempt.Outcome.REPEATED
        released = Release(
            run.claim.execution_id, run.claim.token, outcome, error, exclusive, delay
        )
        with self._changed:
            self._started.pop(id(run), None)
            self._buffer.released.append((run, released))
            self._wake_if_due()

    def add_unbuilt(self, run: Run, error: Exception) -> None:
        """End the run's attempt as its program can't be built; perhaps another release's can."""
        trace = format_traceback(error)
        if isinstance(error, RuntimeMismatch) and run.claim.token <= MISMATCHES:
            self.add_release(run, Attempt.Outcome.HANDED_BACK, trace, delay=MISMATCH_SECONDS)
        else:
            self.add_release(run, Attempt.Outcome.FAILED, trace)

    def add_output(self, run: Run) -> None:
        """Publish the run's new lines."""
        with self._changed:
            if not self._buffer.with_output:
                self._output_at = time.monotonic()
            self._buffer.with_output[id(run)] = run
            self._wake_if_due()

    def flush(self) -> int:
        """Request that everything is written and followed up at once; return the flush's number."""
        with self._changed:
            self._flush_requested += 1
            self._changed.notify_all()
            return self._flush_requested

    def wait_written(self, flush: int, timeout_seconds: float) -> bool:
        """Wait until the flush has written; false on timeout."""
        with self._changed:
            return self._changed.wait_for(lambda: self._written >= flush, timeout_seconds)

    def wait_followed_up(self, flush: int, ready_count: int, timeout_seconds: float) -> bool:
        """Wait until the flush's follow-ups have run, or `ready_count` differs from this value.

        Returns whether the follow-ups have run.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: self._followed_up >= flush or self.ready_count != ready_count,
                timeout_seconds,
            )
            return self._followed_up >= flush

    def close(self) -> None:
        """Write the rest, if the database accepts it, and end the threads."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
        self._thread.join(timeout=CLOSE_SECONDS)
        self._follow_ups.close(CLOSE_SECONDS)

    def _work(self) -> None:
        mark_follow_up_thread()
        try:
            with self._progress.statements():
                while not self._is_closing or self._buffer:
                    self._write(self._next_buffer())
        finally:
            connection.close()

    def _next_buffer(self) -> _Buffer:
        """Wait until a write is due; return its data."""
        with self._changed:
            while (due_at := self._due_at()) > (now := time.monotonic()):
                self._wakes_at = due_at
                self._changed.wait(due_at - now if due_at < math.inf else None)
            self._wakes_at = -math.inf
            buffer, self._buffer = self._buffer, _Buffer()
            if not self._is_flushing and time.monotonic() < self._output_at + OUTPUT_GATHER_SECONDS:
                self._buffer.with_output, buffer.with_output = buffer.with_output, {}
            buffer.started = self._take_started(now, buffer.with_output)
            return buffer

    @property
    def _is_flushing(self) -> bool:
        return self._is_closing or self._flush_requested > self._written

    def _take_started(self, now: float, with_output: Container[int]) -> list[Run]:
        """Take the runs that have lasted SHORT_RUN_SECONDS or have output to publish."""
        taken = [
            run
            for ident, (run, at) in self._started.items()
            if at + SHORT_RUN_SECONDS <= now or ident in with_output
        ]
        for run in taken:
            del self._started[id(run)]
        return taken

    def _wake_if_due(self) -> None:
        """Wake the thread if a write is due before it wakes up by itself."""
        if self._due_at() < self._wakes_at:
            self._changed.notify_all()

    def _due_at(self) -> float:
        """Return when the next write is due, on the monotonic clock."""
        buffer = self._buffer
        if self._is_flushing or len(buffer.outcomes) >= GATHER_MAX:
            return -math.inf
        due_at = [math.inf]
        if self._started:
            _, began_at = next(iter(self._started.values()))
            due_at.append(began_at + SHORT_RUN_SECONDS)
        if buffer.topic_ids or buffer.outcomes or buffer.released:
            gather_seconds = GATHER_SECONDS if buffer.is_urgent else self._gather_seconds
            due_at.append(max(self._wrote_at + gather_seconds, self._resting_until))
        if buffer.with_output:
            due_at.append(self._output_at + OUTPUT_GATHER_SECONDS)
        return min(due_at)

    def _write(self, buffer: _Buffer) -> None:
        with self._changed:
            flush = self._flush_requested
        if buffer:
            with self._progress.step():
                self._write_until_accepted(buffer)
        with self._changed:
            if flush > self._written and not self._buffer:
                self._written = flush
                self._follow_ups.run_now(flush)
                self._changed.notify_all()

    def _on_follow_up_pass(self, ran: int, followed_up: int) -> None:
        """Store that follow-ups have run, up to this flush."""
        with self._changed:
            self.ready_count += ran
            self._followed_up = max(self._followed_up, followed_up)
            self._changed.notify_all()

    def _write_until_accepted(self, buffer: _Buffer) -> None:
        """Retry until the database accepts the data or all of its runs are lost."""
        while True:
            try:
                self._write_all(buffer)
                return
            except DATABASE_AWAY as error:
                log.warning("writing failed, the database is away: %s", error)
                connection.close()
            except Exception:
                log.exception("writing failed; the runs are repeated when their leases end")
                for run, _ in [*buffer.outcomes, *buffer.released]:
                    self._on_written(run)
                return
            if self._is_closing or not buffer.is_held:
                return
            time.sleep(RETRY_SECONDS)

    def _mark_written(self) -> None:
        self._wrote_at = time.monotonic()
        self._follow_ups.schedule()

    def _write_all(self, buffer: _Buffer) -> None:
        """Write one kind of data after the other.

        Each is removed from the buffer once it is committed, so that a retry doesn't repeat it.
        """
        began = time.monotonic()
        if buffer.topic_ids or buffer.outcomes or buffer.released:
            self._mark_written()
        if started := [run for run in buffer.started if not run.is_lost]:
            buffer.topic_ids.update(publish_started(started))
        buffer.started = []
        if with_output := [run for run in buffer.with_output.values() if not run.is_lost]:
            buffer.topic_ids.update(publish_output(with_output))
        buffer.with_output = {}
        buffer.topic_ids.update(self._record(_still_held(buffer.outcomes)))
        buffer.outcomes = []
        if released := _still_held(buffer.released):
            buffer.topic_ids.update(release([ended for _, ended in released]))
            self.ready_count += len(released)
            for run, _ in released:
                self._on_written(run)
        buffer.released = []
        sequence_topics(buffer.topic_ids)
        buffer.topic_ids = set()
        now = time.monotonic()
        self._resting_until = now + min(now - began, MAX_REST_SECONDS)

    def _record(self, outcomes: Sequence[tuple[Run, Outcome]]) -> list[int]:
        """Record these together; if that fails, one by one, so that a bad one affects no other.

        Returns the ids of topics to sequence.
        """
        if not outcomes:
            return []
        try:
            topic_ids = record(outcomes)
        except DATABASE_AWAY:
            raise
        except Exception as error:
            if len(outcomes) > 1:
                return [topic_id for outcome in outcomes for topic_id in self._record([outcome])]
            log.exception("recording an outcome failed")
            trace = format_traceback(error)
            claim = outcomes[0][0].claim
            failed = Release(claim.execution_id, claim.token, Attempt.Outcome.FAILED, trace)
            topic_ids = release([failed])
        for run, _ in outcomes:
            self._on_written(run)
        return topic_ids


def _still_held(pairs: Sequence[tuple[Run, T]]) -> list[tuple[Run, T]]:
    return [pair for pair in pairs if not pair[0].is_lost]
