"""What operators are told: figures, what is stuck, and what stands in the log."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings, settings
from django.db import transaction
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from runner.models import Batch, Execution, FollowUp, Incident, OutboxEvent
from runner.operations import health, metrics
from runner.operations.health import collect_health, find_problems
from runner.operations.sweeper import sweep
from runner.pipelines import doorbell
from runner.pipelines.follow_ups import run_due_follow_ups
from runner.pipelines.outbox import enqueue_follow_up
from runner.registry import for_each_target, handlers
from runner.sandbox import Outcome, Verdict
from runner.semaphores.semaphore import wait
from runner.telemetry import counters as counting
from runner.telemetry.families import BATCHES
from runner.telemetry.incidents import record_incident
from runner.workers.claims import claim
from runner.workers.recorder import Run, publish_started
from tests.patience import PATIENCE_SECONDS, await_that
from tests.support.batches import execute, expire_leases, program, submit, worker_process
from tests.support.site import ROOT, url_of_test_database

pytestmark = pytest.mark.django_db(transaction=True)

LONG_AGO = timedelta(hours=1)
SECRET = "the-secret-that-a-program-holds"


@pytest.fixture(autouse=True)
def empty_redis() -> None:
    """Begin with counters at nought, and without workers that were killed by tests before."""
    counting.counters.publish()
    counting.counters.client.flushdb()


@pytest.fixture
def redis_away(tmp_path: Path, settings: LazySettings) -> Iterator[None]:
    """Let nothing answer where Redis is looked for."""
    address = f"unix://{tmp_path}/nowhere?db=0"
    former = settings.REDIS_URL, settings.RQ_QUEUES

    def look_at(url: str, queues: dict[str, Any]) -> None:
        settings.REDIS_URL, settings.RQ_QUEUES = url, queues
        doorbell._queue.cache_clear()
        counting.counters._redis = None

    look_at(address, {"runs": {**former[1]["runs"], "URL": address}})
    yield
    look_at(*former)


def figures() -> dict[str, float]:
    """Return all figures, as in `socialcode_open_tasks{state=pending}`."""
    found = {}
    text = metrics._CachedText().text().decode()
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sample.labels.items())
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return {name.removeprefix("socialcode_"): value for name, value in found.items()}


def queue_status(*options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command on the test database."""
    return subprocess.run(
        [sys.executable, "manage.py", "queue_status", *options],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": url_of_test_database(), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def age(rows: Any, field: str) -> None:
    """Let an hour have passed."""
    rows.update(**{field: timezone.now() - LONG_AGO})


def test_figures_follow_what_happens() -> None:
    before = figures()
    assert before["up{engine=postgresql}"] == before["up{engine=redis}"] == 1
    assert before["open_tasks{state=pending}"] == before["claim_delay_seconds_count"] == 0
    submit([program() for _ in range(3)])
    waiting = figures()
    assert (waiting["open_tasks{state=pending}"], waiting["ready_executions"]) == (3, 3)
    assert (waiting["open_batches"], waiting["bells"]) == (1, settings.WORKERS)
    first, second, third = claim("a worker").claims
    running = figures()
    assert (running["ready_executions"], running["running_executions"]) == (0, 3)
    assert running["claim_delay_seconds_count"] == 3
    assert running["claim_delay_seconds_bucket{le=+Inf}"] == 3
    assert running["claim_delay_seconds_sum"] > 0
    execute(first)
    execute(second, Outcome(Verdict.FAILED, loaded=True, cpu_us=1, wall_us=1))
    execute(third)
    ended = figures()
    assert ended["attempts_total{outcome=recorded}"] == 3
    assert ended["verdicts_total{verdict=passed}"] == 2
    assert ended["verdicts_total{verdict=failed}"] == 1
    assert ended["batches_total{state=complete}"] == 1
    assert ended["open_batches"] == ended["running_executions"] == 0


def test_lost_worker_is_a_figure_then_a_counted_attempt_of_no_first_claim() -> None:
    submit([program()])
    claim("a worker")
    expire_leases()
    assert figures()["expired_leases"] == 1
    assert sweep().released == 1
    Execution.objects.update(due_at=None)
    claim("another worker")
    found = figures()
    assert (found["expired_leases"], found["attempts_total{outcome=lost}"]) == (0, 1)
    assert found["claim_delay_seconds_count"] == 1


def test_ages_are_those_of_the_oldest() -> None:
    submit([program()])
    age(Batch.objects, "created_at")
    submit([program()])
    with transaction.atomic():
        topic = Batch.objects.earliest("pk").topic
        OutboxEvent.objects.create(topic=topic, events=[["a.test", {}]])
    age(OutboxEvent.objects, "created_at")
    found = figures()
    assert found["unnumbered_events"] == 1
    for name in ("oldest_pending_seconds", "oldest_unnumbered_event_seconds"):
        assert LONG_AGO.total_seconds() <= found[name] < LONG_AGO.total_seconds() + 60


def test_counts_end_at_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "MAX_COUNTED", 2)
    submit([program() for _ in range(3)])
    assert collect_health().tasks["pending"] == 2


