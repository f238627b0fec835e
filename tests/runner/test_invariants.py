"""The invariants of batches under faults and at once, one after the other.

`chaos.invariants` judges what is left, as it does after `make chaos`. Which tests besides hold an
invariant is said in docs/batches.md.
"""

import itertools
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
import redis
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils import timezone

from chaos.invariants import violations
from runner import registry
from runner.batches.cancellation import cancel_batches
from runner.batches.reruns import rerun_batch
from runner.batches.submission import add_tasks, mark_loaded, submit_batch
from runner.errors import RequestConflict
from runner.events.sequencer import sequence_topics
from runner.models import (
    Arrival,
    Attempt,
    Batch,
    Event,
    Execution,
    Incident,
    OutboxEvent,
    Result,
    Task,
)
from runner.operations.sweeper import sweep
from runner.pipelines.materialized_views import apply_target, sweep_views
from runner.pipelines.sequences import SourceUpdate, append_update
from runner.registry import FinishedTask, register_recorder
from runner.sandbox import LogLine, Outcome, Verdict
from runner.states import BatchState, State
from runner.workers.claims import Claim, claim, extend_leases
from runner.workers.recorder import Run, publish_output, record
from runner.workers.release import Release, release
from tests.patience import PATIENCE_SECONDS
from tests.runner.pipelines.conftest import totals
from tests.support.batches import (
    PASSED,
    TOPIC,
    await_end,
    events,
    execute,
    expire_leases,
    in_threads,
    make_due,
    program,
    submit,
    worker_process,
)
from tests.support.crashes import failing_at, in_child
from tests.support.totals import VIEW, Totals

__all__ = ["totals"]

pytestmark = pytest.mark.django_db(transaction=True)

Act = Callable[[], object]

# Enough for a race to come out either way; in earnest there are more.
ROUNDS = int(os.environ.get("ROUNDS", "12"))
FAILED = Outcome(Verdict.FAILED, message="no", loaded=True, cpu_us=1_000, wall_us=2_000)


@pytest.fixture
def told() -> Iterator[list[FinishedTask]]:
    """Register a recorder named `test` and return what it is told."""
    finished: list[FinishedTask] = []

    def remember(rows: Sequence[FinishedTask]) -> None:
        transaction.on_commit(lambda: finished.extend(rows))

    register_recorder("test", remember)
    yield finished
    del registry.recorders["test"]


def at_once(*acts: Act) -> None:
    """Do these at the same instant, as far as threads can."""
    ready = threading.Barrier(len(acts), timeout=PATIENCE_SECONDS)

    def after_all(act: Act) -> Act:
        def do() -> object:
            ready.wait(PATIENCE_SECONDS)
            return act()

        return do

    in_threads(*map(after_all, acts))


def let_time_pass() -> None:
    """Let leases end, retries become due, and what nobody has joined grow old."""
    expire_leases()
    make_due()
    long_ago = Now() - timedelta(seconds=10)
    OutboxEvent.objects.update(created_at=long_ago)
    Arrival.objects.update(arrived_at=long_ago)
    Batch.objects.update(created_at=long_ago)


def survive() -> None:
    """Do what workers that are left do, until there is nothing more to do."""
    for _ in range(10):
        let_time_pass()
        sweep()
        make_due()
        while claims := claim("a survivor").claims:
            for claimed in claims:
                execute(claimed)
    assert violations() == []


def lose() -> None:
    """Have those who execute now be presumed dead."""
    expire_leases()
    sweep()
    make_due()


def recorded() -> int:
    return Attempt.objects.filter(outcome=Attempt.Outcome.RECORDED).count()


def test_i1_outcome_that_is_brought_by_several_at_once_is_accepted_once(
    told: list[FinishedTask],
) -> None:
    for number in range(1, ROUNDS + 1):
        submit([program()], recorder="test")
        (claimed,) = claim("a worker").claims
        outcomes = [PASSED, FAILED] * 2
        at_once(*[partial(bring, claimed, each) for each in outcomes])
        assert len(told) == Result.objects.count() == recorded() == number
        said = events(type="task.finished")[-1]["verdict"]
        assert Result.objects.get(execution=claimed.execution_id).verdict == said
    survive()


def bring(claimed: Claim, outcome: Outcome) -> None:
    sequence_topics(record([(Run(claimed), outcome)]))


def test_i2_late_worker_writes_nothing_beside_the_one_that_holds_the_token() -> None:
    for number in range(1, ROUNDS + 1):
        submit([program()])
        (late,) = claim("paused").claims
        lose()
        (fresh,) = claim("another").claims
        run = Run(late, lines=[LogLine(0, "out", "late")])
        at_once(
            partial(bring, late, FAILED),
            partial(publish_output, [run]),
            partial(extend_leases, [late]),
            partial(give_back, late),
            partial(bring, fresh, PASSED),
        )
        result = Result.objects.get(execution=fresh.execution_id)
        assert (result.verdict, result.attempt, recorded()) == ("passed", 2, number)
    assert not events(type="task.output")
    survive()


