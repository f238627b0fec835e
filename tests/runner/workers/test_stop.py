"""Workers that are told to stop: within ten seconds, whatever is under way or away."""

import signal
from pathlib import Path

import pytest
from django.db import connection

from runner.jobs import STOP_SECONDS
from runner.models import Attempt, Execution, Result, Task
from runner.operations.sweeper import sweep
from runner.pipelines.doorbell import notify_workers
from runner.states import State
from runner.workers.drainer import FLUSH_WHEN_STOPPING_SECONDS, STOP_GRACE_SECONDS
from tests.patience import PATIENCE_SECONDS
from tests.runner.workers.test_processes import (
    ENDLESS,
    ENDLESS_MS,
    await_begun,
    let_others_connect,
    outcomes,
)
from tests.support.batches import (
    await_end,
    expire_leases,
    make_due,
    program,
    submit,
    worker_process,
)

pytestmark = pytest.mark.django_db(transaction=True)

PROMISED_SECONDS = 10
# Longer than a worker that is told to stop waits for it, and short enough to be run once more.
LONG = "import time\nprint('begun')\ntime.sleep(7)"


def test_in_earnest_stopping_waits_for_less_than_promised() -> None:
    assert STOP_GRACE_SECONDS + FLUSH_WHEN_STOPPING_SECONDS < STOP_SECONDS < PROMISED_SECONDS


def test_what_a_stopped_worker_hands_back_another_runs_as_if_for_the_first_time(
    tmp_path: Path,
) -> None:
    with worker_process(tmp_path) as first:
        batch = submit([program(LONG, wall_ms=60_000), program()])
        await_begun()
        first.terminate()
        assert first.wait(PATIENCE_SECONDS) == 0
    assert set(outcomes()) == {"handed_back"}
    assert set(Execution.objects.values_list("state", "attempts")) == {(State.PENDING, 0)}
    with worker_process(tmp_path):
        notify_workers()
        await_end(batch)
    assert set(Result.objects.values_list("verdict", "attempt")) == {("passed", 1)}
    assert set(Execution.objects.values_list("attempts", flat=True)) == {1}


def test_worker_that_is_told_twice_stops_no_less_orderly(tmp_path: Path) -> None:
    with worker_process(tmp_path) as worker:
        submit([program(ENDLESS, wall_ms=ENDLESS_MS)])
        await_begun()
        for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGINT):
            worker.send_signal(number)
        assert worker.wait(PATIENCE_SECONDS) == 0
    assert outcomes() == ["handed_back"]
    assert Task.objects.get().state == State.PENDING


def test_worker_stops_and_hands_back_while_redis_is_away(tmp_path: Path) -> None:
    with worker_process(tmp_path, REDIS_URL=f"unix://{tmp_path}/nowhere?db=0") as worker:
        submit([program(ENDLESS, wall_ms=ENDLESS_MS)])
        await_begun()
        worker.terminate()
        assert worker.wait(PATIENCE_SECONDS) == 0
    assert outcomes() == ["handed_back"]
    assert Task.objects.get().state == State.PENDING


def test_worker_stops_while_the_database_is_away_and_its_lease_gives_back_what_it_had(
    tmp_path: Path,
) -> None:
    with worker_process(tmp_path) as worker:
        submit([program(ENDLESS, wall_ms=ENDLESS_MS)])
        await_begun()
        let_others_connect(allowed=False)
        try:
            worker.terminate()
            assert worker.wait(PATIENCE_SECONDS) == 0
        finally:
            let_others_connect(allowed=True)
            connection.close()
    assert outcomes() == [Attempt.Outcome.RUNNING]
    expire_leases()
    assert sweep().released == 1
    make_due()
    assert outcomes() == ["lost"]
    assert Task.objects.get().state == State.PENDING
