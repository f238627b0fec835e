"""Cancelling: nothing is executed or recorded for whom nobody waits."""

import threading
from collections.abc import Iterator, Sequence

import pytest
from django.db import transaction

from runner.batches.cancellation import cancel_batches
from runner.models import Attempt, Execution, Result
from runner.registry import FinishedTask, handlers
from runner.states import BatchState, State
from runner.workers.claims import claim
from runner.workers.recorder import Run, record
from tests.patience import PATIENCE_SECONDS, await_that
from tests.support.batches import (
    PASSED,
    event_types,
    events,
    execute,
    in_threads,
    is_anybody_waiting_for_a_lock,
    program,
    submit,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def told() -> Iterator[list[FinishedTask]]:
    """Register a recorder named `test` and return what it is told."""
    finished: list[FinishedTask] = []

    def remember(rows: Sequence[FinishedTask]) -> None:
        finished.extend(rows)

    handlers.recorders["test"] = remember
    yield finished
    del handlers.recorders["test"]


def test_cancelled_batch_records_nothing(told: list[FinishedTask]) -> None:
    batch = submit([program(), program()], recorder="test")
    first, second = claim("a worker").claims
    execute(first)
    cancel_batches([batch])
    assert record([(Run(second), PASSED)]) == []
    batch.refresh_from_db()
    assert batch.state == BatchState.CANCELLED
    assert Result.objects.count() == 1
    assert [task.state for task in told] == [State.SUCCEEDED, State.CANCELLED]
    assert sorted(batch.tasks.values_list("state", flat=True)) == [
        State.SUCCEEDED,
        State.CANCELLED,
    ]
    assert [event["state"] for event in events(type="task.finished")] == ["succeeded", "cancelled"]
    assert events(type="batch.finished")[0]["state"] == "cancelled"
    assert event_types()[-1] == "batch.finished"


def test_token_moves_when_a_run_is_cancelled() -> None:
    batch = submit([program()])
    (claimed,) = claim("a worker").claims
    cancel_batches([batch])
    execution = Execution.objects.get()
    assert (execution.state, execution.token) == (State.CANCELLED, claimed.token + 1)
    assert Attempt.objects.get().outcome == "cancelled"


def test_program_that_another_batch_waits_for_goes_on() -> None:
    wanted = program()
    cancelled, kept = submit([wanted]), submit([wanted], topic="function:2")
    (claimed,) = claim("a worker").claims
    cancel_batches([cancelled])
    execute(claimed)
    assert kept.tasks.get().state == State.SUCCEEDED
    assert cancelled.tasks.get().state == State.CANCELLED


def test_what_is_pending_is_not_claimed_after_it_was_cancelled() -> None:
    batch = submit([program() for _ in range(5)])
    cancel_batches([batch])
    assert claim("a worker").claims == []


def test_cancelling_twice_or_too_late_changes_nothing() -> None:
    batch = submit([program()])
    execute(claim("a worker").claims[0])
    cancel_batches([batch])
    cancel_batches([batch])
    batch.refresh_from_db()
    assert batch.state == BatchState.COMPLETE
    assert event_types().count("batch.finished") == 1


def test_cancelling_while_others_submit_and_record_leaves_nobody_waiting() -> None:
    wanted = [program() for _ in range(20)]

    def submit_and_cancel(order: int) -> None:
        for _ in range(6):
            batch = submit(wanted[::-1] if order else wanted, topic=f"function:{order}")
            cancel_batches([batch])

    def work() -> None:
        for _ in range(40):
            for claimed in claim("a worker").claims:
                execute(claimed)

    in_threads(lambda: submit_and_cancel(0), lambda: submit_and_cancel(1), work)
    last = submit(wanted)
    while claims := claim("a worker").claims:
        for claimed in claims:
            execute(claimed)
    last.refresh_from_db()
    assert last.state == BatchState.COMPLETE
    assert Result.objects.count() == 20
    assert not Execution.objects.exclude(state=State.SUCCEEDED).exists()


def test_several_batches_are_cancelled_by_locking_in_key_order() -> None:
    programs = sorted((program(), program()), key=lambda each: each.key)
    batches = [submit([each]) for each in reversed(programs)]
    first, last = (each.key for each in programs)

    def hold_the_first_until_the_other_waits_then_want_the_last() -> None:
        with transaction.atomic():
            executions = Execution.objects.select_for_update(no_key=True, nowait=True)
            executions.get(key=first)
            held.set()
            await_that(is_anybody_waiting_for_a_lock)
            executions.get(key=last)

    def cancel() -> None:
        assert held.wait(PATIENCE_SECONDS)
        cancel_batches(batches)

    held = threading.Event()
    in_threads(hold_the_first_until_the_other_waits_then_want_the_last, cancel)
    assert set(Execution.objects.values_list("state", flat=True)) == {State.CANCELLED}
