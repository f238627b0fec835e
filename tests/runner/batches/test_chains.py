"""Chains: a task that waits for another is ready, has ended or is cancelled with it."""

import random
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from django.db import transaction

from runner import registry
from runner.batches.cancellation import cancel_batches
from runner.batches.submission import add_tasks, mark_loaded
from runner.errors import InvalidChain
from runner.models import Attempt, Batch, Execution, Task
from runner.operations.sweeper import sweep
from runner.programs.program import PreparedProgram
from runner.registry import FinishedTask, register_recorder
from runner.states import BatchState, State
from runner.workers.claims import claim
from runner.workers.release import Release, release
from tests.patience import PATIENCE_SECONDS, await_that
from tests.support.batches import (
    event_types,
    events,
    execute,
    expire_leases,
    in_threads,
    is_anybody_waiting_for_a_lock,
    make_due,
    program,
    submit,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def told() -> Iterator[list[FinishedTask]]:
    """Register a recorder named `test` and return what it is told."""
    finished: list[FinishedTask] = []
    register_recorder("test", finished.extend)
    yield finished
    del registry.recorders["test"]


def submit_chain(programs: Sequence[PreparedProgram], **wishes: Any) -> Batch:
    """Submit these, each after the one before."""
    keys = [each.key for each in programs]
    after = {**dict(zip(keys[1:], keys, strict=False)), **wishes.pop("before", {})}
    return submit(programs, after=after, **wishes)


def states(batch: Batch) -> list[State]:
    return [State(state) for state in batch.tasks.order_by("id").values_list("state", flat=True)]


def give_up() -> None:
    """Lose the worker of everything that is ready, until it is given up."""
    for _ in range(3):
        while claim("lost").claims:
            pass
        expire_leases()
        sweep()
        make_due()


def work(times: int) -> None:
    """Execute what is ready, again and again."""
    for _ in range(times):
        for claimed in claim("a worker").claims:
            execute(claimed)


@pytest.mark.parametrize("backwards", [False, True])
def test_each_step_is_claimed_when_the_one_before_has_succeeded(backwards: bool) -> None:
    steps = [program() for _ in range(4)]
    keys = [step.key for step in steps]
    after = dict(zip(keys[1:], keys, strict=False))
    batch = submit(steps[::-1] if backwards else steps, after=after)
    assert states(batch) == [State.PENDING, *[State.WAITING] * 3]
    executed = []
    while claims := claim("a worker").claims:
        (claimed,) = claims
        executed.append(claimed.key)
        execute(claimed)
    assert executed == keys
    batch.refresh_from_db()
    assert batch.state == BatchState.COMPLETE


def test_what_waits_for_a_task_that_is_given_up_is_cancelled_and_told_why() -> None:
    batch = submit_chain([program() for _ in range(3)])
    give_up()
    assert states(batch) == [State.IGNORED, State.CANCELLED, State.CANCELLED]
    batch.refresh_from_db()
    assert batch.state == BatchState.CANCELLED
    finished = events(type="task.finished")
    assert [event["state"] for event in finished] == ["ignored", "cancelled", "cancelled"]
    assert "did not succeed" in finished[1]["message"]
    assert not Execution.objects.filter(state=State.WAITING).exists()
    assert event_types()[-1] == "batch.finished"


def test_cancelling_a_batch_cancels_what_waits_for_it_elsewhere() -> None:
    first = submit([program()])
    steps = [program(), program()]
    after: dict[bytes, Any] = {steps[0].key: first.tasks.get(), steps[1].key: steps[0].key}
    second = submit(steps, topic="function:2", after=after)
    assert states(second) == [State.WAITING, State.WAITING]
    cancel_batches([first])
    second.refresh_from_db()
    assert states(second) == [State.CANCELLED, State.CANCELLED]
    assert second.state == BatchState.CANCELLED


def test_predecessor_that_has_ended_already_decides_at_once(told: list[FinishedTask]) -> None:
    succeeded, cancelled = submit([program()]), submit([program()])
    cancel_batches([cancelled])
    work(1)
    next_one, last = program(), program()
    after = {next_one.key: succeeded.tasks.get(), last.key: cancelled.tasks.get()}
    batch = submit([next_one, last], after=after, recorder="test")
    assert states(batch) == [State.PENDING, State.CANCELLED]
    assert told == []


def test_step_whose_result_is_known_succeeds_with_its_predecessor(told: list[FinishedTask]) -> None:
    known = [program(), program()]
    submit(known)
    work(1)
    first, last = program(), program()
    batch = submit_chain([first, *known, last], recorder="test")
    assert states(batch) == [State.PENDING, *[State.WAITING] * 3]
    (claimed,) = claim("a worker").claims
    execute(claimed)
    assert states(batch) == [*[State.SUCCEEDED] * 3, State.PENDING]
    assert {row.key for row in told} == {first.key, *(each.key for each in known)}
    assert Attempt.objects.count() == 3
    work(1)
    batch.refresh_from_db()
    assert batch.state == BatchState.COMPLETE


def test_step_joins_a_run_that_another_batch_has_begun() -> None:
    first, second = program(), program()
    batch = submit_chain([first, second])
    (claimed,) = claim("a worker").claims
    submit([second], topic="function:2")
    (other,) = claim("another").claims
    assert states(batch) == [State.PENDING, State.WAITING]
    execute(claimed)
    assert states(batch) == [State.SUCCEEDED, State.IN_PROGRESS]
    execute(other)
    assert states(batch) == [State.SUCCEEDED, State.SUCCEEDED]


def test_step_waits_though_another_batch_has_it_executed() -> None:
    first, second = program(), program()
    batch = submit_chain([first, second])
    (claimed,) = claim("a worker").claims
    submit([second], topic="function:2")
    work(1)
    assert states(batch) == [State.PENDING, State.WAITING]
    execute(claimed)
    assert states(batch) == [State.SUCCEEDED, State.SUCCEEDED]
    assert list(batch.tasks.order_by("id").values_list("executed", flat=True)) == [True, False]


def test_step_is_executed_though_the_other_batch_that_wanted_it_was_cancelled() -> None:
    first, second = program(), program()
    batch = submit_chain([first, second])
    cancel_batches([submit([second], topic="function:2")])
    work(2)
    assert states(batch) == [State.SUCCEEDED, State.SUCCEEDED]


def test_failed_attempt_of_a_predecessor_is_no_end() -> None:
    batch = submit_chain([program(), program()])
    (claimed,) = claim("a worker").claims
    release([Release(claimed.execution_id, claimed.token, Attempt.Outcome.FAILED, "broke")])
    assert states(batch) == [State.FAILED, State.WAITING]
    make_due()
    work(2)
    assert states(batch) == [State.SUCCEEDED, State.SUCCEEDED]


def test_step_can_follow_one_that_was_loaded_before() -> None:
    first, second = program(), program()
    batch = submit([first], loaded=False)
    with transaction.atomic():
        add_tasks(batch, [second], after={second.key: first.key})
        mark_loaded(batch)
    assert states(batch) == [State.PENDING, State.WAITING]
    work(2)
    batch.refresh_from_db()
    assert batch.state == BatchState.COMPLETE


def test_circles_and_what_is_not_there_are_refused() -> None:
    one, two = program(), program()
    for after in (
        {one.key: two.key, two.key: one.key},
        {one.key: one.key},
        {one.key: program().key},
        {program().key: one.key},
    ):
        with pytest.raises(InvalidChain):
            submit([one, two], after=after)
    assert not Batch.objects.exists()


def test_same_request_with_other_steps_is_another_request() -> None:
    one, two = program(), program()
    submit([one, two], request_key="r1", after={two.key: one.key})
    with pytest.raises(Exception, match="another request"):
        submit([one, two], request_key="r1")


@pytest.mark.parametrize("in_order", [True, False])
def test_successor_that_somebody_holds_is_waited_for_in_the_order_of_keys(in_order: bool) -> None:
    """Who holds the successor wants the predecessor next: waiting for it would be a circle."""
    first, last = sorted((program(), program()), key=lambda each: each.key)
    steps = [first, last] if in_order else [last, first]
    batch = submit_chain(steps)
    (claimed,) = claim("a worker").claims

    def hold_both_in_order() -> None:
        with transaction.atomic():
            rows = Execution.objects.select_for_update(no_key=True)
            rows.get(key=first.key)
            held.set()
            await_that(is_anybody_waiting_for_a_lock)
            rows.get(key=last.key)

    def record_it() -> None:
        assert held.wait(PATIENCE_SECONDS)
        execute(claimed)

    held = threading.Event()
    in_threads(hold_both_in_order, record_it)
    assert states(batch) == [State.SUCCEEDED, State.PENDING]


def test_long_chain_runs_to_its_end() -> None:
    batch = submit_chain([program() for _ in range(60)])
    work(60)
    batch.refresh_from_db()
    assert batch.state == BatchState.COMPLETE


def test_chains_that_are_submitted_executed_and_cancelled_at_once_all_end() -> None:
    pool = [program() for _ in range(30)]
    chance = random.Random(1)  # noqa: S311
    orders = [chance.sample(pool, 8) for _ in range(24)]

    def submit_some(number: int) -> None:
        last: Task | None = None
        for order in orders[number::3]:
            topic = f"function:{number}"
            after: dict[bytes, Any] = {order[0].key: last} if last else {}
            batch = submit_chain(order, topic=topic, before=after)
            last = batch.tasks.latest("id")
            if number == 2:
                cancel_batches([batch])

    def lose_some() -> None:
        for _ in range(10):
            claim("lost")
            expire_leases()
            make_due()
            sweep()

    in_threads(
        *[lambda number=number: submit_some(number) for number in range(3)],
        *[lambda: work(60)] * 2,
        lose_some,
    )
    for _ in range(200):
        make_due()
        expire_leases()
        sweep()
        work(1)
        if not Batch.objects.filter(state=BatchState.OPEN).exists():
            break
    assert not Batch.objects.filter(state=BatchState.OPEN).exists()
    assert not Task.objects.filter(state__in=[0, 1, 2, 6]).exists()
    followers = Task.objects.filter(predecessor__state__in=[State.IGNORED, State.CANCELLED])
    assert not followers.exclude(state=State.CANCELLED).exists()