def test_figures_are_kept_for_a_moment() -> None:
    kept = metrics._CachedText()
    first = kept.text()
    submit([program()])
    assert kept.text() is first


def test_what_was_counted_while_redis_was_away_is_not_lost(
    settings: LazySettings, tmp_path: Path
) -> None:
    counters = counting.Counters()
    there, settings.REDIS_URL = settings.REDIS_URL, f"unix://{tmp_path}/nowhere?db=0"
    counters.add({(BATCHES.name, "complete"): 2})
    assert not counters.publish()
    settings.REDIS_URL, counters._redis = there, None
    counters.add({(BATCHES.name, "complete"): 1})
    assert counting.counters.read().get((BATCHES.name, "complete"), 0) in {0, 3}
    assert counters.read()[BATCHES.name, "complete"] == 3


def test_without_redis_the_database_s_figures_are_there(redis_away: None) -> None:
    submit([program()])
    found = figures()
    assert (found["up{engine=redis}"], found["up{engine=postgresql}"]) == (0, 1)
    assert found["open_tasks{state=pending}"] == 1
    assert "workers" not in found


def test_incidents_are_counted_by_kind_for_a_day() -> None:
    for kind in ("deadlock", "page_given_up", "deadlock"):
        record_incident(kind, "a:1 waits for b of a:2, a:2 waits for a of a:1")
    found = figures()
    assert found["incidents_last_day{kind=deadlock}"] == 2
    assert found["incidents_last_day{kind=page_given_up}"] == 1
    Incident.objects.update(created_at=timezone.now() - timedelta(days=2))
    assert not collect_health().incidents


@pytest.mark.usefixtures("step")
def test_a_deadlock_is_stuck_until_one_of_its_holders_is_sent_away() -> None:
    for holder, key in (("x", "a"), ("y", "b"), ("x", "b"), ("y", "a")):
        wait(key, 1, "step", ticket=f"{holder} {key}", holder=holder)
    FollowUp.objects.update(due_at=None)
    (stuck,) = find_problems(collect_health(), workers=1)
    assert "deadlock: x waits for b of y, y waits for a of x" in stuck.description
    assert "delete the follow-ups of one of them" in stuck.remedy
    FollowUp.objects.filter(ticket__holder="x").delete()
    sweep()
    assert find_problems(collect_health(), workers=1) == []


def test_each_thing_that_is_stuck_is_said_with_what_to_do() -> None:
    def said(*, workers: int | None = 1) -> str:
        return "\n".join(
            f"{stuck.description}: {stuck.remedy}"
            for stuck in find_problems(collect_health(), workers=workers)
        )

    batch = submit([program()])
    assert said() == ""
    assert "no worker listens: start `manage.py worker`" in said(workers=0)
    assert said(workers=None) == ""
    age(Batch.objects, "created_at")
    assert "none is being run" in said()
    claim("a worker")
    assert said() == ""
    age(Execution.objects, "leased_until")
    assert "lost their worker, and nobody sweeps" in said()
    OutboxEvent.objects.create(topic=batch.topic, events=[["a.test", {}]])
    age(OutboxEvent.objects, "created_at")
    assert "events are not numbered" in said()
    sweep()
    batch.tasks.update(state=5, finished_at=timezone.now())
    assert f"runs [{batch.pk}] have nothing open and have not ended" in said()


@pytest.fixture
def failing_follow_up() -> Iterator[str]:
    """A follow-up that fails, and waits to be tried again."""

    def fail(_target: str, _rows: Any) -> None:
        raise ValueError("it broke")

    handlers.follow_ups["a test's"] = for_each_target(fail)
    with transaction.atomic():
        enqueue_follow_up("a test's", "something:1")
    run_due_follow_ups()
    yield "a test's something:1"
    del handlers.follow_ups["a test's"]


