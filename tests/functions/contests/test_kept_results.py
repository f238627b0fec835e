"""What the machinery needs to know of squares: which results they show, and newer ones of these."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from functions.authoring import copy, run_draft
from functions.maintenance.verification import find_differences
from functions.models import Cell, Election, Function, Implementation
from functions.read_models.runs import progress
from runner.batches.cancellation import cancel_batches
from runner.batches.reruns import rerun_batch
from runner.models import Batch, Execution, Result
from runner.operations.retention import remove_batches, remove_results
from runner.pipelines.follow_ups import run_due_follow_ups
from runner.sandbox import Outcome, Verdict
from runner.workers.claims import claim
from tests.support.batches import PASSED, execute
from tests.support.works import account, define, implement, publish_test

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


def again(batch: Batch, outcome: Outcome) -> tuple[set[str], set[str]]:
    """Run all of it again, coming to this; return what squares and tasks say."""
    with transaction.atomic():
        repeated = rerun_batch(batch, None)
    execute_all(outcome)
    verdicts = progress(repeated).verdicts
    squares = set(Cell.objects.values_list("verdict", flat=True))
    return squares, {verdict for verdict, count in verdicts.items() if count}


def test_a_program_whose_runs_disagree_is_flaky_and_has_not_passed() -> None:
    batch = write()
    execute_all()
    function = Function.objects.get()
    first = function.elected
    assert again(batch, PASSED) == ({"passed"}, {"passed"})
    assert again(batch, FAILED) == ({"flaky"}, {"flaky"})
    disagree = "its runs disagree: passed before, now failed: not any more"
    assert set(Cell.objects.values_list("message", flat=True)) == {disagree}
    function.refresh_from_db()
    assert function.elected_id is None
    assert again(batch, PASSED) == ({"flaky"}, {"flaky"})
    assert set(Result.objects.values_list("message", flat=True)) == {
        "its runs disagree: the last passed"
    }
    another = implement(function, "def One():\n    return 1  # another program\n")
    execute_all()
    function.refresh_from_db()
    assert function.elected == another != first
    assert not list(find_differences())


def copied() -> Batch:
    """Have somebody run a copy, which is the same program, as a draft."""
    draft = copy(actor=account("eve"), work=Implementation.objects.earliest("id"))
    return run_draft(actor=draft.author, draft=draft)


def test_what_is_run_as_a_draft_is_told_to_squares_that_mean_the_same() -> None:
    cancel_batches([write()])
    assert set(Cell.objects.values_list("given_up", flat=True)) == {True}
    draft = copied()
    execute_all()
    assert Function.objects.get().elected == Implementation.objects.earliest("id")
    assert not list(find_differences())
    assert again(draft, FAILED) == ({"flaky"}, {"flaky"})
    assert Function.objects.get().elected is None
    # Whose draft it was, and which run, is nobody's business.
    last = Election.objects.latest("id")
    assert (last.cause, last.batch, last.by) == ("a program was run once more", None, None)
    assert not list(find_differences())


def test_verify_tells_of_squares_that_say_what_their_programs_did_not_come_to() -> None:
    write()
    execute_all()
    assert not list(find_differences())
    Cell.objects.exclude(test=None).update(line=7)
    Cell.objects.filter(test=None).update(result_key=None, verdict="")
    assert set(find_differences()) >= {
        "One #1 and T1: the cell says ['passed', 7], by its record it is ['passed', None]",
        "One #1 and loading: the cell says nothing, by its record it is ['passed', None]",
    }
