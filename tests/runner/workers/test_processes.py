"""Workers as processes: killed, stopped, without Redis, with a sandbox that breaks."""

import os
import platform
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
import redis
from django.conf import settings
from django.db import connection
from rq import Worker
from rq.worker import WorkerStatus

from runner.batches.cancellation import cancel_batches
from runner.models import Attempt, Execution, Result, Task
from runner.operations.sweeper import sweep
from runner.pipelines.doorbell import _queue, notify_workers
from runner.sandbox import Pool
from runner.states import FINAL_STATES, MAX_ATTEMPTS, BatchState, State
from runner.workers.drainer import Drainer
from tests.patience import PATIENCE_SECONDS, await_that
from tests.sandbox.test_standalone import PRCTL, WITHOUT
from tests.support.batches import (
    await_end,
    events,
    expire_leases,
    in_threads,
    make_due,
    program,
    submit,
    worker_process,
)
from tests.support.site import ROOT

pytestmark = pytest.mark.django_db(transaction=True)

# Time enough to be seen to run and then be disturbed, also where the machine is busy.
SLOW = "import time\nprint('begun')\ntime.sleep(1.5)"
# Longer than any test waits: what ends sooner was made to.
ENDLESS = "import time\nprint('begun')\ntime.sleep(600)"
ENDLESS_MS = 600_000
AT_WORK = "at work"  # its name in the database

CUT_OTHERS = """
    select count(pg_terminate_backend(pid)) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
"""
# A kernel that cannot confine: its seccomp answers that it has none.
WITHOUT_SECCOMP = WITHOUT.partition("from runner.sandbox")[0].format(
    option=22, number=PRCTL[platform.machine()]
)


