"""Retention: what is old goes, what somebody needs stays, and submitting beside it is safe."""

import threading
from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.utils import timezone
from pytest_django.fixtures import Settings

from runner import registry
from runner.batches.cancellation import cancel_batches
from runner.batches.submission import add_tasks, mark_loaded, submit_batch
from runner.events.topics import poll_events
from runner.models import (
    Attempt,
    Batch,
    Chore,
    Event,
    Execution,
    Incident,
    Result,
    Source,
    Task,
    Topic,
)
from runner.operations import retention, sweeper
from runner.operations.retention import (
    remove_batches,
    remove_events,
    remove_results,
    remove_sources,
)
from runner.operations.sweeper import sweep
from runner.registry import register_retention_rule
from runner.states import BatchState, State
from runner.workers.claims import claim
from tests.patience import PATIENCE_SECONDS, await_that
from tests.support.batches import (
    TOPIC,
    execute,
    in_threads,
    is_anybody_waiting_for_a_lock,
    program,
    submit,
)

pytestmark = pytest.mark.django_db(transaction=True)

LONG_AGO = timezone.now() - timedelta(days=400)
NOW_AND_THEN = sum(
    chore.interval_seconds > 0 for chore in (*sweeper.PERIODIC_TASKS, *registry.periodic_tasks)
)


def work() -> None:
    while claims := claim("a worker").claims:
        for claimed in claims:
            execute(claimed)


def age() -> None:
    """Let much time pass."""
    Event.objects.update(created_at=LONG_AGO)
    Batch.objects.exclude(finished_at=None).update(finished_at=LONG_AGO)
    Execution.objects.update(used_at=LONG_AGO)
    Source.objects.update(used_at=LONG_AGO)


def remove_all() -> None:
    """Do all of it until nothing more is found."""
    for chore in (remove_events, remove_batches, remove_results, remove_sources):
        at = chore(0)
        while at:
            at = chore(at)


def test_everything_old_goes() -> None:
    submit([program() for _ in range(5)])
    work()
    age()
    remove_all()
    for model in (Event, Batch, Task, Execution, Attempt, Result, Source):
        assert not model.objects.exists(), model


def test_nothing_young_goes() -> None:
    submit([program()])
    work()
    counted = [
        (model, model.objects.count()) for model in (Event, Batch, Task, Execution, Result, Source)
    ]
    remove_all()
    assert all(model.objects.count() == count for model, count in counted)


@pytest.fixture
def open_to_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.public_topics, "function", lambda row_ids: row_ids)


def test_events_are_purged_in_order_and_readers_below_are_reset(open_to_all: None) -> None:
    submit([])
    submit([])
    first_half = Topic.objects.get().head_seq
    Event.objects.update(created_at=LONG_AGO)
    submit([])
    topic = Topic.objects.get()
    assert remove_events(0)
    topic.refresh_from_db()
    assert topic.first_seq == first_half + 1
    assert Event.objects.earliest("seq").seq == topic.first_seq
    assert poll_events(AnonymousUser(), TOPIC, after=0)["reason"] == "purged"
    assert [
        entry["seq"] for entry in poll_events(AnonymousUser(), TOPIC, after=first_half)["events"]
    ] == [*range(topic.first_seq, topic.head_seq + 1)]
    assert remove_events(topic.pk) == 0


def test_topic_of_which_all_is_purged_goes_on_with_its_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(retention, "EVENTS_AT_ONCE", 3)
    for _ in range(4):
        submit([])
    head = Topic.objects.get().head_seq
    Event.objects.update(created_at=LONG_AGO)
    for _ in range(4):
        remove_events(0)
    assert not Event.objects.exists()
    submit([])
    topic = Topic.objects.get()
    assert (topic.first_seq, Event.objects.earliest("seq").seq) == (head + 1, head + 1)


def test_events_that_come_while_others_are_purged_are_numbered() -> None:
    for _ in range(5):
        submit([])
    Event.objects.update(created_at=LONG_AGO)
    in_threads(
        *[lambda: [submit([]) for _ in range(10)]] * 2,
        lambda: [remove_events(0) for _ in range(30)],
    )
    topic = Topic.objects.get()
    seqs = list(Event.objects.order_by("seq").values_list("seq", flat=True))
    assert seqs == list(range(topic.first_seq, topic.head_seq + 1))
    assert topic.head_seq == 2 * 25
    assert not Batch.objects.filter(state=BatchState.OPEN).exists()


