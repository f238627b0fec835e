"""Writes what runs bring while the next ones run: gathered, so that many share a transaction.

Gathering waits only while something was written just before: what comes first is seen at once.
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
from runner.sandbox import Outcome
from runner.telemetry.progress import Progress
from runner.telemetry.tracebacks import format_traceback
from runner.workers.follow_up_thread import FollowUpThread
from runner.workers.recorder import Run, publish_output, publish_started, record
from runner.workers.release import Release, release

log = logging.getLogger(__name__)

GATHER_SECONDS = 0.025
# With much more waiting, what is gathered longer costs less, and nobody misses a quarter second.
GATHER_SECONDS_WHEN_BUSY = 0.25
GATHER_MAX = 32
# Writing takes from what runs, so at most half of the time is spent on it; what waited long for
# a lock is no reason to rest as long.
MAX_REST_SECONDS = GATHER_SECONDS_WHEN_BUSY
# Of what ends sooner nobody is told that it has begun: few could have seen it.
SHORT_RUN_SECONDS = 0.1
OUTPUT_GATHER_SECONDS = 0.05
RETRY_SECONDS = 0.5
CLOSE_SECONDS = 2.0

DATABASE_AWAY = (OperationalError, InterfaceError)

T = TypeVar("T")


@dataclass(slots=True)
class _Buffer:
    """What is to be written."""

    topic_ids: set[int] = field(default_factory=set)
    begun: list[Run] = field(default_factory=list)
    outcomes: list[tuple[Run, Outcome]] = field(default_factory=list)
    released: list[tuple[Run, Release]] = field(default_factory=list)
    talking: dict[int, Run] = field(default_factory=dict)  # by identity
    is_urgent: bool = False

    def __bool__(self) -> bool:
        return bool(self.topic_ids or self.begun or self.outcomes or self.released or self.talking)

    @property
    def has_ours(self) -> bool:
        """Whether it says anything of a run that has not been taken away."""
        ended = (run for run, _ in [*self.outcomes, *self.released])
        return not all(run.is_dropped for run in [*self.begun, *self.talking.values(), *ended])


class ResultWriter:
    """A thread that writes; `forget` is told of each run of which nothing is left to write."""

    def __init__(self, forget: Callable[[Run], None], progress: Progress | None = None) -> None:
        self._forget = forget
        self._progress = progress or Progress()
        self._changed = threading.Condition()
        self._load = _Buffer()
        self._begun: dict[int, tuple[Run, float]] = {}  # by identity: what runs, and since when
        self._looks_at = -math.inf  # when the writer wakes up by itself
        self._settle_wanted = self._written = self._settled = 0
        self.made_ready = 0  # how often something may have become ready by what was written
        self._wrote_at = self._rests_until = self._output_at = 0.0
        self._gather_seconds = GATHER_SECONDS
        self._is_closing = False
        self._thread = threading.Thread(target=self._work, name="flusher", daemon=True)
        self._follow_ups = FollowUpThread(self._note_pass)
        self._thread.start()

    def expect(self, *, is_busy: bool) -> None:
        """Take note whether much more is waiting than what is being executed."""
        self._gather_seconds = GATHER_SECONDS_WHEN_BUSY if is_busy else GATHER_SECONDS

    def join(self, topic_ids: Iterable[int]) -> None:
        """Have these topics joined."""
        with self._changed:
            self._load.topic_ids.update(topic_ids)
            self._wake_in_time()

    def begin(self, run: Run) -> None:
        """Have it told that the run has begun, unless it ends within a moment."""
        with self._changed:
            self._begun[id(run)] = (run, time.monotonic())
            self._wake_in_time()

    def record(self, run: Run, outcome: Outcome, *, urgent: bool) -> None:
        """Have the outcome recorded; what is urgent is gathered as where little is waiting."""
        with self._changed:
            self._begun.pop(id(run), None)
            self._load.outcomes.append((run, outcome))
            self._load.is_urgent = self._load.is_urgent or urgent
            self._wake_in_time()

    def release(self, run: Run, outcome: Attempt.Outcome, error: str = "") -> None:
        """Have the run's attempt ended without a result."""
        alone = outcome == Attempt.Outcome.REPEATED
        released = Release(run.claim.execution_id, run.claim.token, outcome, error, alone=alone)
        with self._changed:
            self._begun.pop(id(run), None)
            self._load.released.append((run, released))
            self._wake_in_time()

    def tell_output(self, run: Run) -> None:
        """Have the run's new lines told."""
        with self._changed:
            if not self._load.talking:
                self._output_at = time.monotonic()
            self._load.talking[id(run)] = run
            self._wake_in_time()

    def settle(self) -> int:
        """Have all written and followed up that there is by now; return the number of this wish."""
        with self._changed:
            self._settle_wanted += 1
            self._changed.notify_all()
            return self._settle_wanted

    def is_written(self, wish: int, timeout_seconds: float) -> bool:
        """Wait until all is written; false if that takes longer."""
        with self._changed:
            return self._changed.wait_for(lambda: self._written >= wish, timeout_seconds)

    def is_settled(self, wish: int, made_ready: int, timeout_seconds: float) -> bool:
        """Wait until all is followed up as well; false if that takes longer.

        Nor is it waited for when something may have become ready since there was `made_ready`.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: self._settled >= wish or self.made_ready != made_ready, timeout_seconds
            )
            return self._settled >= wish

    def close(self) -> None:
        """Write what is there, if the database takes it, and end the threads."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
        self._thread.join(timeout=CLOSE_SECONDS)
        self._follow_ups.close(CLOSE_SECONDS)

    def _work(self) -> None:
        mark_follow_up_thread()
        try:
            with self._progress.statements():
                while not self._is_closing or self._load:
                    self._write(self._next_load())
        finally:
            connection.close()

    def _next_load(self) -> _Buffer:
        """Wait until something is due; take that."""
        with self._changed:
            while (due_at := self._due_at()) > (now := time.monotonic()):
                self._looks_at = due_at
                self._changed.wait(due_at - now if due_at < math.inf else None)
            self._looks_at = -math.inf
            load, self._load = self._load, _Buffer()
            if not self._is_settling and time.monotonic() < self._output_at + OUTPUT_GATHER_SECONDS:
                self._load.talking, load.talking = load.talking, {}
            load.begun = self._take_begun(now, load.talking)
            return load

    @property
    def _is_settling(self) -> bool:
        return self._is_closing or self._settle_wanted > self._written

    def _take_begun(self, now: float, talking: Container[int]) -> list[Run]:
        """Take what has been running for a moment, or of which there is output to tell."""
        taken = [
            run
            for ident, (run, at) in self._begun.items()
            if at + SHORT_RUN_SECONDS <= now or ident in talking
        ]
        for run in taken:
            del self._begun[id(run)]
        return taken

    def _wake_in_time(self) -> None:
        """Wake the writer if something is due before it wakes up; each time costs both threads."""
        if self._due_at() < self._looks_at:
            self._changed.notify_all()

    def _due_at(self) -> float:
        """Return when something must be written, on the monotonic clock."""
        load = self._load
        if self._is_settling or len(load.outcomes) >= GATHER_MAX:
            return -math.inf
        due_at = [math.inf]
        if self._begun:
            _, began_at = next(iter(self._begun.values()))
            due_at.append(began_at + SHORT_RUN_SECONDS)
        if load.topic_ids or load.outcomes or load.released:
            gather_seconds = GATHER_SECONDS if load.is_urgent else self._gather_seconds
            due_at.append(max(self._wrote_at + gather_seconds, self._rests_until))
        if load.talking:
            due_at.append(self._output_at + OUTPUT_GATHER_SECONDS)
        return min(due_at)

    def _write(self, load: _Buffer) -> None:
        with self._changed:
            settling = self._settle_wanted
        if load:
            with self._progress.step():
                self._insist(load)
        with self._changed:
            if settling > self._written and not self._load:
                self._written = settling
                self._follow_ups.demand(settling)
                self._changed.notify_all()

    def _note_pass(self, ran: int, settled: int) -> None:
        """Take note that so many follow-ups were run, and all that was written for this wish."""
        with self._changed:
            self.made_ready += ran
            self._settled = max(self._settled, settled)
            self._changed.notify_all()

    def _insist(self, load: _Buffer) -> None:
        """Write until the database has taken it, or nothing of it is ours any more."""
        while True:
            try:
                self._write_all(load)
                return
            except DATABASE_AWAY as error:
                log.warning("the database does not take what was executed: %s", error)
                connection.close()
            except Exception:
                log.exception("what was executed is left until its leases end")
                for run, _ in [*load.outcomes, *load.released]:
                    self._forget(run)
                return
            if self._is_closing or not load.has_ours:
                return
            time.sleep(RETRY_SECONDS)

    def _note_written(self) -> None:
        self._wrote_at = time.monotonic()
        self._follow_ups.expect()

    def _write_all(self, load: _Buffer) -> None:
        """Each kind leaves the load once it is committed, so that trying again repeats nothing."""
        began = time.monotonic()
        if load.topic_ids or load.outcomes or load.released:
            self._note_written()
        if begun := [run for run in load.begun if not run.is_dropped]:
            load.topic_ids.update(publish_started(begun))
        load.begun = []
        if talking := [run for run in load.talking.values() if not run.is_dropped]:
            load.topic_ids.update(publish_output(talking))
        load.talking = {}
        load.topic_ids.update(self._record(_still_held(load.outcomes)))
        load.outcomes = []
        if released := _still_held(load.released):
            load.topic_ids.update(release([ended for _, ended in released]))
            self.made_ready += len(released)
            for run, _ in released:
                self._forget(run)
        load.released = []
        sequence_topics(load.topic_ids)
        load.topic_ids = set()
        now = time.monotonic()
        self._rests_until = now + min(now - began, MAX_REST_SECONDS)

    def _record(self, outcomes: Sequence[tuple[Run, Outcome]]) -> list[int]:
        """Record these together; where that fails, each by itself, so that one harms no other.

        Return the topics to join.
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
            log.exception("an outcome could not be recorded")
            trace = format_traceback(error)
            claim = outcomes[0][0].claim
            failed = Release(claim.execution_id, claim.token, Attempt.Outcome.FAILED, trace)
            topic_ids = release([failed])
        for run, _ in outcomes:
            self._forget(run)
        return topic_ids


def _still_held(pairs: Sequence[tuple[Run, T]]) -> list[tuple[Run, T]]:
    return [pair for pair in pairs if not pair[0].is_dropped]
