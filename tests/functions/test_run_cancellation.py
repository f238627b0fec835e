"""Cancelling what judges a function: it is judged by what is known, and is not run until asked."""

import pytest

from functions.authoring import run_draft
from functions.graph.queries import waiting_ids
from functions.maintenance.verification import find_differences
from functions.models import Function, Implementation
from functions.read_models.cells import Matrix, load_matrix
from functions.runs import cancel_run, repeat_run, retry_run
from runner.models import Attempt, Batch, Execution
from runner.pipelines.follow_ups import run_due_follow_ups
from runner.states import BatchState, State
from runner.workers.drainer import Drainer
from tests.support.batch_end import all_batches_end
from tests.support.works import (
    account,
    constant,
    define,
    draft_implementation,
    implement,
    publish_test,
    vote,
)

pytestmark = pytest.mark.django_db(transaction=True)

NO_RESULT = "no result of loading it: cancelled, or given up by our machinery"


def fresh(row: Function) -> Function:
    return Function.objects.select_related("elected").get(pk=row.pk)


def last_batch() -> Batch:
    return Batch.objects.latest("id")


def cancel_last() -> Batch:
    """Cancel the batch that was submitted last, as staff may."""
    batch = last_batch()
    cancel_run(actor=account("root", is_staff=True), batch=batch)
    return batch


def results_of(function: Function) -> Matrix:
    works = function.implementations.values_list("id", flat=True)
    return load_matrix(works, function.tests.values_list("id", flat=True))


def test_function_whose_run_is_cancelled_is_judged_by_what_is_known(worker: Drainer) -> None:
    add = define("Add")
    work = implement(add, constant("Add", 1))
    assert fresh(add).judging
    batch = cancel_last()
    worker.drain()
    assert all_batches_end()
    work.refresh_from_db()
    assert (fresh(add).elected, fresh(add).judging) == (None, False)
    assert (work.standing, work.standing_reason) == ("unjudged", NO_RESULT)
    assert results_of(add)[work.pk, None].state == "cancelled"
    assert Batch.objects.get() == batch
    assert list(find_differences()) == []


def test_what_was_cancelled_is_not_run_by_whatever_happens_next(worker: Drainer) -> None:
    add = define("Add")
    work = implement(add, constant("Add", 1))
    cancel_last()
    worker.drain()
    vote(work, up="ann bob")
    worker.drain()
    assert Attempt.objects.count() == 0
    assert not fresh(add).judging


def test_retrying_what_was_cancelled_has_it_judged(worker: Drainer) -> None:
    add = define("Add")
    work = implement(add, constant("Add", 1))
    batch = cancel_last()
    worker.drain()
    assert work.author
    retry_run(actor=work.author, batch=batch)
    worker.drain()
    assert (fresh(add).elected, fresh(add).judging) == (work, False)
    assert results_of(add)[work.pk, None].state == "passed"
    assert list(find_differences()) == []


def test_who_was_elected_stays_so_when_the_run_of_another_or_of_a_test_is_cancelled(
    worker: Drainer,
) -> None:
    add = define("Add")
    first = implement(add, constant("Add", 1))
    worker.drain()
    implement(add, constant("Add", 2))
    cancel_last()
    worker.drain()
    assert (fresh(add).elected, fresh(add).judging) == (first, False)
    publish_test(add, "assert Add() == 2")
    cancel_last()
    worker.drain()
    assert (fresh(add).elected, fresh(add).judging) == (first, False)
    assert list(find_differences()) == []


def test_former_result_stands_when_running_it_again_is_cancelled(worker: Drainer) -> None:
    add = define("Add")
    work = implement(add, constant("Add", 1))
    batch = last_batch()
    worker.drain()
    batch.refresh_from_db()
    repeat_run(actor=work.author, batch=batch)
    cancel_last()
    worker.drain()
    assert (fresh(add).elected, fresh(add).judging) == (work, False)
    assert results_of(add)[work.pk, None].state == "passed"


def test_what_another_run_is_to_record_is_waited_for(worker: Drainer) -> None:
    add = define("Add")
    work = implement(add, constant("Add", 1))
    first = last_batch()
    implement(add, constant("Add", 1), author="ike")  # the very same program
    cancel_run(actor=work.author, batch=first)
    assert fresh(add).judging
    worker.drain()
    assert fresh(add).elected == work
    assert Execution.objects.get().state == State.SUCCEEDED


def test_what_only_a_draft_still_runs_is_not_waited_for(worker: Drainer) -> None:
    add = define("Add")
    work = implement(add, constant("Add", 1))
    published = last_batch()
    draft = draft_implementation(add, constant("Add", 1), author="ike")  # the very same program
    run_draft(actor=draft.author, draft=draft)
    cancel_run(actor=work.author, batch=published)
    run_due_follow_ups()
    assert not fresh(add).judging
    worker.drain()  # what comes of it is shown to all, nevertheless
    assert fresh(add).elected == work


def test_whoever_waits_for_a_function_whose_run_is_cancelled_waits_no_more(
    worker: Drainer,
) -> None:
    base, top, rival = base_and_top(worker)
    cancelled = implement(base, constant("Base", 3))
    asked = last_batch()
    vote(cancelled, up="ann bob")
    vote(rival, up="ann")
    run_due_follow_ups()
    publish_test(top, "assert Top()")
    run_due_follow_ups()
    assert fresh(base).judging
    assert top.pk in waiting_ids(base.pk)
    cancel_run(actor=cancelled.author, batch=asked)
    worker.drain()
    assert fresh(base).elected == rival
    assert [fresh(function).judging for function in (base, top)] == [False, False]
    assert list(find_differences()) == []


def test_function_whose_part_of_a_cascade_is_cancelled_keeps_its_elected_one(
    worker: Drainer,
) -> None:
    base, top, rival = base_and_top(worker)
    vote(rival, up="ann")
    while run_due_follow_ups():
        pass
    asked = Batch.objects.get(topic__name=top.topic, state=BatchState.OPEN)
    assert asked.tasks.filter(state=State.PENDING).exists()
    cancel_run(actor=account("root", is_staff=True), batch=asked)
    worker.drain()
    assert all_batches_end()
    assert fresh(base).elected == rival
    assert fresh(top).elected is not None
    assert [fresh(function).judging for function in (base, top)] == [False, False]
    assert list(find_differences()) == []


def base_and_top(worker: Drainer) -> tuple[Function, Function, Implementation]:
    """Have a function judged that imports another, of which there are two implementations."""
    base, top = define("Base"), define("Top")
    rival = implement(base, constant("Base", 1))
    vote(implement(base, constant("Base", 2)), up="bob")
    vote(rival, up="bob")
    implement(top, "# <<Base>>\ndef Top():\n    return Base()\n")
    worker.drain()
    assert fresh(base).elected != rival
    return base, top, rival