def test_children_go_first_and_not_while_the_parent_is_open() -> None:
    with transaction.atomic():
        parent = submit_batch(topic=TOPIC, cause="root", programs=[program()], loaded=False)
    child = submit([program()], parent=parent)
    work()
    age()
    remove_all()
    assert set(Batch.objects.all()) == {parent, child}
    mark_loaded(parent)
    age()
    remove_batches(0)
    assert set(Batch.objects.all()) == {parent}
    remove_batches(0)
    assert not Batch.objects.exists()


def test_open_batches_stay() -> None:
    submit([program()])
    age()
    remove_all()
    assert Task.objects.get().state == State.PENDING


def test_step_outlives_the_batch_of_its_predecessor() -> None:
    first = submit([program()])
    work()
    following = program()
    second = submit([following], after={following.key: first.tasks.get()})
    Batch.objects.filter(pk=first.pk).update(finished_at=LONG_AGO)
    remove_all()
    assert Batch.objects.get() == second
    work()
    assert second.tasks.get().state == State.SUCCEEDED


def test_large_batches_go_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "TASKS_AT_ONCE", 3)
    submit([program() for _ in range(10)])
    cancel_batches(Batch.objects.all())
    age()
    assert remove_batches(0)
    assert Task.objects.count() == 7
    remove_all()
    assert not Batch.objects.exists()


def test_results_that_somebody_keeps_stay_with_their_sources() -> None:
    kept, other = program(), program()
    submit([kept, other])
    work()
    age()
    register_retention_rule(lambda keys: [key for key in keys if key == kept.key])
    try:
        remove_all()
    finally:
        registry.retention_rules.pop()
    assert bytes(Execution.objects.get().key) == kept.key
    assert {bytes(source.sha256) for source in Source.objects.all()} == set(kept.sources)


def test_result_that_is_used_again_is_young_again() -> None:
    wanted = program()
    submit([wanted])
    work()
    age()
    submit([wanted])
    Batch.objects.update(finished_at=LONG_AGO)
    remove_all()
    assert Result.objects.exists()
    assert not Batch.objects.exists()


def test_program_is_executed_anew_when_its_result_is_gone() -> None:
    wanted = program()
    for _ in range(2):
        batch = submit([wanted])
        work()
        batch.refresh_from_db()
        assert batch.state == BatchState.COMPLETE
        age()
        remove_all()
    assert not Source.objects.exists()


def test_source_that_a_submission_takes_over_is_not_removed_under_it() -> None:
    wanted = program()
    submit([wanted])
    work()
    age()
    remove_batches(0)
    remove_results(0)
    assert not Execution.objects.exists()
    with transaction.atomic():
        submit_batch(topic=TOPIC, cause="a test", programs=[wanted])
        in_threads(lambda: remove_sources(0))
    assert {bytes(source.sha256) for source in Source.objects.all()} == set(wanted.sources)
    work()
    assert Result.objects.get().verdict == "passed"


def test_result_that_a_submission_takes_over_is_not_removed_under_it() -> None:
    wanted = program()
    submit([wanted])
    work()
    age()
    remove_batches(0)
    with transaction.atomic():
        batch = submit_batch(topic=TOPIC, cause="a test", programs=[wanted])
        in_threads(lambda: remove_results(0))
    assert batch.tasks.get().execution.result.verdict == "passed"


def test_submission_that_comes_while_its_result_is_removed_makes_it_anew() -> None:
    wanted = program()
    submit([wanted])
    work()
    age()
    remove_batches(0)
    asked = threading.Event()

    def hesitate(_keys: Sequence[bytes]) -> list[bytes]:
        """Called while the execution is about to be removed: somebody submits it now."""
        asked.set()
        await_that(is_anybody_waiting_for_a_lock)
        return []

    def submit_it() -> None:
        assert asked.wait(PATIENCE_SECONDS)
        submit([wanted])

    register_retention_rule(hesitate)
    try:
        in_threads(lambda: remove_results(0), submit_it)
    finally:
        registry.retention_rules.pop()
    task = Task.objects.get()
    assert (task.state, task.execution.state) == (State.PENDING, State.PENDING)
    work()
    assert Result.objects.get().execution.tasks.get().state == State.SUCCEEDED


