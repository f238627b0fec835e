"""Sweeping: whatever a crash leaves behind is set going again."""

import socket
import threading
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
import redis
from django.conf import settings
from django.core.management import call_command
from django.utils import timezone
from pytest_django.fixtures import Settings

from runner import jobs
from runner.models import Batch, OutboxEvent
from runner.operations.sweeper import sweep
from runner.pipelines import doorbell
from runner.pipelines.doorbell import notify_workers
from runner.sandbox import Pool
from runner.states import BatchState
from runner.workers.claims import claim
from runner.workers.recorder import Run, record
from tests.patience import PATIENCE_SECONDS, await_that
from tests.support.batches import PASSED, event_types, expire_leases, program, submit

pytestmark = pytest.mark.django_db(transaction=True)


def bells() -> int:
    return int(redis.Redis.from_url(settings.REDIS_URL).llen("rq:queue:runs"))


@pytest.fixture(autouse=True)
def no_bells() -> None:
    redis.Redis.from_url(settings.REDIS_URL).flushdb()


def make_old() -> None:
    long_ago = timezone.now() - timedelta(seconds=10)
    OutboxEvent.objects.update(created_at=long_ago)
    Batch.objects.update(created_at=long_ago)


def test_submitting_rings_for_every_worker_and_never_more() -> None:
    for _ in range(5):
        submit([program()])
    assert bells() == settings.WORKERS == 2


def test_nothing_rings_for_what_is_known() -> None:
    submit([])
    assert bells() == 0


def test_sweeper_rings_again_for_a_bell_that_was_lost() -> None:
    submit([program()])
    redis.Redis.from_url(settings.REDIS_URL).flushdb()
    swept = sweep()
    assert swept.is_work_ready
    assert swept.notified
    assert bells() == 2


def test_idle_worker_rings_again_for_what_another_heard_of_and_never_took(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jobs, "SWEEP_SECONDS", 100 * PATIENCE_SECONDS)
    monkeypatch.setattr(jobs, "POLL_SECONDS", 0.02)
    submit([program()])
    redis.Redis.from_url(settings.REDIS_URL).flushdb()  # it has heard the bell, and stands still
    worker = jobs.WorkerProcess(Pool(1))
    sweeper = threading.Thread(target=worker._sweep)
    sweeper.start()
    try:
        await_that(bells, what="the bell is rung again")
    finally:
        worker._stopping.set()
        sweeper.join()
        worker._drainer.close()


def test_sweeper_does_not_ring_for_nothing() -> None:
    swept = sweep()
    assert (swept.is_work_ready, swept.notified) == (False, False)
    assert bells() == 0


def test_sweeper_joins_what_a_crash_left_after_its_commit() -> None:
    batch = submit([program()])
    (claimed,) = claim("a worker").claims
    record([(Run(claimed), PASSED)])  # and the worker is no more
    assert sweep().sequenced == 0  # too early: somebody may be about to join
    make_old()
    assert sweep().sequenced == 1
    batch.refresh_from_db()
    assert batch.state == BatchState.COMPLETE
    assert event_types()[-1] == "batch.finished"


def test_sweeper_completes_a_batch_whose_events_are_all_numbered() -> None:
    batch = submit([])
    Batch.objects.all().delete()
    batch = Batch.objects.create(topic=batch.topic, cause="a test", all_tasks_loaded=True)
    make_old()
    sweep()
    batch.refresh_from_db()
    assert batch.state == BatchState.COMPLETE


def test_no_more_workers_are_woken_than_can_have_some_of_what_is_ready(settings: Settings) -> None:
    settings.WORKERS = 3
    queue = doorbell._queue()
    queue.connection.delete(queue.key)
    bells = []
    for programs in (1, 0, 1, 5):
        submit([program() for _ in range(programs)])
        bells.append(doorbell.read_queue_state().bells)
    queue.connection.delete(queue.key)
    assert bells == [1, 1, 2, 3]


def test_bell_that_cannot_be_rung_delays_nobody_twice(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis accepts connections and answers nothing, as when it is stopped."""
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "silent"))
        silent.listen()
        silent.setblocking(False)
        url = f"unix://{tmp_path}/silent?db=0"
        settings.RQ_QUEUES = {"runs": {**settings.RQ_QUEUES["runs"], "URL": url}}
        monkeypatch.setattr(doorbell, "REDIS_PAUSE_SECONDS", 60)
        doorbell._queue.cache_clear()
        try:
            assert not notify_workers()
            assert not notify_workers()
            assert submit([program()]).pk
            silent.accept()[0].close()
            with pytest.raises(BlockingIOError):  # nobody else has come
                silent.accept()
        finally:
            doorbell._queue.cache_clear()
            doorbell._paused_until = 0.0


def test_sweep_command_says_what_it_found() -> None:
    submit([program()])
    assert claim("lost").claims
    expire_leases()
    said = StringIO()
    call_command("sweep", stdout=said)
    assert said.getvalue().startswith("1 released, 0 sequenced, no work is ready")
