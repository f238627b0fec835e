"""Follow-ups are shared between owners: whose turn it is, and what goes on beside a long one."""

import threading
from collections.abc import Callable, Iterator, Sequence

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models.functions import Now

from runner import registry
from runner.models import FollowUp, Result
from runner.pipelines import follow_ups
from runner.pipelines.fan_out import PAGE_JOB, fan_out
from runner.pipelines.follow_up_queue import due_targets
from runner.pipelines.follow_ups import PORTION_SECONDS, portion_sizes, run_due_follow_ups
from runner.pipelines.outbox import enqueue_follow_up
from runner.pipelines.virtual_time import UNOWNED_STEP
from runner.registry import (
    Page,
    RowsByTarget,
    register_follow_up,
    register_follow_ups,
    register_source,
    register_step,
)
from runner.semaphores.semaphore import proceed, register_continuation, wait
from runner.workers.drainer import Drainer
from tests.patience import PATIENCE_SECONDS, await_that
from tests.support.batches import in_threads, program, rows_read, submit
from tests.support.tickets import end

pytestmark = pytest.mark.django_db(transaction=True)

AT_ONCE = 32
MANY = 300


@pytest.fixture
def portions() -> Iterator[list[list[str]]]:
    """Have the follow-up `many` called for many targets at once; list the targets of each call."""
    called: list[list[str]] = []

    def run(arrivals: RowsByTarget) -> list[str]:
        called.append(list(arrivals))
        return list(arrivals)

    register_follow_ups("many", run, max_targets=AT_ONCE)
    portion_sizes._limits.clear()
    yield called
    portion_sizes._limits.clear()
    del registry.follow_up_handlers["many"]


@pytest.fixture
def users() -> list[User]:
    return [User.objects.create_user(name) for name in ("ann", "bob", "cy")]


def ask(owner: User | None, *targets: str, name: str = "many") -> None:
    with transaction.atomic():
        for target in targets:
            enqueue_follow_up(name, target, owner_id=owner.pk if owner else None)


def many(owner: str, count: int = MANY) -> list[str]:
    return [f"{owner}{number}" for number in range(count)]


def test_one_of_a_newcomer_is_run_in_the_next_portion_which_is_small(
    portions: list[list[str]], users: list[User]
) -> None:
    ann, bob, _ = users
    ask(ann, *many("a"))
    ask(bob, "b")
    run_due_follow_ups()
    assert portions[0] == ["a0", "b"]
    sizes = [len(portion) for portion in portions[1:]]
    # A busy machine makes portions smaller, never larger.
    assert max(sizes) == AT_ONCE
    assert sum(sizes) == MANY - 1


