"""Workers between whom and the database something stands that lets nothing through."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from rq.worker import WorkerStatus

from chaos.processes import descendants
from runner.models import Attempt, Batch, Result
from runner.states import State
from socialcode.embedded.children import start_child, stop_child
from tests.patience import PATIENCE_SECONDS, await_that
from tests.runner.workers.test_processes import (
    ENDLESS,
    ENDLESS_MS,
    await_begun,
    said_in,
    states_of,
)
from tests.support.batches import await_end, program, submit, worker_process
from tests.support.site import ROOT, url_of_test_database

pytestmark = pytest.mark.django_db(transaction=True)

NAME = ".s.PGSQL.5432"


def url_through(folder: Path) -> str:
    """Return where the database is for who comes through the proxy of this folder."""
    return f"postgresql://postgres@/{connection.settings_dict['NAME']}?host={folder}"


@contextmanager
def proxy(folder: Path) -> Iterator[Popen[bytes]]:
    """Have a proxy to the tests' PostgreSQL listen in this folder."""
    (host,) = parse_qs(urlsplit(url_of_test_database()).query)["host"]
    target = Path(host) / NAME
    words = ["-m", "chaos.proxy", str(folder / NAME), str(target)]
    child = start_child([sys.executable, *words], folder=ROOT)
    try:
        await_that((folder / NAME).exists, what="the proxy listens")
        yield child
    finally:
        stop_child(child, signal.SIGKILL)


def test_worker_whose_database_falls_silent_kills_its_own_run_and_its_late_write_is_refused(
    tmp_path: Path,
) -> None:
    silenced = {"DATABASE_URL": url_through(tmp_path), "SOCIALCODE_LEASE_SECONDS": "3"}
    with proxy(tmp_path) as between, worker_process(tmp_path, **silenced) as worker:
        lost = submit([program(ENDLESS, wall_ms=ENDLESS_MS)])
        await_begun()
        runs = descendants(worker.pid)
        between.send_signal(signal.SIGSTOP)
        await_that(lambda: "leases are given up" in said_in(tmp_path), what="the run is let go")
        await_that(lambda: set(runs) - set(descendants(worker.pid)) != set(), what="it is killed")
        with worker_process(tmp_path):
            between.send_signal(signal.SIGCONT)
            assert await_end(submit([program()])).tasks.get().state == State.SUCCEEDED
            await_that(lambda: first_outcome(lost) == Attempt.Outcome.LOST, what="it is missed")
    assert lost.tasks.get().state != State.SUCCEEDED
    assert not Result.objects.filter(execution__tasks__batch=lost).exists()


def test_worker_that_waits_for_a_silent_database_ends_all_the_same_when_told_to(
    tmp_path: Path,
) -> None:
    silenced = {"DATABASE_URL": url_through(tmp_path)}
    with proxy(tmp_path) as between, worker_process(tmp_path, **silenced) as worker:
        await_end(submit([program()]))
        await_that(lambda: WorkerStatus.IDLE in states_of(worker.pid), what="it listens")
        between.send_signal(signal.SIGSTOP)
        batch = submit([program()])
        await_that(lambda: WorkerStatus.BUSY in states_of(worker.pid), what="it wants to claim")
        worker.terminate()
        assert worker.wait(PATIENCE_SECONDS) == 0
    assert batch.tasks.get().state == State.PENDING


def first_outcome(batch: Batch) -> str:
    return Attempt.objects.filter(execution__tasks__batch=batch).order_by("pk")[0].outcome