def give_back(claimed: Claim) -> None:
    with transaction.atomic():
        release([Release(claimed.execution_id, claimed.token, Attempt.Outcome.HANDED_BACK)])


def test_i2_token_only_grows_whatever_becomes_of_the_execution() -> None:
    wanted = program()
    batch = submit([wanted])
    tokens = []
    for turn in range(9):
        (claimed,) = claim("a worker").claims
        tokens.append(claimed.token)
        match turn % 4:
            case 0:
                give_back(claimed)
            case 1:
                lose()
            case 2:
                cancel_batches([batch])
                batch = submit([wanted], rerun=True, cause="wanted again")
            case 3:
                execute(claimed)
                with transaction.atomic():
                    batch = rerun_batch(batch, None)
    assert tokens == sorted(set(tokens))
    survive()


def test_i3_task_that_is_finished_given_up_and_cancelled_at_once_ends_once() -> None:
    ends = set()
    for number in range(ROUNDS):
        wanted = program()
        batch = submit([wanted])
        others = submit([wanted], topic="function:2")
        Execution.objects.filter(key=wanted.key).update(attempts=2)
        (claimed,) = claim("a worker").claims
        if number % 2:
            expire_leases()  # and a sweeper gives it up, or the worker is in time
        acts: list[Act] = [partial(bring, claimed, PASSED), sweep]
        acts += [partial(cancel_batches, [batch])]
        at_once(*acts)
        ended = set(Task.objects.values_list("pk", "state"))
        at_once(*acts)
        assert set(Task.objects.values_list("pk", "state")) == ended
        ends |= {state for _, state in ended}
        assert others.tasks.get().state in (State.SUCCEEDED, State.IGNORED)
    assert State.SUCCEEDED in ends
    survive()


def test_i3_no_statement_takes_a_final_state_back() -> None:
    execute_all = submit([program()])
    survive()
    for state in (State.PENDING, State.IN_PROGRESS, State.CANCELLED):
        with pytest.raises(IntegrityError), transaction.atomic():
            execute_all.tasks.update(state=state)


def test_i4_batch_ends_once_and_last_beside_finishers_adders_and_children() -> None:
    for number in range(ROUNDS):
        batch = submit([program(), program()], loaded=False)
        runs = claim("a worker").claims
        at_once(*[partial(execute, run) for run in runs])  # all that is loaded has ended
        at_once(partial(add_two, batch), partial(add_child, batch, number), work)
        work()
        batch.refresh_from_db()
        assert batch.state == BatchState.COMPLETE
        assert batch.tasks.count() == 4
        assert violations() == []


def add_two(batch: Batch) -> None:
    with transaction.atomic():
        add_tasks(batch, [program()])
    with transaction.atomic():
        add_tasks(batch, [program()])
        mark_loaded(batch)


def add_child(batch: Batch, number: int) -> None:
    """Add one, unless the batch has ended by now."""
    with suppress(RequestConflict), transaction.atomic():
        submit_batch(topic=f"child:{number}", cause="", programs=[program()], parent=batch)


def work() -> None:
    for _ in range(10):
        for claimed in claim("a worker").claims:
            execute(claimed)
        time.sleep(0.005)


def test_i4_nothing_lands_behind_the_completion_of_last_finishers_that_race() -> None:
    for _ in range(2 * ROUNDS):
        batch = submit([program() for _ in range(4)])
        at_once(*[partial(execute, each) for each in claim("a worker").claims])
        batch.refresh_from_db()
        assert batch.state == BatchState.COMPLETE
        assert not OutboxEvent.objects.exists()
    assert violations() == []


def test_i5_whatever_statement_a_process_dies_at_all_ends_that_was_committed() -> None:
    """It submits, claims, records and joins, and is killed at each statement of that in turn."""
    ended_early = 0
    for statement in itertools.count(1):

        def live(statement: int = statement) -> None:
            with failing_at(statement, kill=True):
                programs = [program(f"{name} = {statement}") for name in ("first", "second")]
                submit(programs, topic=f"statement:{statement}")
                for each in claim("short-lived").claims:
                    execute(each)

        if in_child(live) == 0:
            break
        ended_early += 1
    assert ended_early > 20
    survive()
    # What is rolled back never was; everything else has come to its end.
    assert set(Batch.objects.values_list("state", flat=True)) == {BatchState.COMPLETE}


def test_i5_batch_ends_whose_submitter_had_a_clock_that_is_ahead_and_died_before_joining() -> None:
    batch = submit([])
    Batch.objects.all().delete()
    ahead = timezone.now() + timedelta(hours=1)
    topic = batch.topic
    batch = Batch.objects.create(topic=topic, cause="", all_tasks_loaded=True, created_at=ahead)
    sweep()
    batch.refresh_from_db()
    assert batch.state == BatchState.COMPLETE


