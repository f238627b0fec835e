"""Follow-ups: run after the transaction they follow from, gathered, and never forgotten."""

import threading
from collections.abc import Callable, Iterator, Sequence

import pytest
from django.db import OperationalError, transaction
from django.db.models.functions import Now

from runner import registry
from runner.batches.submission import submit_batch
from runner.errors import NotRegistered
from runner.events.sequencer import sequence_topics
from runner.models import Batch, FollowUp
from runner.pipelines import outbox
from runner.pipelines.doorbell import _queue, read_queue_state
from runner.pipelines.follow_ups import MAX_TRIES, run_due_follow_ups
from runner.pipelines.outbox import append_event, enqueue_follow_up, mark_follow_up_thread
from runner.registry import (
    FinishedTask,
    RowsByTarget,
    register_follow_up,
    register_follow_ups,
    register_recorder,
)
from runner.states import BatchState
from runner.workers.drainer import Drainer
from tests.patience import PATIENCE_SECONDS
from tests.support.batches import TOPIC, event_types, in_threads, program, submit

pytestmark = pytest.mark.django_db(transaction=True)

Follow = Callable[[str, Sequence[FollowUp]], None]


@pytest.fixture
def following() -> Iterator[Callable[[Follow], None]]:
    """Return a way to say what the follow-up `test` does."""

    def register(follow: Follow) -> None:
        register_follow_up("test", follow)

    register(lambda _target, _rows: None)
    yield register
    del registry.follow_up_handlers["test"]


def ask(*targets: str, batch: Batch | None = None) -> None:
    with transaction.atomic():
        for target in targets:
            enqueue_follow_up("test", target, batch=batch)


def test_unregistered_follow_up_is_refused() -> None:
    with pytest.raises(NotRegistered), transaction.atomic():
        enqueue_follow_up("nobody", "1")


