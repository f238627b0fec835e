"""Running again: new tasks, and results that stand until they are replaced."""

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from runner.batches import reruns
from runner.batches.cancellation import cancel_batches
from runner.batches.queries import rerun_tasks
from runner.batches.reruns import rerun_batch, retry_batch
from runner.errors import NothingToRun
from runner.models import Attempt, Batch, Execution, FollowUp, Result, Task
from runner.operations.sweeper import sweep
from runner.pipelines.follow_ups import run_due_follow_ups
from runner.sandbox import Outcome, Verdict
from runner.states import BatchState, State
from runner.workers.claims import claim
from runner.workers.release import Release, release
from tests.support.batches import (
    events,
    execute,
    expire_leases,
    in_threads,
    make_due,
    program,
    submit,
)

pytestmark = pytest.mark.django_db(transaction=True)

FAILED = Outcome(Verdict.FAILED, loaded=True, message="not any more", cpu_us=1, wall_us=1)


def work(outcome: Outcome | None = None) -> list[bytes]:
    done = []
    while claims := claim("a worker").claims:
        for claimed in claims:
            done.append(claimed.key)
            execute(claimed, *([outcome] if outcome else []))
    return done


@transaction.atomic
def retried(batch: Batch, owner: User | None = None) -> Batch:
    return retry_batch(batch, owner)


@transaction.atomic
def again(batch: Batch, owner: User | None = None) -> Batch:
    return rerun_batch(batch, owner)


def test_retry_takes_what_was_cancelled_and_leaves_what_succeeded() -> None:
    ada = User.objects.create_user("ada")
    batch = submit([program() for _ in range(10)], owner=ada, private=True)
    for claimed in claim("a worker").claims:
        execute(claimed)
    done = Result.objects.count()
    cancel_batches([batch])
    bob = User.objects.create_user("bob")
    new = retried(batch, bob)
    assert new.tasks.count() == 10 - done
    assert (new.topic_id, new.private, new.owner_id) == (batch.topic_id, True, bob.pk)
    assert len(work()) == 10 - done
    new.refresh_from_db()
    batch.refresh_from_db()
    assert (new.state, batch.state) == (BatchState.COMPLETE, BatchState.CANCELLED)


def test_retry_of_what_was_given_up_has_all_attempts_again() -> None:
    batch = submit([program()])
    for _ in range(3):
        claim("lost")
        expire_leases()
        sweep()
        make_due()
    assert batch.tasks.get().state == State.IGNORED
    new = retried(batch)
    assert work()
    assert new.tasks.get().state == State.SUCCEEDED
    assert batch.tasks.get().state == State.IGNORED


def test_nothing_to_retry_is_refused() -> None:
    batch = submit([program()])
    work()
    with pytest.raises(NothingToRun):
        retried(batch)


def test_retry_keeps_the_order_of_steps() -> None:
    first, second, third = program(), program(), program()
    batch = submit([first, second, third], after={second.key: first.key, third.key: second.key})
    execute(claim("a worker").claims[0])
    cancel_batches([batch])
    new = retried(batch)
    assert sorted(new.tasks.values_list("state", flat=True)) == [State.PENDING, State.WAITING]
    assert work() == [second.key, third.key]


def test_run_again_executes_what_has_a_result_which_stands_until_it_is_replaced() -> None:
    batch = submit([program(), program()])
    work()
    new = again(batch)
    assert set(Result.objects.values_list("verdict", flat=True)) == {"passed"}
    assert set(new.tasks.values_list("state", flat=True)) == {State.PENDING}
    assert len(work(FAILED)) == 2
    assert set(Result.objects.values_list("verdict", flat=True)) == {"flaky"}
    disagree = "its runs disagree: passed before, now failed: not any more"
    assert set(Result.objects.values_list("message", flat=True)) == {disagree}
    assert Attempt.objects.count() == 4
    assert events(type="batch.finished")[-1]["verdicts"] == {"flaky": 2}
    assert set(new.tasks.values_list("executed", flat=True)) == {True}


def test_a_run_knows_which_of_its_programs_have_been_run_again() -> None:
    first, second = program(), program()
    batch = submit([first, second])
    work()
    known = submit([first, second])
    assert not rerun_tasks(batch).exists()
    again(submit([second]))
    assert not rerun_tasks(batch).exists()
    new = Batch.objects.latest("id")
    work(FAILED)
    rerun_batch = [rerun_tasks(each) for each in (batch, known, new)]
    assert [[bytes(task.execution.key) for task in each] for each in rerun_batch] == [
        [second.key],
        [second.key],
        [],
    ]


def test_former_result_stands_when_the_new_run_is_cancelled() -> None:
    wanted = program()
    batch = submit([wanted])
    work()
    cancel_batches([again(batch)])
    assert Execution.objects.get().state == State.SUCCEEDED
    assert submit([wanted]).tasks.get().state == State.SUCCEEDED
    assert Attempt.objects.count() == 1


@pytest.mark.parametrize("outcome", [Attempt.Outcome.FAILED, Attempt.Outcome.LOST])
def test_former_result_stands_when_the_new_run_is_given_up(outcome: Attempt.Outcome) -> None:
    batch = submit([program()])
    work()
    new = again(batch)
    for _ in range(3):
        (claimed,) = claim("a worker").claims
        expire_leases()
        release([Release(claimed.execution_id, claimed.token, outcome, "broke")])
        make_due()
    assert new.tasks.get().state == State.IGNORED
    assert Execution.objects.get().state == State.SUCCEEDED
    assert Result.objects.get().verdict == "passed"


def test_cancelling_a_repetition_whose_retry_is_due_leaves_the_former_result() -> None:
    batch = submit([program()])
    work()
    new = again(batch)
    (claimed,) = claim("a worker").claims
    release([Release(claimed.execution_id, claimed.token, Attempt.Outcome.FAILED, "broke")])
    cancel_batches([new])
    assert Execution.objects.get().state == State.SUCCEEDED


def test_thousands_are_loaded_page_by_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reruns, "MAX_IN_TRANSACTION", 20)
    batch = submit([program() for _ in range(30)])
    cancel_batches([batch])
    new = retried(batch)
    assert new.tasks.count() == 0
    while FollowUp.objects.exists():
        FollowUp.objects.update(due_at=timezone.now())
        run_due_follow_ups()
    assert len(work()) == 30
    new.refresh_from_db()
    assert new.state == BatchState.COMPLETE


def test_runs_again_beside_submissions_of_the_same_leave_nobody_waiting() -> None:
    wanted = [program() for _ in range(12)]
    batch = submit(wanted)
    work()

    def repeat() -> None:
        for _ in range(6):
            again(batch)

    def ask() -> None:
        for _ in range(12):
            submit(wanted[::-1], topic="function:2")

    def execute_some() -> None:
        for _ in range(40):
            for claimed in claim("a worker").claims:
                execute(claimed)

    in_threads(repeat, ask, execute_some, execute_some)
    work()
    assert not Task.objects.exclude(state=State.SUCCEEDED).exists()
    assert not Batch.objects.exclude(state=BatchState.COMPLETE).exists()
