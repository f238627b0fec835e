"""Claiming the next while the last ones run: nothing is run twice, lost, or kept from others."""

from collections import Counter, defaultdict
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from runner.models import Attempt, Execution, Result, Task
from runner.programs.program import PreparedProgram
from runner.states import MAX_ATTEMPTS, BatchState, State
from runner.workers import writer
from runner.workers.claims import MAX_CLAIMS, claim
from runner.workers.drainer import CLAIM_AHEAD_BELOW, Drainer
from runner.workers.writer import MISMATCHES
from tests.patience import PATIENCE_SECONDS, await_that
from tests.runner.workers.test_processes import ENDLESS, ENDLESS_MS, await_begun
from tests.support.batches import await_end, events, program, submit, worker_process

pytestmark = pytest.mark.django_db(transaction=True)

# So many that workers claim ahead: each takes a share of what is ready, and no more than the most.
MANY = 6 * MAX_CLAIMS
# Among the last of the first claim, at which the next has been made.
WHERE_IT_STAYS = MAX_CLAIMS - CLAIM_AHEAD_BELOW // 2
# Long enough to be caught at, also where the machine is busy.
PAUSE = "import time\nprint('begun')\ntime.sleep(4)"
SHORT_PAUSE = "import time\nprint('begun')\ntime.sleep(1)"
LEASE_SECONDS = 3
KILLED = "killed"  # its name in the database


def test_many_are_executed_once_each(drainer: Drainer) -> None:
    batch = submit([program() for _ in range(MANY)])
    drainer.drain()
    assert set(batch.tasks.values_list("state", flat=True)) == {State.SUCCEEDED}
    assert set(Attempt.objects.values_list("outcome", "number")) == {("recorded", 1)}


def test_who_waits_for_a_few_does_not_wait_for_what_others_bring(
    drainer: Drainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "GATHER_SECONDS_WHEN_BUSY", 60.0)
    ada, bob = User.objects.create_user("ada"), User.objects.create_user("bob")
    submit([program() for _ in range(MANY)], owner=ada)
    few = submit([program() for _ in range(3)], owner=bob)
    drainer.drain()
    few.refresh_from_db()
    assert Result.objects.filter(created_at__lte=few.finished_at).count() < MAX_CLAIMS


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


def test_nothing_is_claimed_while_something_must_be_alone(drainer: Drainer) -> None:
    alone = submit([program(SHORT_PAUSE)])
    others = submit([program() for _ in range(3)])
    Execution.objects.filter(tasks__batch=alone).update(alone=True)
    drainer.drain()
    first = Execution.objects.get(tasks__batch=alone)
    assert first.claimed_at is not None
    for execution in Execution.objects.filter(tasks__batch=others):
        assert execution.claimed_at is not None
        assert execution.claimed_at - first.claimed_at >= timedelta(seconds=1)


def test_what_must_be_alone_has_its_turn_among_many(drainer: Drainer) -> None:
    many = submit([program() for _ in range(MANY)])
    alone = submit([program()])
    Execution.objects.filter(tasks__batch=alone).update(alone=True)
    drainer.drain()
    assert alone.tasks.get().state == State.SUCCEEDED
    assert set(many.tasks.values_list("state", flat=True)) == {State.SUCCEEDED}


