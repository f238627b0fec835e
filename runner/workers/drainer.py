"""The drainer: claims ready programs and runs them in the sandbox until none is left.

No transaction is open while a program runs. Six threads share the work: one runs programs, one
claims the next ones, one writes results, one runs follow-ups, one extends leases and one checks
that they are extended.
"""

import logging
import threading
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from django.db import connection

from runner.models import Attempt
from runner.sandbox import Cancelled, LogLine, Outcome, Pool, Program, SandboxBroken, Verdict
from runner.states import MAX_ATTEMPTS
from runner.telemetry.counters import count
from runner.telemetry.families import SANDBOX_FAILURES
from runner.telemetry.progress import Progress
from runner.telemetry.tracebacks import format_traceback
from runner.workers.claims import MAX_CLAIMS, Claim, build_programs, claim
from runner.workers.leases import LeaseKeeper
from runner.workers.recorder import Run
from runner.workers.writer import DATABASE_AWAY, ResultWriter

log = logging.getLogger(__name__)

# Running programs may take this long to finish when the worker stops.
STOP_GRACE_SECONDS = 4.0
FLUSH_WHEN_STOPPING_SECONDS = 2.0
# The delay with which a stop is noticed while waiting for a flush.
FLUSH_POLL_SECONDS = 1.0
STALLED_POLL_SECONDS = 1.0
# The delay with which new programs are claimed while follow-ups are running.
CLAIM_POLL_SECONDS = 0.05
# The next programs are claimed when this many are left to start, so that the sandbox never idles.
CLAIM_AHEAD_BELOW = 8
# Exclusive programs can't be claimed ahead; after this many claims, they get their chance.
MAX_CLAIMS_IN_A_ROW = 16
# This many breakages in a row are the machine's fault, not a program's: the rest is handed back.
MAX_BREAKAGES_IN_A_ROW = 2
DATABASE_TRIES = 4
DATABASE_PAUSE_SECONDS = 0.5
# A run that reached its wall-clock limit with less than this share of its CPU limit either slept or
# got no CPU; an exclusive repetition shows which.
STARVED_CPU_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class _ClaimedWork:
    """The claimed runs, and those of their programs that could be built."""

    runs: Mapping[Hashable, Run]
    programs: Mapping[Hashable, Program]

    @property
    def is_full(self) -> bool:
        """Whether more is probably waiting."""
        return len(self.runs) >= MAX_CLAIMS

    @property
    def is_exclusive(self) -> bool:
        return any(run.claim.exclusive for run in self.runs.values())


