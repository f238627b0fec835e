"""One record's program, run once more by hand."""

import pytest

from functions.errors import Refusal
from functions.models import Cell
from functions.running import repeat_result
from runner.execution import Drainer
from runner.models import Attempt, Result
from tests.functions.writing import account, constant, define, implement, publish_test

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_record_is_replaced_when_its_program_is_run_again_and_nothing_else_is_run(
    worker: Drainer,
) -> None:
    add = define("Add", owner="olga")
    work = implement(add, constant("Add", 1), author="ida")
    publish_test(add, "assert Add() == 1", author="tess")
    worker.drain()
    cell = Cell.objects.get(implementation=work, test__isnull=False)
    key = bytes(cell.key or b"")
    before, attempts = Result.objects.get(execution__key=key), Attempt.objects.count()
    with pytest.raises(Refusal) as refused:
        repeat_result(actor=account("eve"), key=key)
    assert refused.value.status == 403
    batch = repeat_result(actor=account("tess"), key=key)
    assert batch.tasks.count() == 1
    worker.drain()
    after = Result.objects.get(execution__key=key)
    assert after.created_at > before.created_at
    assert (after.verdict, batch.tasks.get().executed) == ("passed", True)
    assert Attempt.objects.count() == attempts + 1
    cell.refresh_from_db()
    assert (cell.verdict, bytes(cell.result_key or b"")) == ("passed", key)
