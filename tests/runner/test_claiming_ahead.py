"""Claiming the next while the last ones run: nothing is run twice, lost, or kept from others."""

from pathlib import Path

import pytest

from runner.claiming import MOST_AT_ONCE, claim
from runner.execution import Drainer
from runner.models import Attempt, Execution
from runner.states import State
from tests.patience import PATIENCE_SECONDS
from tests.runner.making import await_that, program, submit, worker_process

pytestmark = pytest.mark.django_db(transaction=True)

# So many that workers claim ahead: each takes a share of what is ready, and no more than the most.
MANY = 6 * MOST_AT_ONCE


def test_many_are_executed_once_each(drainer: Drainer) -> None:
    batch = submit([program() for _ in range(MANY)])
    drainer.drain()
    assert set(batch.tasks.values_list("state", flat=True)) == {State.SUCCEEDED}
    assert set(Attempt.objects.values_list("outcome", "number")) == {("recorded", 1)}


def test_what_must_be_alone_is_not_claimed_ahead(drainer: Drainer) -> None:
    first = submit([program()])
    submit([program() for _ in range(3)])
    Execution.objects.filter(tasks__batch=first).update(alone=True)
    ahead = claim("a worker", ahead=True)
    taken = {claimed.execution_id for claimed in ahead.claims}
    assert len(taken) == 3
    assert not taken & set(first.tasks.values_list("execution_id", flat=True))
    drainer.drain()
    assert first.tasks.get().state == State.SUCCEEDED


def test_what_must_be_alone_has_its_turn_among_many(drainer: Drainer) -> None:
    many = submit([program() for _ in range(MANY)])
    alone = submit([program()])
    Execution.objects.filter(tasks__batch=alone).update(alone=True)
    drainer.drain()
    assert alone.tasks.get().state == State.SUCCEEDED
    assert set(many.tasks.values_list("state", flat=True)) == {State.SUCCEEDED}


def test_what_was_claimed_ahead_is_handed_back_by_a_worker_that_is_told_to_stop(
    tmp_path: Path,
) -> None:
    with worker_process(tmp_path) as worker:
        batch = submit([program() for _ in range(MANY)])
        await_that(lambda: Attempt.objects.count() > MOST_AT_ONCE, what="some are claimed ahead")
        worker.terminate()
        assert worker.wait(PATIENCE_SECONDS) == 0
    states = set(batch.tasks.values_list("state", flat=True))
    assert states <= {State.PENDING, State.SUCCEEDED}
    waiting = Execution.objects.filter(state=State.PENDING)
    assert set(waiting.values_list("attempts", flat=True)) <= {0}
    assert set(Attempt.objects.values_list("outcome", flat=True)) <= {"recorded", "handed_back"}