def test_programs_of_another_runtime_are_left_to_other_workers_for_a_while(
    drainer: Drainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = submit([program()])
    executions = Execution.objects.filter(tasks__batch=batch)
    with monkeypatch.context() as patched:
        patched.setattr("runner.programs.program.RUNTIME_VERSION", "of another release")
        drainer.drain()
    execution = executions.get()
    assert (execution.state, execution.attempts) == (State.PENDING, 0)
    assert execution.due_at is not None
    assert execution.due_at > timezone.now()
    attempt = Attempt.objects.get()
    assert attempt.outcome == "handed_back"
    assert "RuntimeMismatch" in attempt.error
    # A worker of its own runtime runs it as if nothing had been.
    executions.update(due_at=None)
    drainer.drain()
    assert batch.tasks.get().state == State.SUCCEEDED


def test_a_program_that_no_worker_can_run_is_given_up_in_the_end(
    drainer: Drainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = submit([program()])
    executions = Execution.objects.filter(tasks__batch=batch)
    monkeypatch.setattr("runner.programs.program.RUNTIME_VERSION", "of another release")
    for _ in range(MISMATCHES + MAX_ATTEMPTS):
        assert batch.tasks.get().state in {State.PENDING, State.FAILED}
        drainer.drain()
        executions.update(due_at=None)
    assert batch.tasks.get().state == State.IGNORED
    outcomes = Counter(Attempt.objects.values_list("outcome", flat=True))
    assert outcomes == {"handed_back": MISMATCHES, "failed": MAX_ATTEMPTS}


def test_worker_that_is_told_to_stop_hands_back_what_it_has_claimed_ahead(tmp_path: Path) -> None:
    with worker_process(tmp_path) as worker:
        batch = submit(with_pause(program(ENDLESS, wall_ms=ENDLESS_MS)))
        await_claimed_ahead()
        worker.terminate()
        assert worker.wait(PATIENCE_SECONDS) == 0
    assert not Execution.objects.filter(state=State.IN_PROGRESS).exists()
    states = set(batch.tasks.values_list("state", flat=True))
    assert states == {State.PENDING, State.SUCCEEDED}
    waiting = Execution.objects.filter(state=State.PENDING)
    assert set(waiting.values_list("attempts", flat=True)) == {0}
    assert Attempt.objects.filter(outcome="handed_back").count() > MAX_CLAIMS
    assert set(Attempt.objects.values_list("outcome", flat=True)) == {"recorded", "handed_back"}


def test_what_a_killed_worker_had_claimed_ahead_is_done_by_another_once_its_lease_is_over(
    tmp_path: Path,
) -> None:
    lease = {"SOCIALCODE_LEASE_SECONDS": str(LEASE_SECONDS)}
    with worker_process(tmp_path, **lease, PGAPPNAME=KILLED) as killed:
        batch = submit(with_pause(program(PAUSE)))
        await_claimed_ahead()
        killed.kill()
        killed.wait()
    await_that(is_gone, what="what it has sent is committed, or never will be")
    held = Execution.objects.filter(state=State.IN_PROGRESS)
    lost = set(held.values_list("pk", flat=True))
    assert len(lost) > MAX_CLAIMS
    # However many claims there were in a row, none is kept for longer than any other.
    in_a_lease = timezone.now() + timedelta(seconds=LEASE_SECONDS)
    assert not held.filter(leased_until__gt=in_a_lease).exists()
    with worker_process(tmp_path, **lease):
        assert await_end(batch).state == BatchState.COMPLETE
    assert set(batch.tasks.values_list("state", "execution__result__verdict")) == {
        (State.SUCCEEDED, "passed")
    }
    assert Result.objects.count() == MANY
    assert Counter(told["task"] for told in events(type="task.finished")) == dict.fromkeys(
        batch.tasks.values_list("pk", flat=True), 1
    )
    tries: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for pk, number, outcome in Attempt.objects.order_by("id").values_list(
        "execution", "number", "outcome"
    ):
        tries[pk].append((number, outcome))
    assert {pk for pk, made in tries.items() if made == [(1, "lost"), (2, "recorded")]} == lost
    assert all(made == [(1, "recorded")] for pk, made in tries.items() if pk not in lost)


def with_pause(pausing: PreparedProgram) -> list[PreparedProgram]:
    """Return many programs; at this one the worker stays when it has claimed the next."""
    return [pausing if number == WHERE_IT_STAYS else program() for number in range(MANY)]


def await_claimed_ahead() -> None:
    """Wait until a worker holds more than it takes at once."""
    held = Execution.objects.filter(state=State.IN_PROGRESS)
    await_begun()
    await_that(lambda: held.count() > MAX_CLAIMS, what="the next are claimed ahead")


def held_tasks() -> list[int]:
    """Return the tasks whose programs are being executed, or held by who does."""
    held = Task.objects.filter(execution__state=State.IN_PROGRESS)
    return list(held.values_list("pk", flat=True))


def is_gone() -> bool:
    """Say whether the database has noticed that the killed worker is not there any more."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select count(*) from pg_stat_activity"
            " where datname = current_database() and application_name = %s",
            [KILLED],
        )
        return bool(cursor.fetchone()[0] == 0)