def test_one_that_comes_while_many_are_run_is_next(
    portions: list[list[str]], users: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bob, _ = users

    def run(arrivals: RowsByTarget) -> list[str]:
        portions.append(list(arrivals))
        if len(portions) == 3:
            in_threads(lambda: ask(bob, "b"))
        return list(arrivals)

    register_follow_ups("many", run, max_targets=AT_ONCE)
    ask(ann, *many("a"))
    # As where portions take longer than that.
    monkeypatch.setattr(follow_ups, "RESELECT_SECONDS", 0.0)
    run_due_follow_ups()
    assert portions[3] == ["b"]


def test_a_target_that_several_wait_for_has_the_turn_of_the_most_favoured(
    portions: list[list[str]], users: list[User]
) -> None:
    ann, bob, _ = users
    ask(ann, *many("a"))
    ask(bob, "a299")
    run_due_follow_ups()
    assert portions[0] == ["a0", "a299"]
    assert sum(portion.count("a299") for portion in portions) == 1


def test_what_nobody_has_caused_comes_after_an_owners_next_ones(
    portions: list[list[str]], users: list[User]
) -> None:
    ann, *_ = users
    ask(None, "nobody's 1", "nobody's 2")
    ask(ann, *many("a", UNOWNED_STEP + 4))
    run_due_follow_ups()
    ran = [target for portion in portions for target in portion]
    assert ran.index("nobody's 1") in range(UNOWNED_STEP - 1, UNOWNED_STEP + 1)
    assert ran.index("nobody's 2") == len(ran) - 1


def test_a_batch_says_whose_turn_it_is(portions: list[list[str]], users: list[User]) -> None:
    batch = submit([program()], owner=users[1])
    with transaction.atomic():
        enqueue_follow_up("many", "1", batch=batch)
        enqueue_follow_up("many", "2", batch=batch, owner_id=users[2].pk)
    assert dict(FollowUp.objects.values_list("target", "owner")) == {
        "1": users[1].pk,
        "2": users[2].pk,
    }


def test_walks_and_steps_under_a_hold_go_on_in_the_turns_of_their_owner(
    users: list[User],
) -> None:
    register_source("numbers", lambda _arguments, cursor, _most: Page([], (cursor or 0) + 1))
    register_step("nothing", lambda _items, _walk: None)
    register_continuation("go on", lambda ticket, _arguments: proceed(ticket, "end"))
    register_continuation("end", end)
    try:
        batch = submit([program()], owner=users[0])
        with transaction.atomic():
            fan_out("walk", source="numbers", step="nothing", owner_id=users[1].pk)
            wait("key", 1, "go on", ticket="first", batch=batch)
            wait("key", 1, "go on", ticket="parked", batch=batch)
        owners = dict(FollowUp.objects.values_list("target", "owner"))
        assert owners == {"walk": users[1].pk, "first": users[0].pk, "parked": users[0].pk}
        run_due_follow_ups(seconds=0)
        assert FollowUp.objects.get(name=PAGE_JOB).owner_id == users[1].pk
        FollowUp.objects.filter(name=PAGE_JOB).delete()
        run_due_follow_ups()
        assert not FollowUp.objects.exists()
    finally:
        del registry.sources["numbers"], registry.steps["nothing"]
        del registry.follow_up_handlers["go on"], registry.follow_up_handlers["end"]


def test_what_failed_waits_for_a_turn_anew(portions: list[list[str]], users: list[User]) -> None:
    ann, bob, _ = users

    def fail(_target: str, _rows: Sequence[FollowUp]) -> None:
        raise ValueError("not yet")

    register_follow_up("fails", fail)
    try:
        ask(ann, "bad", name="fails")
        run_due_follow_ups()
        ask(ann, *many("a", 40))
        ask(bob, "b")
        row = FollowUp.objects.get(name="fails")
        assert row.attempts == 1
        assert row.owner_id == ann.pk
        FollowUp.objects.filter(name="fails").update(due_at=Now())
        register_follow_ups("fails", registry.follow_up_handlers["many"].run, max_targets=1)
        run_due_follow_ups()
    finally:
        del registry.follow_up_handlers["fails"]
    ran = [target for portion in portions for target in portion]
    # It is one of its owner's: behind the other owner's, and before what has come since.
    assert sorted(ran[:3]) == ["a0", "b", "bad"]


def test_a_portion_that_takes_long_is_followed_by_smaller_ones(
    portions: list[list[str]], users: list[User]
) -> None:
    slow = threading.Event()

    def run(arrivals: RowsByTarget) -> list[str]:
        portions.append(list(arrivals))
        slow.wait(PORTION_SECONDS / 8 * len(arrivals) if len(portions) < 4 else 0)
        return list(arrivals)

    register_follow_ups("many", run, max_targets=AT_ONCE)
    ask(users[0], *many("a", 120))
    run_due_follow_ups()
    sizes = [len(portion) for portion in portions]
    assert sizes[0] == AT_ONCE
    assert max(sizes[1:4]) <= AT_ONCE // 4
    assert max(sizes[4:]) > max(sizes[1:4])  # and by larger ones, once that is over


def test_no_more_is_looked_at_where_many_wait(users: list[User]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("analyze runner_followup")  # while it is empty
    FollowUp.objects.bulk_create(
        FollowUp(name="many", target=str(number), owner=users[number % 2], vtime=number // 2)
        for number in range(10_000)
    )
    assert rows_read("runner_followup", lambda: due_targets(256)) <= 260
    register_follow_ups("many", list, max_targets=AT_ONCE)
    try:
        assert rows_read("runner_followup", lambda: ask(users[0], "one more")) <= 10
    finally:
        del registry.follow_up_handlers["many"]


def test_others_are_executed_and_their_verdicts_written_while_a_follow_up_goes_on(
    drainer: Drainer,
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def wait_for_it(_target: str, _rows: Sequence[FollowUp]) -> None:
        begun.set()
        assert go_on.wait(PATIENCE_SECONDS)

    def look() -> None:
        try:
            assert begun.wait(PATIENCE_SECONDS)
            submit([program()])
            await_that(Result.objects.exists, what="a newcomer's verdict is written")
        finally:
            go_on.set()

    drain: Callable[[], object] = drainer.drain
    register_follow_up("long", wait_for_it)
    try:
        ask(None, "1", name="long")
        in_threads(drain, look)
    finally:
        del registry.follow_up_handlers["long"]
    assert not FollowUp.objects.exists()