def test_what_many_targets_bring_is_joined_together(
    following: Callable[[Follow], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    joined: list[set[int]] = []
    monkeypatch.setattr(outbox, "SEQUENCE_INTERVAL_SECONDS", 60.0)

    def join(topic_ids: set[int]) -> None:
        joined.append(topic_ids)
        sequence_topics(topic_ids)

    monkeypatch.setattr(outbox, "sequence_topics", join)

    def tell(target: str, _rows: Sequence[FollowUp]) -> None:
        append_event(f"function:{target}", "told", {})
        if target == "2":
            raise ValueError("this one fails")

    following(tell)
    ask("1", "2", "3")
    run_due_follow_ups()
    assert [len(topic_ids) for topic_ids in joined] == [3]
    assert [event_types(f"function:{number}") for number in (1, 2, 3)] == [["told"], [], ["told"]]


def test_all_arrivals_for_a_target_are_run_as_one(following: Callable[[Follow], None]) -> None:
    ran: list[tuple[str, int]] = []
    following(lambda target, rows: ran.append((target, len(rows))))
    ask("1", "2", "1")
    ask("1")
    assert run_due_follow_ups() == 2
    assert ran == [("1", 3), ("2", 1)]
    assert not FollowUp.objects.exists()


def test_nobody_is_woken_for_a_follow_up_that_this_thread_sees_to(
    following: Callable[[Follow], None],
) -> None:
    def ask_as_who_sees_to_them() -> None:
        mark_follow_up_thread()
        ask("1")
        bells.append(read_queue_state().bells)
        ask("1", "2")
        bells.append(read_queue_state().bells)

    bells: list[int] = []
    _queue().delete(delete_jobs=True)
    in_threads(ask_as_who_sees_to_them)
    ask("3")
    assert [*bells, read_queue_state().bells] == [0, 1, 2]


@pytest.fixture
def together() -> Iterator[list[dict[str, int]]]:
    """Have the follow-up `together` called for three targets at once; list how many rows of which.

    Each is done the second time that it is called for; one that is `bad` fails.
    """
    called: list[dict[str, int]] = []

    def run(arrivals: RowsByTarget) -> list[str]:
        before = {target for each in called for target in each}
        called.append({target: len(rows) for target, rows in arrivals.items()})
        if "bad" in arrivals:
            raise ValueError("this one fails")
        for target in arrivals:
            append_event(TOPIC, target, {})
        return [target for target in arrivals if target in before]

    register_follow_ups("together", run, max_targets=3)
    yield called
    del registry.follow_up_handlers["together"]


def ask_together(*targets: str) -> None:
    with transaction.atomic():
        for target in targets:
            enqueue_follow_up("together", target)


def test_many_targets_are_called_at_once_and_again_until_each_is_done(
    together: list[dict[str, int]],
) -> None:
    ask_together("a", "b", "a", "c", "d")
    run_due_follow_ups()
    assert together == [
        {"a": 2, "b": 1, "c": 1},
        {"a": 2, "b": 1, "c": 1},
        {"d": 1},
        {"d": 1},
    ]
    assert not FollowUp.objects.exists()


def test_of_targets_that_are_called_at_once_one_that_fails_harms_no_other(
    together: list[dict[str, int]],
) -> None:
    ask_together("a", "bad", "c")
    run_due_follow_ups()
    assert together[:4] == [{"a": 1, "bad": 1, "c": 1}, {"a": 1}, {"bad": 1}, {"c": 1}]
    assert [row.target for row in FollowUp.objects.filter(attempts=1)] == ["bad"]
    assert FollowUp.objects.count() == 1
    assert sorted(event_types()) == ["a", "c"]


def test_what_the_database_breaks_off_is_put_off_and_never_given_up(
    following: Callable[[Follow], None],
) -> None:
    def wait_in_a_circle(_target: str, _rows: Sequence[FollowUp]) -> None:
        raise OperationalError("deadlock detected")

    following(wait_in_a_circle)
    ask("1")
    for _ in range(MAX_TRIES + 1):
        FollowUp.objects.update(due_at=Now())
        run_due_follow_ups()
    assert FollowUp.objects.get().attempts == 0


def test_rolled_back_transaction_is_followed_by_nothing(
    following: Callable[[Follow], None],
) -> None:
    with transaction.atomic():
        enqueue_follow_up("test", "1")
        transaction.set_rollback(True)
    assert run_due_follow_ups() == 0


def test_follow_up_keeps_its_batch_open_and_speaks_before_its_end(
    following: Callable[[Follow], None], drainer: Drainer
) -> None:
    def announce(_target: str, rows: Sequence[FollowUp]) -> None:
        for row in rows:
            assert row.batch is not None
            assert row.batch.state == BatchState.OPEN
        append_event(TOPIC, "standing.changed", {})

    def record(finished: Sequence[FinishedTask]) -> None:
        enqueue_follow_up("test", "1", batch=Batch.objects.get(pk=finished[0].batch_id))

    following(announce)
    register_recorder("test", record)
    try:
        batch = submit([program() for _ in range(6)], recorder="test")
        drainer.drain()
    finally:
        del registry.recorders["test"]
    batch.refresh_from_db()
    assert batch.state == BatchState.COMPLETE
    assert event_types()[-2:] == ["standing.changed", "batch.finished"]


def test_follow_up_can_submit_a_child_that_is_executed_too(
    following: Callable[[Follow], None], drainer: Drainer
) -> None:
    def cascade(_target: str, rows: Sequence[FollowUp]) -> None:
        submit_batch(topic="function:2", cause="a test", programs=[program()], parent=rows[0].batch)

    following(cascade)
    with transaction.atomic():
        parent = submit_batch(topic=TOPIC, cause="a test", programs=[program()])
        enqueue_follow_up("test", "1", batch=parent)
    drainer.drain()
    assert Batch.objects.filter(state=BatchState.COMPLETE).count() == 2
    assert event_types("function:2")[-1] == event_types(TOPIC)[-1] == "batch.finished"


def test_follow_up_that_fails_is_tried_again_and_its_error_is_kept(
    following: Callable[[Follow], None],
) -> None:
    tries = 0

    def fail_first(_target: str, _rows: Sequence[FollowUp]) -> None:
        nonlocal tries
        tries += 1
        append_event(TOPIC, "notice", {})
        if tries == 1:
            raise ValueError("not yet")

    following(fail_first)
    ask("1")
    assert run_due_follow_ups() == 1
    row = FollowUp.objects.get()
    assert "not yet" in row.error
    assert event_types() == []
    assert run_due_follow_ups() == 0  # not due
    FollowUp.objects.update(due_at=Now())
    assert run_due_follow_ups() == 1
    assert not FollowUp.objects.exists()
    assert event_types() == ["notice"]


def test_hopeless_follow_up_is_given_up_so_that_its_batch_ends(
    following: Callable[[Follow], None],
) -> None:
    def fail(_target: str, _rows: Sequence[FollowUp]) -> None:
        raise ValueError("never")

    following(fail)
    with transaction.atomic():
        batch = submit_batch(topic=TOPIC, cause="a test", programs=[])
        enqueue_follow_up("test", "1", batch=batch)
    for _ in range(MAX_TRIES):
        batch.refresh_from_db()
        assert batch.state == BatchState.OPEN
        FollowUp.objects.update(due_at=Now())
        run_due_follow_ups()
    batch.refresh_from_db()
    assert batch.state == BatchState.COMPLETE


def test_one_target_is_run_by_one_worker_at_a_time_and_others_go_on(
    following: Callable[[Follow], None],
) -> None:
    running, go_on = threading.Event(), threading.Event()
    ran: list[tuple[str, int]] = []

    def slowly(target: str, rows: Sequence[FollowUp]) -> None:
        ran.append((target, len(rows)))
        if target == "slow" and not running.is_set():
            running.set()
            assert go_on.wait(PATIENCE_SECONDS)

    def run_others() -> None:
        assert running.wait(PATIENCE_SECONDS)
        ask("slow", "quick")
        run_due_follow_ups()
        assert ran == [("slow", 1), ("quick", 1)]
        go_on.set()

    following(slowly)
    ask("slow")
    in_threads(run_due_follow_ups, run_others)
    assert ran == [("slow", 1), ("quick", 1), ("slow", 1)]
    assert not FollowUp.objects.exists()