def transactions_at_work() -> int:
    """Count those that are open of a worker that has this name in the database."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select count(*), count(xact_start) from pg_stat_activity"
            " where datname = current_database() and application_name = %s",
            [AT_WORK],
        )
        sessions, transactions = cursor.fetchone()
    assert sessions
    return int(transactions)


def await_begun() -> None:
    """Wait until the code of a program has been seen to run."""
    await_that(lambda: bool(events(type="task.output")), what="a program runs")


def outcomes() -> list[str]:
    return list(Attempt.objects.order_by("id").values_list("outcome", flat=True))


def test_worker_executes_also_without_its_bell_and_kills_what_nobody_wants_any_more(
    tmp_path: Path,
) -> None:
    with worker_process(tmp_path) as worker:
        worker.send_signal(signal.SIGSTOP)
        batch = submit([program() for _ in range(5)])
        redis.Redis.from_url(settings.REDIS_URL).flushdb()
        assert sweep().notified
        worker.send_signal(signal.SIGCONT)
        assert await_end(batch).state == BatchState.COMPLETE
        unwanted = submit([program(ENDLESS, wall_ms=ENDLESS_MS)])
        await_begun()
        cancel_batches([unwanted])
        await_end(submit([program()]))
    assert not Result.objects.filter(execution__tasks__batch=unwanted).exists()
    assert outcomes() == [*["recorded"] * 5, "cancelled", "recorded"]


def test_worker_at_long_work_stays_known_to_rq_and_does_not_wait_for_it_when_told_to_stop(
    tmp_path: Path,
) -> None:
    with worker_process(tmp_path, PGAPPNAME=AT_WORK) as worker:
        submit([program(ENDLESS, wall_ms=ENDLESS_MS)])
        await_begun()
        await_that(lambda: not transactions_at_work(), what="no transaction is open meanwhile")
        (known,) = (one for one in Worker.all(queue=_queue()) if one.pid == worker.pid)
        # Workers that were killed by tests before have left theirs.
        begun = dict(_queue().started_job_registry.get_job_and_execution_ids())
        job_id = known.get_current_job_id()
        redis_keys = (known.key, f"rq:execution:{job_id}:{begun[job_id]}")
        for key in redis_keys:
            _queue().connection.expire(key, 30)
        await_that(
            lambda: all(_queue().connection.ttl(key) > 30 for key in redis_keys),
            what="RQ is told that the work goes on",
        )
        assert known.get_state() == WorkerStatus.BUSY
        worker.terminate()
        assert worker.wait(PATIENCE_SECONDS) == 0
    assert outcomes() == ["handed_back"]
    assert Task.objects.get().state == State.PENDING


def test_program_of_a_killed_worker_has_one_verdict_from_its_second_attempt(
    tmp_path: Path,
) -> None:
    with worker_process(tmp_path) as first:
        batch = submit([program(SLOW)])
        await_begun()
        first.kill()
        first.wait()
    expire_leases()
    assert sweep().released == 1
    make_due()
    with worker_process(tmp_path):
        notify_workers()
        await_end(batch)
    assert outcomes() == ["lost", "recorded"]
    assert Result.objects.get().attempt == 2
    (finished,) = events(type="task.finished")
    assert (finished["verdict"], finished["attempt"]) == ("passed", 2)
    assert [event["attempt"] for event in events(type="task.started")] == [1, 2]


def test_worker_that_was_paused_beyond_its_lease_is_refused(tmp_path: Path) -> None:
    with worker_process(tmp_path) as paused:
        batch = submit([program(SLOW)])
        await_begun()
        paused.send_signal(signal.SIGSTOP)
        expire_leases()
        sweep()
        make_due()
        with worker_process(tmp_path):
            notify_workers()
            await_end(batch)
            paused.send_signal(signal.SIGCONT)
            time.sleep(1)
    assert outcomes() == ["lost", "recorded"]
    assert Result.objects.get().attempt == 2
    assert len(events(type="task.finished")) == 1


def test_worker_executes_while_redis_is_away(tmp_path: Path) -> None:
    with worker_process(tmp_path, REDIS_URL=f"unix://{tmp_path}/nowhere?db=0"):
        batch = submit([program() for _ in range(5)])
        await_end(batch)
    assert batch.state == BatchState.COMPLETE


def test_worker_whose_connections_are_cut_records_what_it_executed(tmp_path: Path) -> None:
    with worker_process(tmp_path, SOCIALCODE_DATABASE_POOL="1"):
        batch = submit([program(f"{SLOW}\n{number}") for number in range(3)])
        await_begun()
        with connection.cursor() as cursor:
            cursor.execute(CUT_OTHERS)
            assert cursor.fetchone()[0] > 0
        await_end(batch)
    assert outcomes() == ["recorded"] * 3


def test_worker_that_is_cut_from_the_database_kills_its_own_run(tmp_path: Path) -> None:
    with worker_process(tmp_path, SOCIALCODE_LEASE_SECONDS="3"):
        lost = submit([program(ENDLESS, wall_ms=ENDLESS_MS)])
        await_begun()
        let_others_connect(allowed=False)
        try:
            await_that(lambda: "leases are given up" in said_in(tmp_path), what="the run is let go")
        finally:
            let_others_connect(allowed=True)
        other = submit([program()])
        await_end(other)
    assert lost.tasks.get().state != State.SUCCEEDED
    assert not Result.objects.filter(execution__tasks__batch=lost).exists()


def said_in(folder: Path) -> str:
    """Return what the workers that log there have said."""
    return "".join(log.read_text() for log in folder.glob("worker-*.log"))


def let_others_connect(*, allowed: bool) -> None:
    """Open the database to other processes, or close it and cut their connections."""
    name = connection.settings_dict["NAME"]
    with connection._nodb_cursor() as cursor:
        cursor.execute(f"alter database {name} with allow_connections {str(allowed).lower()}")
    if not allowed:
        with connection.cursor() as cursor:
            cursor.execute(CUT_OTHERS)


def test_worker_that_is_told_to_stop_finishes_one_and_hands_back_the_rest(tmp_path: Path) -> None:
    with worker_process(tmp_path) as worker:
        submit([program(f"{SLOW}\n{number}") for number in range(4)])
        await_begun()
        worker.terminate()
        assert worker.wait(PATIENCE_SECONDS) == 0
    states = sorted(Task.objects.values_list("state", flat=True))
    assert states == [State.PENDING] * 3 + [State.SUCCEEDED]
    assert set(outcomes()) == {"recorded", "handed_back"}
    assert set(Execution.objects.filter(state=State.PENDING).values_list("attempts")) == {(0,)}


def test_idle_worker_stops_at_once(tmp_path: Path) -> None:
    _queue().connection.delete(_queue().intermediate_queue_key)  # taken by who was killed
    with worker_process(tmp_path, SOCIALCODE_LOG_LEVEL="DEBUG") as worker:
        await_that(
            lambda: not bells() and WorkerStatus.IDLE in states_of(worker.pid),
            what="it listens, and has heard what was rung before",
        )
        worker.send_signal(signal.SIGINT)
        assert worker.wait(PATIENCE_SECONDS) == 0
    assert "interrupted while listening" in said_in(tmp_path)


def bells() -> list[str]:
    """Return those that wait, then those that were taken by a worker that is not busy yet."""
    return [*_queue().job_ids, *_queue().intermediate_queue.get_job_ids()]


def states_of(pid: int) -> list[str]:
    """Return what RQ knows of this worker; those that were killed by tests before left theirs."""
    return [known.get_state() for known in Worker.all(queue=_queue()) if known.pid == pid]


def test_program_at_which_the_sandbox_breaks_is_given_up_and_its_neighbours_done(
    transactional_db: None,
) -> None:
    pool = Pool(1)
    with Drainer(pool, "a worker of this test") as drainer:
        bad = submit([program(SLOW)])
        good = submit([program() for _ in range(3)])

        def break_it() -> None:
            for number in range(1, MAX_ATTEMPTS + 1):
                seen = partial(_has_begun, number)
                await_that(seen, what="it runs")
                assert pool.zygote_pid
                os.kill(pool.zygote_pid, signal.SIGKILL)

        def drain() -> None:
            while bad.tasks.get().state not in FINAL_STATES:
                drainer.drain()
                make_due()

        in_threads(drain, break_it)
    assert bad.tasks.get().state == State.IGNORED
    assert set(good.tasks.values_list("state", flat=True)) == {State.SUCCEEDED}
    tries = Attempt.objects.filter(execution__tasks__batch=bad)
    assert [attempt.outcome for attempt in tries] == ["failed"] * 3
    assert all("SandboxBroken" in attempt.error for attempt in tries)


def _has_begun(times: int) -> bool:
    return len(events(type="task.output")) == times


def test_worker_refuses_to_start_where_programs_cannot_be_confined() -> None:
    command = "from django.core.management import execute_from_command_line as execute\n"
    for name in ("worker", "sandbox_status"):
        script = f"{WITHOUT_SECCOMP}\n{command}execute(['manage.py', {name!r}])"
        ended = subprocess.run(
            [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 1
        assert "seccomp" in ended.stdout + ended.stderr
        assert "Traceback" not in ended.stderr