def test_queue_status_tells_all_and_ends_with_1_where_something_is_stuck(
    failing_follow_up: str,
) -> None:
    submit([program(), program()])
    publish_started([Run(claimed) for claimed in claim("machine:12").claims])
    wait("a key", 1, ticket="a ticket")
    wait("a key", 1, ticket="another ticket")
    record_incident("something", "went wrong\nsecond line")
    ended = queue_status("--json")
    said = json.loads(ended.stdout)
    assert ended.returncode == 1, ended.stderr
    assert (said["postgresql"], said["redis"], said["workers"]) == ("answers", "answers", [])
    assert said["condition"]["tasks"]["in_progress"] == 2
    assert said["condition"]["follow_ups"]["failing"] == 1
    assert [(row["owner"], row["open"]) for row in said["owners"]] == [(None, 2)]
    assert {row["worker"] for row in said["running"]} == {"machine:12"}
    assert all(row["lease_left_seconds"] > 0 for row in said["running"])
    assert [row["error"] for row in said["failing"]] == ["ValueError: it broke"]
    ((semaphore),) = said["semaphores"]
    assert (semaphore["key"], semaphore["held"], semaphore["waiting"]) == ("a key", 1, 1)
    assert [row["detail"] for row in said["incidents"]] == ["went wrong"]
    assert any(failing_follow_up in stuck["what"] for stuck in said["stuck"])
    readable = queue_status(SOCIALCODE_ANALYSIS_SOCKET=settings.ANALYSIS_SOCKET)
    assert readable.returncode == 1
    assert "Checks of source answer" in readable.stdout
    assert f"STUCK: follow-up {failing_follow_up} has failed 1 times" in readable.stdout


def test_queue_status_sees_workers_and_ends_with_0_and_counts_of_all_processes_add_up(
    tmp_path: Path,
) -> None:
    with worker_process(tmp_path) as worker:
        submit([program() for _ in range(4)])
        await_that(
            lambda: figures().get("attempts_total{outcome=recorded}") == 4,
            what="the worker's counts are seen here",
        )
        await_that(lambda: bool(doorbell.read_queue_state().workers), what="the worker listens")
        ended = queue_status("--json")
    assert ended.returncode == 0, ended.stdout
    (name,) = json.loads(ended.stdout)["workers"]
    assert name.endswith(f":{worker.pid}")


def test_queue_status_works_without_redis_and_says_when_the_database_is_away(
    tmp_path: Path,
) -> None:
    nowhere = f"unix://{tmp_path}/nowhere?db=0"
    without = queue_status(REDIS_URL=nowhere)
    assert without.returncode == 0, without.stderr
    assert "Redis is away" in without.stdout
    assert "Nothing is stuck." in without.stdout
    assert "Checks of source are away" in without.stdout
    neither = queue_status(
        REDIS_URL=nowhere, DATABASE_URL=f"postgresql://postgres@/nothing?host={tmp_path}"
    )
    assert neither.returncode == 1
    assert "STUCK: PostgreSQL is away" in neither.stdout
    assert "Traceback" not in neither.stderr


def test_log_lines_are_documents_with_what_they_are_about_and_no_code(
    tmp_path: Path,
) -> None:
    with worker_process(tmp_path, SOCIALCODE_LOG_JSON="1") as worker:
        submit([program(f"import time\nprint('{SECRET}')\ntime.sleep(600)", wall_ms=600_000)])
        await_that(lambda: Execution.objects.filter(state=1).exists(), what="it is claimed")
        worker.terminate()
        assert worker.wait(PATIENCE_SECONDS) == 0
    (log,) = tmp_path.glob("worker-*.log")
    text = log.read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    (line,) = [line for line in lines if line["event"] == "attempt was handed back"]
    batch = Batch.objects.get()
    assert line["batches"] == [batch.pk]
    assert line["tasks"] == [batch.tasks.get().pk]
    assert line["execution"] == Execution.objects.get().pk
    assert line["attempt"] == 1
    assert line["worker"] == line["process"]
    assert line["process"].endswith(f":{worker.pid}")
    assert {"owner", "level", "logger", "timestamp"} <= line.keys()
    assert SECRET not in text


def test_whatever_a_follow_up_logs_says_for_what(
    failing_follow_up: str,
) -> None:
    probe = (
        "import django, logging; django.setup()\n"
        "from runner.registry import for_each_target, handlers\n"
        "from runner.pipelines.follow_ups import run_due_follow_ups\n"
        "def run(target, rows): logging.getLogger('anyone').warning('from within')\n"
        'handlers.follow_ups["a test\'s"] = for_each_target(run)\n'
        "run_due_follow_ups()\n"
    )
    FollowUp.objects.update(due_at=timezone.now())
    ended = subprocess.run(
        [sys.executable, "-c", probe],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": url_of_test_database(), "SOCIALCODE_LOG_JSON": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = [json.loads(line) for line in ended.stderr.splitlines()]
    assert (line["event"], line["logger"]) == ("from within", "anyone")
    assert (line["follow_up"], line["target"]) == ("a test's", "something:1")


def test_sweeping_again_and_again_ends_when_told(tmp_path: Path) -> None:
    sweeper = subprocess.Popen(
        [sys.executable, "manage.py", "sweep", "--every", "0.2"],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": url_of_test_database(), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert sweeper.stdout
    said = [sweeper.stdout.readline() for _ in range(3)]
    sweeper.terminate()
    assert sweeper.wait(PATIENCE_SECONDS) == 0
    sweeper.stdout.close()
    assert {line.strip() for line in said} == {"0 released, 0 sequenced, no work is ready"}
