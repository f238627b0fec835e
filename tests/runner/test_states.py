"""The transitions of states, which the database holds by itself."""

import itertools
from typing import Any

import pytest
from django.db import IntegrityError, connection, models, transaction
from django.utils import timezone

from runner.models import Batch, Execution, Task
from runner.states import EXECUTION_TRANSITIONS, FINAL_STATES, TRANSITIONS, BatchState, State
from tests.support.batches import program, submit

pytestmark = pytest.mark.django_db

PAIRS = [(old, new) for old, new in itertools.product(State, State) if old != new]


def task_columns(state: State) -> dict[str, Any]:
    return {"state": state, "finished_at": timezone.now() if state in FINAL_STATES else None}


def execution_columns(state: State) -> dict[str, Any]:
    leased_until = timezone.now() if state == State.IN_PROGRESS else None
    return {"state": state, "leased_until": leased_until}


def is_allowed(row: models.Model, columns: dict[str, Any]) -> bool:
    try:
        with transaction.atomic():
            type(row)._default_manager.filter(pk=row.pk).update(**columns)
    except IntegrityError:
        return False
    return True


def new_execution(state: State) -> Execution:
    prepared = program()
    return Execution.objects.create(key=prepared.key, program={}, **execution_columns(state))


def test_tasks_make_only_the_transitions_of_the_table() -> None:
    batch = submit([])
    allowed = set()
    for old, new in PAIRS:
        execution = new_execution(State.PENDING)
        task = Task.objects.create(batch=batch, execution=execution, **task_columns(old))
        if is_allowed(task, task_columns(new)):
            allowed.add((old, new))
    assert allowed == TRANSITIONS


def test_executions_make_only_the_transitions_of_the_table() -> None:
    allowed = {
        (old, new) for old, new in PAIRS if is_allowed(new_execution(old), execution_columns(new))
    }
    assert allowed == EXECUTION_TRANSITIONS


def test_ended_batch_is_not_opened_again() -> None:
    batch = submit([])
    Batch.objects.update(state=BatchState.COMPLETE, finished_at=timezone.now())
    assert not is_allowed(batch, {"state": BatchState.OPEN, "finished_at": None})


@pytest.mark.parametrize(
    ("model", "columns"),
    [
        (Execution, {"state": State.IN_PROGRESS, "leased_until": None}),
        (Execution, {"leased_until": timezone.now()}),
        (Task, {"state": State.SUCCEEDED, "finished_at": None}),
        (Task, {"finished_at": timezone.now()}),
        (Batch, {"state": BatchState.COMPLETE, "finished_at": None}),
    ],
)
def test_states_and_instants_agree(model: type[models.Model], columns: dict[str, Any]) -> None:
    submit([program()])
    assert not is_allowed(model._default_manager.get(), columns)


def test_documents_that_each_task_brings_are_not_analysed() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "select attrelid::regclass || '.' || attname from pg_attribute"
            " where atttypid = 'jsonb'::regtype and attstattarget is distinct from 0"
            " and attrelid = any(array['runner_execution', 'runner_result', 'runner_event',"
            " 'runner_outboxevent']::regclass[])"
        )
        assert cursor.fetchall() == []