def test_submitting_the_same_beside_the_removal_leaves_nothing_dangling() -> None:
    """Everything is old all the time, so that all is removed whenever nobody holds it."""
    wanted = [program() for _ in range(12)]

    def submit_and_cancel(order: int) -> None:
        for number in range(25):
            batch = submit(wanted[::-1] if order else wanted, topic=f"function:{order}")
            if number % 2:
                cancel_batches([batch])

    def remove() -> None:
        for _ in range(80):
            with transaction.atomic():
                rows = Execution.objects.order_by("key")
                list(rows.select_for_update(no_key=True, skip_locked=True))
                Batch.objects.exclude(finished_at=None).update(finished_at=LONG_AGO)
                idle = Execution.objects.filter(tasks=None).order_by("key")
                held = idle.select_for_update(no_key=True, skip_locked=True, of=("self",))
                ids = [row.pk for row in held]
                Execution.objects.filter(pk__in=ids).update(used_at=LONG_AGO)
            remove_batches(0)
            remove_results(0)
            with transaction.atomic():
                sources = Source.objects.order_by("sha256")
                held_sources = sources.select_for_update(skip_locked=True)
                hashes = [row.sha256 for row in held_sources]
                Source.objects.filter(sha256__in=hashes).update(used_at=LONG_AGO)
            remove_sources(0)

    def execute_some() -> None:
        for _ in range(30):
            for claimed in claim("a worker").claims:
                execute(claimed)

    in_threads(lambda: submit_and_cancel(0), lambda: submit_and_cancel(1), remove, execute_some)
    work()
    assert not Batch.objects.filter(state=BatchState.OPEN).exists()
    last = submit(wanted)
    work()
    last.refresh_from_db()
    assert last.state == BatchState.COMPLETE
    hashes = {bytes(row.sha256).hex() for row in Source.objects.all()}
    for execution in Execution.objects.all():
        assert {module[1] for module in execution.program["modules"]} <= hashes


def test_sweeper_does_it_now_and_then_and_one_of_several() -> None:
    submit([program()])
    work()
    age()
    in_threads(*[sweep] * 3)
    assert not Batch.objects.exists()
    assert Chore.objects.count() == NOW_AND_THEN
    submit([program()])
    work()
    age()
    sweep()
    assert Batch.objects.exists()
    Chore.objects.update(ran_at=LONG_AGO)
    sweep()
    assert not Batch.objects.exists()


def test_chore_that_breaks_is_an_incident_and_keeps_no_other_from_being_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(_cursor: int) -> int:
        raise ValueError("broken")

    chores = (registry.PeriodicTask("broken", 0, broken), *sweeper.PERIODIC_TASKS)
    monkeypatch.setattr(sweeper, "PERIODIC_TASKS", chores)
    sweep()
    assert Incident.objects.get().kind == "chore_failed"
    assert Chore.objects.count() == NOW_AND_THEN


def test_stretch_that_is_left_off_is_gone_on_with(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "EXECUTIONS_AT_ONCE", 2)
    monkeypatch.setattr(sweeper, "TASK_SECONDS", 0)
    submit([program() for _ in range(6)])
    sweep()
    ids = list(Execution.objects.order_by("id").values_list("id", flat=True))
    assert Chore.objects.get(name="results").cursor == ids[1]
    Chore.objects.update(ran_at=LONG_AGO)
    sweep()
    assert Chore.objects.get(name="results").cursor == ids[3]


def test_more_can_be_added_to_a_batch_whose_results_were_removed() -> None:
    batch = submit([program()], loaded=False)
    cancel_batches([submit([wanted := program()])])
    age()
    remove_all()
    with transaction.atomic():
        add_tasks(batch, [wanted])
    assert batch.tasks.count() == 2
