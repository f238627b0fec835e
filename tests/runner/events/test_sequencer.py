"""Joining: events numbered without a gap, batches completed exactly once, and last."""

import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from itertools import count
from typing import Any

import psycopg
import pytest
from django.db import connection, transaction
from django.utils import timezone

from runner.batches.submission import submit_batch
from runner.events import sequencer
from runner.events.sequencer import sequence_topics
from runner.models import Batch, Event, FollowUp, OutboxEvent, Topic
from runner.operations.sweeper import sweep
from runner.pipelines.outbox import append_event
from runner.states import BatchState
from runner.workers.claims import claim
from runner.workers.recorder import Run, record
from tests.patience import PATIENCE_SECONDS, await_that
from tests.support.batches import (
    PASSED,
    TOPIC,
    event_types,
    execute,
    in_threads,
    pages_read,
    program,
    submit,
)
from tests.support.site import url_of_test_database

pytestmark = pytest.mark.django_db(transaction=True)


def assert_numbered_without_a_gap(count: int) -> None:
    topic = Topic.objects.get()
    seqs = list(Event.objects.order_by("seq").values_list("seq", flat=True))
    assert seqs == list(range(1, count + 1))
    assert topic.head_seq == count
    assert not OutboxEvent.objects.exists()


def append(number: int) -> None:
    with transaction.atomic():
        append_event(TOPIC, "notice", {"number": number})


