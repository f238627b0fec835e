"""What the machinery needs to know of squares: which results they show, and newer ones of these."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from functions.models import Cell
from runner.claiming import claim
from runner.followups import run_due_follow_ups
from runner.models import Batch, Execution, Result
from runner.rerunning import run_again
from runner.retention import remove_batches, remove_results
from runner.sandbox import Outcome, Verdict
from tests.functions.writing import define, implement, publish_test
from tests.runner.making import PASSED, execute

pytestmark = pytest.mark.django_db(transaction=True)

FAILED = Outcome(Verdict.FAILED, message="not any more", cpu_us=1, wall_us=1)


def execute_all(outcome: Outcome = PASSED) -> None:
    while claims := claim("a worker").claims:
        for claimed in claims:
            execute(claimed, outcome)
        run_due_follow_ups()


def write() -> Batch:
    function = define("One")
    publish_test(function, "assert One() == 1\n")
    implement(function, "def One():\n    return 1\n")
    return Batch.objects.latest("id")


def test_results_that_squares_show_are_kept() -> None:
    write()
    execute_all()
    long_ago = timezone.now() - timedelta(days=400)
    Batch.objects.exclude(finished_at=None).update(finished_at=long_ago)
    Execution.objects.update(used_at=long_ago)
    count = Result.objects.count()
    assert count == Cell.objects.count() == 2
    while remove_batches(0):
        pass
    assert not Batch.objects.exists()
    assert remove_results(0)
    assert Result.objects.count() == count
    Cell.objects.filter(test=None).delete()
    Cell.objects.update(key=None)
    remove_results(0)
    assert {bytes(key) for (key,) in Execution.objects.values_list("key")} == {
        bytes(cell.result_key or b"") for cell in Cell.objects.all()
    }


def test_square_shows_what_came_when_its_program_was_run_again() -> None:
    batch = write()
    execute_all()
    assert set(Cell.objects.values_list("verdict", flat=True)) == {"passed"}
    with transaction.atomic():
        run_again(batch, None)
    assert set(Cell.objects.values_list("verdict", flat=True)) == {"passed"}
    execute_all(FAILED)
    assert set(Cell.objects.values_list("verdict", flat=True)) == {"failed"}
