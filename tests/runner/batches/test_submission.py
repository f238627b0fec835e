"""Submitting: all or nothing, once per request, and no program executed twice."""

from collections.abc import Iterator, Sequence

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from runner.batches.cancellation import cancel_batches
from runner.batches.queries import counts_of_batches
from runner.batches.submission import add_tasks, mark_loaded, submit_batch
from runner.errors import NotRegistered, RequestConflict
from runner.models import Attempt, Batch, Execution, OutboxEvent, Result, Source, Task
from runner.registry import FinishedTask, handlers
from runner.states import BatchState, State
from runner.workers.claims import claim
from runner.workers.drainer import Drainer
from tests.support.batches import TOPIC, event_types, events, execute, in_threads, program, submit

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def told() -> Iterator[list[FinishedTask]]:
    """Register a recorder named `test` and return what it is told."""
    finished: list[FinishedTask] = []

    def remember(rows: Sequence[FinishedTask]) -> None:
        assert transaction.get_connection().in_atomic_block
        finished.extend(rows)

    handlers.recorders["test"] = remember
    yield finished
    del handlers.recorders["test"]


def test_submission_outside_a_transaction_is_refused() -> None:
    with pytest.raises(transaction.TransactionManagementError):
        submit_batch(topic=TOPIC, cause="a test", programs=[program()])


def test_submission_that_is_rolled_back_leaves_nothing() -> None:
    with transaction.atomic():
        submit_batch(topic=TOPIC, cause="a test", programs=[program()])
        transaction.set_rollback(True)
    for model in (Batch, Execution, Task, OutboxEvent, Source):
        assert not model.objects.exists()


def test_unregistered_recorder_is_refused() -> None:
    with pytest.raises(NotRegistered):
        submit([program()], recorder="nobody")


def test_same_request_gives_the_same_batch() -> None:
    owner = User.objects.create_user("ada")
    wanted = [program(), program()]
    first = submit(wanted, owner=owner, request_key="r1")
    assert submit(wanted, owner=owner, request_key="r1") == first
    assert submit(wanted, owner=User.objects.create_user("bob"), request_key="r1") != first
    assert event_types().count("batch.submitted") == 2


@pytest.mark.parametrize("name", ["ada", None])
def test_other_content_under_the_same_request_key_is_a_conflict(name: str | None) -> None:
    owner = User.objects.create_user(name) if name else None
    submit([program()], owner=owner, request_key="r1")
    with pytest.raises(RequestConflict):
        submit([program()], owner=owner, request_key="r1")


def test_same_request_sent_at_once_makes_one_batch() -> None:
    wanted = [program() for _ in range(3)]
    in_threads(*[lambda: submit(wanted, request_key="r1") for _ in range(6)])
    assert Batch.objects.count() == 1
    assert Task.objects.count() == 3


def test_program_that_is_given_twice_is_one_task() -> None:
    twice = program()
    batch = submit([twice, twice])
    assert batch.tasks.count() == 1
    assert events(type="batch.submitted")[0]["total"] == 1


def test_known_results_finish_tasks_at_once(drainer: Drainer, told: list[FinishedTask]) -> None:
    wanted = [program(), program("assert 1 == 2")]
    submit(wanted)
    drainer.drain()
    again = submit(wanted, recorder="test", announcement={"cells": []})
    again.refresh_from_db()
    assert again.state == BatchState.COMPLETE
    assert counts_of_batches([again.pk])[again.pk] == {
        "tasks": {
            "pending": 0,
            "in_progress": 0,
            "failed": 0,
            "succeeded": 2,
            "ignored": 0,
            "cancelled": 0,
            "waiting": 0,
        },
        "verdicts": {"passed": 1, "failed": 1},
        "executed": 0,
        "total": 2,
        "load_checks": 0,
        "retryable": 0,
    }
    assert Attempt.objects.count() == 2
    assert [row.verdict for row in told] == ["passed", "failed"]
    finished = [event for event in events(type="task.finished") if event["batch"] == again.pk]
    assert [event["cached"] for event in finished] == [True, True]
    assert event_types()[-1] == "batch.finished"


def test_task_that_joins_a_run_under_way_is_finished_with_it(told: list[FinishedTask]) -> None:
    wanted = program()
    submit([wanted])
    (claimed,) = claim("a worker").claims
    late = submit([wanted], topic="function:2", recorder="test")
    assert late.tasks.get().state == State.IN_PROGRESS
    execute(claimed)
    assert late.tasks.get().state == State.SUCCEEDED
    assert [row.batch_id for row in told] == [late.pk]
    assert event_types("function:2") == [
        "batch.submitted",
        "task.started",
        "task.finished",
        "batch.finished",
    ]


def test_new_wish_revives_what_was_dropped() -> None:
    wanted = program()
    cancel_batches([submit([wanted])])
    assert Execution.objects.get().state == State.CANCELLED
    batch = submit([wanted])
    assert Execution.objects.get().state == State.PENDING
    (claimed,) = claim("a worker").claims
    execute(claimed)
    assert batch.tasks.get().state == State.SUCCEEDED


def test_new_wish_revives_what_was_given_up_with_all_its_attempts() -> None:
    wanted = program()
    submit([wanted])
    Task.objects.all().delete()
    Execution.objects.update(state=State.IN_PROGRESS, leased_until="2020-01-01T00:00Z")
    Execution.objects.update(state=State.IGNORED, leased_until=None, attempts=3)
    submit([wanted])
    execution = Execution.objects.get()
    assert (execution.state, execution.attempts) == (State.PENDING, 0)


def test_batch_ends_only_when_it_is_loaded() -> None:
    batch = submit([program()], loaded=False)
    execute(claim("a worker").claims[0])
    batch.refresh_from_db()
    assert batch.state == BatchState.OPEN
    with transaction.atomic():
        add_tasks(batch, [program()])
    execute(claim("a worker").claims[0])
    with transaction.atomic():
        mark_loaded(batch)
    batch.refresh_from_db()
    assert batch.state == BatchState.COMPLETE
    with pytest.raises(RequestConflict), transaction.atomic():
        add_tasks(batch, [program()])


def test_ended_batch_takes_no_children() -> None:
    parent = submit([])
    with pytest.raises(RequestConflict):
        submit([program()], parent=parent)


def test_parent_ends_after_its_children() -> None:
    parent = submit([program()], topic="function:1")
    (claimed,) = claim("a worker").claims
    child = submit([program()], topic="function:2", parent=parent)
    execute(claimed)
    parent.refresh_from_db()
    assert parent.state == BatchState.OPEN
    execute(claim("a worker").claims[0])
    parent.refresh_from_db()
    child.refresh_from_db()
    assert parent.state == child.state == BatchState.COMPLETE
    assert event_types("function:1")[-1] == "batch.finished"


def test_submitters_of_the_same_programs_at_once_have_each_executed_once() -> None:
    wanted = [program() for _ in range(40)]
    done: list[bytes] = []

    def submit_some(order: int) -> None:
        for start in range(0, 40, 8):
            some = wanted[start : start + 16]
            submit(some[::-1] if order else some, topic=f"function:{order}")

    def work() -> None:
        for _ in range(60):
            for claimed in claim("a worker").claims:
                done.append(claimed.key)
                execute(claimed)

    in_threads(lambda: submit_some(0), lambda: submit_some(1), work, work)
    work()
    assert sorted(done) == sorted(item.key for item in wanted)
    assert Result.objects.count() == 40
    assert not Task.objects.exclude(state=State.SUCCEEDED).exists()
    assert not Batch.objects.exclude(state=BatchState.COMPLETE).exists()