class Pause:
    """Holds a thread right after it has executed a statement that contains `words`."""

    def __init__(self, words: str) -> None:
        self.words = words
        self.reached = threading.Event()
        self.go_on = threading.Event()

    def __call__(self, execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        answer = execute(sql, *rest)
        if self.words in sql and not self.reached.is_set():
            self.reached.set()
            assert self.go_on.wait(PATIENCE_SECONDS)
        return answer


def test_two_last_finishers_complete_the_batch_once_and_last() -> None:
    for _ in range(10):
        submit([program(), program()])
        runs = [Run(claimed) for claimed in claim("a worker").claims]
        both_recorded = threading.Barrier(2, timeout=PATIENCE_SECONDS)

        def finish(run: Run, both: threading.Barrier = both_recorded) -> None:
            with transaction.atomic():
                topic_ids = record([(run, PASSED)])
                both.wait(PATIENCE_SECONDS)
            sequence_topics(topic_ids)

        in_threads(lambda: finish(runs[0]), lambda: finish(runs[1]))  # noqa: B023 - ended here
    assert not Batch.objects.exclude(state=BatchState.COMPLETE).exists()
    types = event_types()
    assert types.count("batch.finished") == 10
    assert (
        types
        == [
            "batch.submitted",
            *["task.finished"] * 2,
            "batch.finished",
        ]
        * 10
    )
    assert_numbered_without_a_gap(40)


def test_events_of_many_appenders_are_numbered_without_a_gap_or_a_straggler() -> None:
    def append_many() -> None:
        for number in range(40):
            append(number)

    in_threads(*[append_many] * 4)
    assert_numbered_without_a_gap(160)


def test_what_is_committed_while_another_joins_is_taken_along_by_it() -> None:
    append(0)
    pause = Pause("delete from runner_outboxevent")

    def join_slowly() -> None:
        with connection.execute_wrapper(pause):
            append(1)

    def append_meanwhile() -> None:
        assert pause.reached.wait(PATIENCE_SECONDS)
        append(2)
        assert Topic.objects.get().head_seq == 1
        assert OutboxEvent.objects.exists()
        pause.go_on.set()

    in_threads(join_slowly, append_meanwhile)
    assert_numbered_without_a_gap(3)


def test_batch_that_became_ready_while_another_found_nothing_is_completed_by_it() -> None:
    batch = submit([program()])
    (claimed,) = claim("a worker").claims
    with transaction.atomic():
        (topic_id,) = record([(Run(claimed), PASSED)])
        kept_open = FollowUp.objects.create(name="any", target="1", batch=batch)
    sequence_topics([topic_id])  # all is numbered by now, and the batch is kept open
    pause = Pause("delete from runner_outboxevent")

    def look_and_find_nothing() -> None:
        with connection.execute_wrapper(pause):
            sequence_topics([topic_id])

    def become_ready_meanwhile() -> None:
        assert pause.reached.wait(PATIENCE_SECONDS)
        kept_open.delete()
        sequence_topics([topic_id])
        pause.go_on.set()

    in_threads(look_and_find_nothing, become_ready_meanwhile)
    batch.refresh_from_db()
    assert batch.state == BatchState.COMPLETE
    assert event_types()[-1] == "batch.finished"


def test_event_that_is_committed_late_is_numbered_late() -> None:
    append(0)
    appended, joined = threading.Event(), threading.Event()

    def commit_late() -> None:
        with transaction.atomic():
            append_event(TOPIC, "notice", {"number": 1})
            appended.set()
            assert joined.wait(PATIENCE_SECONDS)

    def overtake() -> None:
        assert appended.wait(PATIENCE_SECONDS)
        append(2)
        joined.set()

    in_threads(commit_late, overtake)
    numbers = [event.payload["number"] for event in Event.objects.order_by("seq")]
    assert numbers == [0, 2, 1]
    assert_numbered_without_a_gap(3)


def test_what_another_database_in_its_place_has_written_is_found_by_the_sweeper(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    append(0)
    topic = Topic.objects.get()
    # As when a backup was restored into a fresh cluster, that counts its transactions from 1.
    monkeypatch.setitem(sequencer._scan_starts, topic.pk, 2**60)
    append(1)
    assert Topic.objects.get().head_seq == 1
    OutboxEvent.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    sweep()
    append(2)
    assert_numbered_without_a_gap(3)


def test_dead_rows_of_what_was_numbered_are_not_read_while_a_snapshot_is_held() -> None:
    append(0)
    with psycopg.connect(url_of_test_database()) as other:
        other.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        other.execute("select count(*) from runner_outboxevent")
        numbers = count(1)

        def pages_of_one_more() -> int:
            return pages_read("runner_outboxevent", partial(append, next(numbers)))

        read = [pages_of_one_more() for _ in range(300)]
        # Once what was under way when they were written is over: other tests may be long about it.
        await_that(
            lambda: pages_of_one_more() < 1.6 * min(read[:20]),
            patience_seconds=8 * PATIENCE_SECONDS,
            what="what is over is left out",
        )
    assert_numbered_without_a_gap(next(numbers))


def test_batch_is_not_completed_while_a_child_is_being_added() -> None:
    parent = submit([program()], topic="function:1")
    (claimed,) = claim("a worker").claims
    added, recorded = threading.Event(), threading.Event()

    def add_child() -> None:
        with transaction.atomic():
            submit_batch(topic="function:2", cause="a test", programs=[program()], parent=parent)
            added.set()
            assert recorded.wait(PATIENCE_SECONDS)

    def finish() -> None:
        assert added.wait(PATIENCE_SECONDS)
        execute(claimed)
        recorded.set()

    in_threads(add_child, finish)
    parent.refresh_from_db()
    assert parent.state == BatchState.OPEN
    execute(claim("a worker").claims[0])
    parent.refresh_from_db()
    assert parent.state == BatchState.COMPLETE


def test_child_committed_after_the_look_for_ready_batches_keeps_the_parent_open() -> None:
    parent = submit([program()], topic="function:1")
    (claimed,) = claim("a worker").claims
    pause = Pause("insert into runner_result")

    def finish() -> None:
        with connection.execute_wrapper(pause):
            execute(claimed)

    def add_child() -> None:
        assert pause.reached.wait(PATIENCE_SECONDS)
        submit([program()], topic="function:2", parent=parent)
        pause.go_on.set()

    in_threads(finish, add_child)
    parent.refresh_from_db()
    assert parent.state == BatchState.OPEN


def test_empty_batch_is_complete_at_once() -> None:
    batch = submit([])
    batch.refresh_from_db()
    assert batch.state == BatchState.COMPLETE
    assert event_types() == ["batch.submitted", "batch.finished"]