class Drainer:
    """Runs ready programs. Closes the given pool."""

    def __init__(self, pool: Pool, worker: str) -> None:
        self._pool = pool
        self._worker = worker
        self._lock = threading.Lock()
        self._claimer = ThreadPoolExecutor(1, "claimer")
        self._next_work: Future[_ClaimedWork | None] | None = None
        self._stopping = threading.Event()
        self._sandbox_works = True
        self._grace = threading.Timer(STOP_GRACE_SECONDS, lambda: self._cancel(self._held.all()))
        self._grace.daemon = True
        self._progress = Progress()
        self._held = LeaseKeeper(self._cancel, self._progress)
        self._writer = ResultWriter(self._held.remove, self._progress)

    @property
    def is_healthy(self) -> bool:
        """Whether the sandbox works and the database makes progress, as far as is known."""
        return self._sandbox_works and not self._progress.is_stalled

    @property
    def is_idle(self) -> bool:
        """Whether no thread is draining."""
        return not self._lock.locked()

    def drain(self, *, wait: bool = True) -> None:
        """Run programs until none is ready; without `wait`, return if another thread does it."""
        if not self._lock.acquire(blocking=wait):
            return
        try:
            # Each try replaces one broken connection.
            for _ in range(DATABASE_TRIES):
                if self._drain_once():
                    break
                self._stopping.wait(DATABASE_PAUSE_SECONDS)
        finally:
            self._lock.release()

    def stop(self) -> None:
        """Start no more programs; hand back waiting ones, and after a grace period running ones.

        Idempotent.
        """
        if self._stopping.is_set():
            return
        self._stopping.set()
        self._pool.begin_no_more()
        self._grace.start()

    def close(self) -> None:
        """Stop, wait for running programs, and end all threads and the sandbox."""
        self.stop()
        with self._lock:
            self._grace.cancel()
            self._claimer.shutdown()
            self._writer.close()
            self._held.close()
            self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _drain_once(self) -> bool:
        """Drain; false if the database is away."""
        try:
            self._drain()
        except DATABASE_AWAY as error:
            log.warning("the database is away: %s", error)
            connection.close()
            return False
        except Exception:
            log.exception("draining failed")
            connection.close()
        return True

    def _drain(self) -> None:
        """Run programs until none is ready and no follow-up makes any ready."""
        flush = 0
        while not self._stopping.is_set():
            if self._progress.is_stalled:
                # The database hangs, so results could not be written.
                self._stopping.wait(STALLED_POLL_SECONDS)
                continue
            made_ready = self._writer.ready_count
            work = self._claim()
            if work is not None:
                flush = 0
                if not self._run_all(work):
                    break
                continue
            flush = flush or self._writer.flush()
            if self._writer.wait_followed_up(flush, made_ready, CLAIM_POLL_SECONDS):
                if self._writer.ready_count == made_ready:
                    return
                flush = 0
        self._writer.wait_written(self._writer.flush(), FLUSH_WHEN_STOPPING_SECONDS)

    def _await_written(self) -> None:
        """Wait until everything is written, or the worker is stopping."""
        flush = self._writer.flush()
        while not self._writer.wait_written(flush, FLUSH_POLL_SECONDS):
            if self._stopping.is_set():
                return

    def _claim(self, *, ahead: bool = False) -> _ClaimedWork | None:
        """Claim and build programs; None if nothing is ready."""
        with self._progress.statements():
            return self._claim_and_build(ahead=ahead)

    def _claim_and_build(self, *, ahead: bool) -> _ClaimedWork | None:
        claimed = claim(self._worker, ahead=ahead)
        if not claimed.claims:
            return None
        runs: dict[Hashable, Run] = {
            (each.execution_id, each.token): Run(each) for each in claimed.claims
        }
        self._held.add(runs)
        try:
            work = _ClaimedWork(runs, self._build(runs))
        except BaseException:
            self._release_all(runs, Attempt.Outcome.HANDED_BACK)
            raise
        self._writer.set_load(is_busy=work.is_full)
        self._writer.add_topics(claimed.topic_ids)
        return work

    def _claim_ahead(self) -> _ClaimedWork | None:
        """Claim the programs to run next; None if nothing is ready or on errors."""
        try:
            return None if self._progress.is_stalled else self._claim(ahead=True)
        except Exception as error:  # noqa: BLE001 - the next claim will raise it again
            log.warning("claiming ahead failed: %s", error)
            return None
        finally:
            connection.close()

    def _run_all(self, work: _ClaimedWork | None) -> bool:
        """Run this work and all that is claimed meanwhile; false if the sandbox is broken."""
        while work is not None:
            if work.is_exclusive:
                # It may take the worker down: nothing else should be lost then.
                self._await_written()
            runs = dict(work.runs)
            is_healthy = False
            try:
                is_healthy = self._run(work, runs)
            except Exception as error:
                self._release_all(runs, Attempt.Outcome.FAILED, error)
                raise
            finally:
                work = self._take_claimed_ahead()
                if work is not None and not is_healthy:
                    self._release_all(work.runs, Attempt.Outcome.HANDED_BACK)
            self._release_all(runs, Attempt.Outcome.HANDED_BACK)
            if not is_healthy:
                return False
        return True

    def _run(self, work: _ClaimedWork, runs: dict[Hashable, Run]) -> bool:
        """Run the programs, removing ended ones from `runs`; false if the sandbox is broken."""
        breakages = 0
        for ident, result in self._pool.map(
            self._programs_to_run(work, runs), on_output=self._on_output
        ):
            run = runs.pop(ident)
            self._finish(run, result, runs.values())
            breakages = breakages + 1 if isinstance(result, SandboxBroken) else 0
            self._sandbox_works = breakages < MAX_BREAKAGES_IN_A_ROW
            if not self._sandbox_works:
                log.error("the sandbox is broken: %s", result)
                return False
        return True

    def _programs_to_run(
        self, work: _ClaimedWork, runs: dict[Hashable, Run]
    ) -> Iterator[tuple[Hashable, Program]]:
        """Yield the programs to run, then those claimed meanwhile."""
        for number in range(MAX_CLAIMS_IN_A_ROW):
            has_more = work.is_full and number + 1 < MAX_CLAIMS_IN_A_ROW
            left = len(work.programs)
            for ident, program in work.programs.items():
                if self._stopping.is_set():
                    return
                if has_more and left <= CLAIM_AHEAD_BELOW and self._next_work is None:
                    self._next_work = self._claimer.submit(self._claim_ahead)
                yield ident, program
                # The pool asks for the next program when this one has started.
                if (run := runs.get(ident)) is not None and run.claim.attempt == 1:
                    self._writer.add_started(run)
                left -= 1
            # Waiting for a claim here would delay the results of running programs.
            if self._next_work is None or not self._next_work.done():
                break
            following = self._take_claimed_ahead()
            if following is None:
                break
            runs.update(following.runs)
            work = following

    def _take_claimed_ahead(self) -> _ClaimedWork | None:
        """Return the work that was claimed ahead; waits for a claim that is under way."""
        claiming, self._next_work = self._next_work, None
        return claiming.result() if claiming is not None else None

    def _release_all(
        self,
        runs: Mapping[Hashable, Run],
        outcome: Attempt.Outcome,
        error: Exception | None = None,
    ) -> None:
        trace = format_traceback(error) if error else ""
        for run in runs.values():
            self._writer.add_release(run, outcome, trace)

    def _build(self, runs: dict[Hashable, Run]) -> dict[Hashable, Program]:
        """Build the programs; runs whose program can't be built fail and leave `runs`."""
        results = build_programs([run.claim for run in runs.values()])
        programs: dict[Hashable, Program] = {}
        for ident, run in list(runs.items()):
            program = results[run.claim.execution_id]
            if isinstance(program, Program):
                programs[ident] = program
            else:
                del runs[ident]
                self._writer.add_unbuilt(run, program)
        return programs

    def _finish(
        self, run: Run, result: Outcome | SandboxBroken | Cancelled, rest: Collection[Run]
    ) -> None:
        if isinstance(result, SandboxBroken):
            count(SANDBOX_FAILURES, "run")
            trace = format_traceback(result)
            self._writer.add_release(run, Attempt.Outcome.FAILED, trace)
        elif isinstance(result, Cancelled):
            self._writer.add_release(run, Attempt.Outcome.HANDED_BACK)
        elif _was_starved(run.claim, result):
            self._writer.add_release(run, Attempt.Outcome.REPEATED, result.message)
        else:
            self._writer.add_outcome(run, result, urgent=_is_last_of_owner(run, rest))

    def _on_output(self, ident: Hashable, lines: Sequence[LogLine]) -> None:
        run = self._held.find(ident)
        if run is not None and not run.is_lost:
            run.lines.extend(lines)
            self._writer.add_output(run)

    def _cancel(self, idents: Iterable[Hashable]) -> None:
        for ident in idents:
            self._pool.cancel(ident)


def _is_last_of_owner(run: Run, rest: Collection[Run]) -> bool:
    """Whether its owner has no other run left while others have: the owner may wait for it."""
    owner_id = run.claim.owner_id
    return bool(rest) and all(other.claim.owner_id != owner_id for other in rest)


def _was_starved(claim: Claim, outcome: Outcome) -> bool:
    """Whether a run that was not exclusive reached its wall-clock limit with little CPU time."""
    limits = claim.program["limits"]
    return (
        outcome.verdict == Verdict.TIME_LIMIT
        and outcome.wall_us >= limits["wall_ms"] * 1_000
        and outcome.cpu_us < limits["cpu_ms"] * 1_000 * STARVED_CPU_SHARE
        and not claim.exclusive
        and claim.attempt < MAX_ATTEMPTS
    )
