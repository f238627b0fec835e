"""Makes programs and batches for these tests, and runs workers on the test database."""

import itertools
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from subprocess import Popen
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from runner.batches.submission import submit_batch
from runner.events.sequencer import sequence_topics
from runner.models import Batch, Event, Execution
from runner.programs.program import PreparedProgram, make_program
from runner.sandbox import Limits, Module, Outcome, Verdict
from runner.states import BatchState, State
from runner.workers.claims import Claim
from runner.workers.recorder import Run, record
from socialcode.embedded.children import start_child, stop_child
from tests.patience import await_that
from tests.support.site import ROOT, url_of_test_database

numbers = itertools.count()
TOPIC = "function:1"
PASSED = Outcome(Verdict.PASSED, loaded=True, cpu_us=1_000, wall_us=2_000)


def program(body: str = "", *, tag: str = "", **limits: int) -> PreparedProgram:
    """Return a program like no other (unless it has a body); it passes if the body does."""
    code = body or f"number = {next(numbers)}"
    source = f"def Subject():\n    return 1\n{code}\n"
    return make_program(
        modules=[Module("Subject", source)],
        entry="script",
        subject="Subject",
        tag=tag,
        limits=Limits(**limits),
    )


def submit(programs: Sequence[PreparedProgram], **wishes: Any) -> Batch:
    """Submit and commit."""
    with transaction.atomic():
        return submit_batch(**{"topic": TOPIC, "cause": "a test", "programs": programs, **wishes})


def events(topic: str = TOPIC, type: str = "") -> list[dict[str, Any]]:  # noqa: A002
    """Return the payloads of the topic's events in their order, of one type or all."""
    rows = Event.objects.filter(topic__name=topic).order_by("seq")
    return [row.payload for row in rows if not type or row.type == type]


def event_types(topic: str = TOPIC) -> list[str]:
    """Return what has happened in the topic."""
    return list(
        Event.objects.filter(topic__name=topic).order_by("seq").values_list("type", flat=True)
    )


def await_end(batch: Batch) -> Batch:
    """Wait until the batch has ended."""

    def has_ended() -> bool:
        batch.refresh_from_db()
        return batch.state != BatchState.OPEN

    await_that(has_ended, what=f"{batch} ends")
    return batch


@contextmanager
def worker_process(folder: Path, **environment: str) -> Iterator[Popen[bytes]]:
    """Run `manage.py worker` on the test database."""
    log = folder / f"worker-{next(numbers)}.log"
    worker = start_child(
        [sys.executable, "manage.py", "worker"],
        log=log,
        folder=ROOT,
        environment={
            **os.environ,
            "DATABASE_URL": url_of_test_database(),
            "SOCIALCODE_LOG_LEVEL": "INFO",
            "PYTHONUNBUFFERED": "1",
            "PYTHONFAULTHANDLER": "1",
            **environment,
        },
        pass_fds=(),
    )
    try:
        await_that(lambda: "is ready" in log.read_text(), what="the worker is ready")
        yield worker
    except BaseException:
        # It says where all of its threads stand.
        if worker.poll() is None:
            stop_child(worker, signal.SIGABRT)
        raise
    finally:
        if worker.poll() is None:
            stop_child(worker, signal.SIGKILL)
        sys.stdout.write(log.read_text()[-10_000:])


def execute(claimed: Claim, outcome: Outcome = PASSED) -> None:
    """Record an outcome as the worker that holds this claim does, and join."""
    sequence_topics(record([(Run(claimed), outcome)]))


def in_threads(*acts: Callable[[], object]) -> None:
    """Do these at once, each over a database connection of its own; raise what the first raises."""

    def act(number: int) -> None:
        try:
            acts[number]()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as threads:
        for done in [threads.submit(act, number) for number in range(len(acts))]:
            done.result()


def is_anybody_waiting_for_a_lock() -> bool:
    """Say whether a session of this database waits for another."""
    with connection.cursor() as cursor:
        cursor.execute("select pg_stat_clear_snapshot()")
        cursor.execute(
            "select exists (select from pg_stat_activity"
            " where datname = current_database() and wait_event_type = 'Lock')"
        )
        return bool(cursor.fetchone()[0])


def expire_leases() -> None:
    """Let the time pass that a lease lasts; locks in key order, as everybody."""
    _update_locked(
        Execution.objects.filter(state=State.IN_PROGRESS),
        leased_until=timezone.now() - timedelta(seconds=1),
    )


def make_due() -> None:
    """Let the time pass that a retry waits; locks in key order, as everybody."""
    _update_locked(Execution.objects.filter(due_at__isnull=False), due_at=None)


@transaction.atomic
def _update_locked(executions: QuerySet[Execution], **values: Any) -> None:
    locked = executions.order_by("key").select_for_update(no_key=True).values_list("pk", flat=True)
    # What has become one of them since isn't, as it would be locked out of order.
    Execution.objects.filter(pk__in=list(locked)).update(**values)


def pages_read(table: str, act: Callable[[], object]) -> int:
    """Return how many pages of the table and its indexes were looked at by this connection."""
    return _grown("heap_blks_hit + idx_blks_hit + heap_blks_read + idx_blks_read", table, act)


def rows_read(table: str, act: Callable[[], object]) -> int:
    """Return how many rows of the table were looked at by this connection."""
    return _grown("idx_tup_fetch + seq_tup_read", table, act)


def _grown(counters: str, table: str, act: Callable[[], object]) -> int:
    before = _counted(counters, table)
    act()
    return _counted(counters, table) - before


def _counted(counters: str, table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute("select pg_stat_force_next_flush()")
        cursor.execute(
            f"select {counters} from pg_statio_user_tables join pg_stat_user_tables"  # noqa: S608
            " using (relid) where relid = %s::regclass",
            [table],
        )
        (counted,) = cursor.fetchone()
    return int(counted)