def test_i6_what_is_lost_each_time_is_begun_three_times_however_many_sweep() -> None:
    batch = submit([program() for _ in range(3)])
    for _ in range(4):
        for _ in range(3):
            claim("doomed")
        expire_leases()
        at_once(sweep, sweep, sweep)
        make_due()
    assert Attempt.objects.count() == 9
    assert set(Attempt.objects.values_list("number", "outcome")) == {
        (number, "lost") for number in (1, 2, 3)
    }
    assert set(batch.tasks.values_list("state", flat=True)) == {State.IGNORED}
    survive()


def test_i7_redis_that_is_emptied_of_every_bell_delays_and_loses_nothing(tmp_path: Path) -> None:
    """Nobody but the worker itself looks after what it was not told."""
    client = redis.Redis.from_url(settings.REDIS_URL)
    with worker_process(tmp_path) as worker:
        worker.send_signal(signal.SIGSTOP)
        batches = [submit([program() for _ in range(3)]) for _ in range(5)]
        client.flushdb()
        worker.send_signal(signal.SIGCONT)
        for batch in batches:
            assert await_end(batch).state == BatchState.COMPLETE
    assert violations() == []


def test_i8_nothing_is_recorded_for_what_is_cancelled_while_it_is_recorded(
    told: list[FinishedTask],
) -> None:
    for _ in range(ROUNDS):
        batch = submit([program(), program()], recorder="test")
        first, second = claim("a worker").claims
        at_once(
            partial(bring, first, PASSED),
            partial(cancel_batches, [batch]),
            partial(bring, second, PASSED),
        )
    succeeded = Task.objects.filter(state=State.SUCCEEDED)
    as_succeeded = sorted(row.task_id for row in told if row.state == State.SUCCEEDED)
    assert as_succeeded == sorted(succeeded.values_list("pk", flat=True))
    assert sorted(row.task_id for row in told) == sorted(Task.objects.values_list("pk", flat=True))
    assert Result.objects.count() == succeeded.count()
    survive()


def test_i8_nothing_is_recorded_of_a_run_that_was_under_way_when_it_was_cancelled() -> None:
    batch = submit([program()])
    (claimed,) = claim("a worker").claims
    cancel_batches([batch])
    bring(claimed, PASSED)
    assert not Result.objects.exists()
    survive()


def test_i9_total_is_that_of_its_sources_whoever_joins_or_dies_joining(totals: Totals) -> None:
    voters, choices = range(6), (1, 0, -1, -1)

    def vote(source: int) -> None:
        for sequence, value in enumerate(choices, start=1):
            totals.say(SourceUpdate(source, sequence, 1, value))
            if sequence % 2:
                apply_target(VIEW, 1)
            append_update(VIEW, SourceUpdate(source, sequence, 1, value))  # which comes twice
        apply_target(VIEW, 1)
        append_update(VIEW, SourceUpdate(source, 1, 1, choices[0]))  # and late

    at_once(*[partial(vote, source) for source in voters])
    for statement in itertools.count(1):
        totals.say(SourceUpdate(100, statement, 1, statement))

        def die_joining(statement: int = statement) -> None:
            with failing_at(statement, kill=True):
                apply_target(VIEW, 1)

        if in_child(die_joining) == 0:
            break
    at_once(*[partial(apply_target, VIEW, 1)] * 4)
    let_time_pass()
    sweep_views()
    assert totals.stored() == totals.expected()
    assert not Arrival.objects.exists()
    assert not Incident.objects.exists()  # nothing was to be put right


def test_i10_program_that_many_want_at_once_is_executed_once() -> None:
    wanted = [program() for _ in range(12)]

    def want(order: int) -> None:
        for _ in range(3):
            submit(wanted[:: 1 if order % 2 else -1], topic=f"{TOPIC}{order}")

    at_once(*[partial(want, order) for order in range(4)], work, work)
    survive()
    assert Execution.objects.count() == Attempt.objects.count() == 12
    assert Task.objects.count() == 12 * 12


def test_i10_what_lost_its_worker_is_executed_again_and_what_has_a_result_is_not() -> None:
    wanted = program()
    submit([wanted])
    assert claim("lost").claims
    submit([wanted])
    lose()
    survive()
    submit([wanted])
    survive()
    outcomes = Attempt.objects.order_by("pk").values_list("outcome", flat=True)
    assert list(outcomes) == ["lost", "recorded"]
    assert Event.objects.filter(type="task.finished", payload__cached=True).count() == 1


def test_laws_are_broken_by_what_breaks_them() -> None:
    """Who judges is judged: rows that are not as they should be are found."""
    submit([program(), program()])
    survive()
    first, last = Task.objects.order_by("pk")
    Event.objects.filter(payload__task=first.pk, type="task.finished").delete()
    Result.objects.filter(execution=last.execution_id).update(attempt=2)
    Attempt.objects.filter(execution=first.execution_id).update(number=4)
    submit([program()])
    found = {violation.law.split()[0] for violation in violations()}
    assert found == {"I1", "I5", "I6"}
