"""One record's program, or all of a function's, run once more by hand."""

import pytest

from functions.models import Cell
from functions.runs import repeat_result, run_function_again
from runner.models import Attempt, Result
from runner.workers.drainer import Drainer
from tests.support.works import account, constant, define, implement, publish_test

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
    batch = repeat_result(actor=account("tess"), key=key)
    assert batch.tasks.count() == 1
    worker.drain()
    after = Result.objects.get(execution__key=key)
    assert after.created_at > before.created_at
    assert (after.verdict, batch.tasks.get().executed) == ("passed", True)
    assert Attempt.objects.count() == attempts + 1
    cell.refresh_from_db()
    assert (cell.verdict, bytes(cell.result_key or b"")) == ("passed", key)


def test_a_function_is_run_again_by_its_owner_and_authors_have_theirs(worker: Drainer) -> None:
    add = define("Add", owner="olga")
    implement(add, constant("Add", 1), author="ida")
    implement(add, constant("Add", 2), author="ian")
    publish_test(add, "assert Add() == 1", author="tess")
    worker.drain()
    attempts = Attempt.objects.count()
    elected = type(add).objects.get(pk=add.pk).elected
    for name, programs in (("olga", 4), ("ida", 2), ("tess", 2)):
        batch = run_function_again(actor=account(name), function=add)
        worker.drain()
        attempts += programs
        assert (batch.tasks.count(), Attempt.objects.count()) == (programs, attempts)
    assert type(add).objects.get(pk=add.pk).elected == elected
