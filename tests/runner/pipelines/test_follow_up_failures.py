"""Follow-ups that fail, wait, or lose their worker: others go on, and nothing is forgotten."""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

import pytest
from django.db import transaction
from django.db.models.functions import Now

from runner import registry
from runner.models import FollowUp, Incident
from runner.pipelines.follow_ups import MAX_TRIES, run_due_follow_ups
from runner.pipelines.outbox import append_event, enqueue_follow_up
from runner.registry import register_follow_up
from runner.telemetry.incidents import FOLLOW_UP_GIVEN_UP
from tests.support.batches import TOPIC, event_types
from tests.support.crashes import Crash, failing_at, in_child

pytestmark = pytest.mark.django_db(transaction=True)

# From looking for what is due to deleting it: more than these a run of one target has not.
RUN_STATEMENTS = 8


class Follower:
    """What the follow-up `test` does: it notes what it is called with, and may fail."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, int]] = []
        self.fails: Callable[[str], bool] = lambda _target: False

    def __call__(self, target: str, rows: Sequence[FollowUp]) -> None:
        self.ran.append((target, len(rows)))
        append_event(TOPIC, "notice", {})
        if self.fails(target):
            raise ValueError(f"target {target} fails")


@pytest.fixture
def follower() -> Iterator[Follower]:
    follower = Follower()
    register_follow_up("test", follower)
    yield follower
    del registry.follow_up_handlers["test"]


def ask(*targets: str) -> None:
    with transaction.atomic():
        for target in targets:
            enqueue_follow_up("test", target)


def test_what_was_put_off_is_not_hurried_by_what_arrives(follower: Follower) -> None:
    follower.fails = lambda _target: True
    ask("1")
    run_due_follow_ups()
    ask("1")
    run_due_follow_ups()
    assert follower.ran == [("1", 1), ("1", 1)]
    assert list(FollowUp.objects.values_list("attempts", flat=True)) == [1, 1]
    follower.fails = lambda _target: False
    FollowUp.objects.update(due_at=Now())
    run_due_follow_ups()
    assert follower.ran[-1] == ("1", 2)


def test_what_is_parked_stays_parked_when_others_arrive_for_its_target(follower: Follower) -> None:
    ask("1")
    FollowUp.objects.update(due_at=None)
    ask("1")
    run_due_follow_ups()
    assert follower.ran == [("1", 1)]
    assert FollowUp.objects.get().due_at is None


def test_what_is_given_up_is_an_incident_with_its_traceback(follower: Follower) -> None:
    follower.fails = lambda _target: True
    ask("1")
    for _ in range(MAX_TRIES):
        assert not Incident.objects.exists()
        FollowUp.objects.update(due_at=Now())
        run_due_follow_ups()
    incident = Incident.objects.get()
    assert incident.kind == FOLLOW_UP_GIVEN_UP
    assert "test 1" in incident.detail
    assert "Traceback" in incident.detail
    assert "target 1 fails" in incident.detail
    assert not FollowUp.objects.exists()


def test_many_targets_that_fail_keep_nobody_waiting(follower: Follower) -> None:
    follower.fails = lambda target: target != "last"
    ask(*(str(number) for number in range(120)), "last")
    run_due_follow_ups()
    assert follower.ran.count(("last", 1)) == 1
    assert len({target for target, _ in follower.ran}) == 121
    assert event_types() == ["notice"]
    assert FollowUp.objects.count() == 120


def test_targets_are_run_in_the_order_of_their_first_arrivals(follower: Follower) -> None:
    ask("b", "a", "b", "c", "a")
    run_due_follow_ups()
    assert follower.ran == [("b", 2), ("a", 2), ("c", 1)]


@pytest.mark.parametrize("kill", [False, True], ids=["raises", "killed"])
@pytest.mark.parametrize("statement", range(1, RUN_STATEMENTS + 1))
def test_what_a_worker_was_running_when_it_died_is_run_by_another(
    follower: Follower, statement: int, *, kill: bool
) -> None:
    ask("1", "1")

    def crash() -> None:
        with failing_at(statement, kill=kill):
            run_due_follow_ups()

    if kill:
        assert in_child(crash) in (-signal.SIGKILL, 0)
    else:
        with suppress(Crash):
            crash()
    FollowUp.objects.update(due_at=Now())
    run_due_follow_ups()
    assert not FollowUp.objects.exists()
    assert event_types() == ["notice"]
