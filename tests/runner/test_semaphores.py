"""Semaphores: never more than so many, the longest-waiting next, and nothing is held for ever."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from runner import registry
from runner.deadlocks import find_deadlocks
from runner.errors import SemaphoreConflict, UnknownRecorder
from runner.followups import MAX_TRIES, run_due_follow_ups
from runner.models import FollowUp, Incident, Ticket, TicketState
from runner.semaphores import (
    MEMORY,
    Step,
    keep,
    proceed,
    register_continuation,
    signal,
    sweep_semaphores,
    wait,
)
from runner.states import BatchState
from runner.submission import submit_batch
from runner.sweeping import sweep
from tests.runner.making import TOPIC, await_that, in_threads

pytestmark = pytest.mark.django_db(transaction=True)

called: list[str] = []


def note(ticket: Ticket, _arguments: dict[str, Any]) -> None:
    """Go on holding: another continuation does nothing, later."""
    called.append(ticket.name)
    proceed(ticket, "later", after=timedelta(hours=1))


def note_and_signal(ticket: Ticket, _arguments: dict[str, Any]) -> None:
    called.append(ticket.name)
    signal(ticket.pk)


@pytest.fixture(autouse=True)
def step() -> Iterator[Callable[[Step], None]]:
    """Return a way to say what the continuation `step` does; at first it goes on holding."""
    called.clear()
    register_continuation("step", note)
    register_continuation("later", lambda _ticket, _arguments: None)
    register_continuation("end", note_and_signal)
    yield lambda other: register_continuation("step", other)
    for name in ("step", "later", "end"):
        del registry.follow_ups[name]


def ask(ticket: str, key: str = "key", capacity: int = 1, **wishes: Any) -> Ticket:
    return wait(key, capacity, wishes.pop("continuation", "step"), ticket=ticket, **wishes)


def names(state: TicketState, key: str = "key") -> list[str]:
    tickets = Ticket.objects.filter(state=state, key=key).order_by("id")
    return list(tickets.values_list("name", flat=True))


def held(key: str = "key") -> list[str]:
    return names(TicketState.HELD, key)


def waiting(key: str = "key") -> list[str]:
    return names(TicketState.WAITING, key)


def expire(ticket: Ticket) -> None:
    Ticket.objects.filter(pk=ticket.pk).update(leased_until=Now() - timedelta(seconds=1))


# --- Handing on -------------------------------------------------------------------------------


def test_first_goes_on_and_others_are_parked_until_it_is_their_turn() -> None:
    first, *_ = [ask(name) for name in "abc"]
    assert run_due_follow_ups() == 1
    assert called == ["a"]
    assert (held(), waiting()) == (["a"], ["b", "c"])
    signal(first.pk)
    assert (held(), waiting()) == (["b"], ["c"])
    run_due_follow_ups()
    assert called == ["a", "b"]


def test_as_many_hold_as_there_are_places() -> None:
    tickets = [ask(name, capacity=2) for name in "abcde"]
    assert (held(), waiting()) == (["a", "b"], ["c", "d", "e"])
    assert signal(tickets[0].pk, tickets[1].pk) == 2
    assert (held(), waiting()) == (["c", "d"], ["e"])


def test_continuation_is_given_its_arguments(step: Callable[[Step], None]) -> None:
    given: list[tuple[str, dict[str, Any]]] = []
    step(lambda ticket, arguments: given.append((ticket.key, arguments)))
    wait("key", 1, "step", {"number": 5}, ticket="a")
    run_due_follow_ups()
    assert given == [("key", {"number": 5})]


def test_nothing_happens_of_a_transaction_that_is_rolled_back() -> None:
    first = ask("a")
    ask("b")
    with transaction.atomic():
        signal(first.pk)
        ask("c")
        transaction.set_rollback(True)
    assert (held(), waiting()) == (["a"], ["b"])
    assert FollowUp.objects.filter(due_at__isnull=False).count() == 1


def test_parked_continuation_keeps_its_batch_open() -> None:
    first = ask("a")
    with transaction.atomic():
        batch = submit_batch(topic=TOPIC, cause="a test", programs=[])
        ask("b", continuation="end", batch=batch)
    run_due_follow_ups()
    batch.refresh_from_db()
    assert batch.state == BatchState.OPEN
    signal(first.pk)
    run_due_follow_ups()
    batch.refresh_from_db()
    assert batch.state == BatchState.COMPLETE
    assert called == ["a", "b"]


def test_semaphore_that_nobody_uses_is_not_there() -> None:
    first, second = ask("a"), ask("b")
    signal(first.pk)
    signal(second.pk)
    assert ask("c", capacity=7).state == TicketState.HELD  # nothing remembers what it was


# --- Refusals ---------------------------------------------------------------------------------


def test_another_capacity_is_refused_while_the_semaphore_is_in_use() -> None:
    ask("a", capacity=2)
    with pytest.raises(SemaphoreConflict, match="key has the capacity 2, not 3"):
        ask("b", capacity=3)
    assert Ticket.objects.count() == FollowUp.objects.count() == 1


def test_capacity_of_nothing_is_refused() -> None:
    with pytest.raises(SemaphoreConflict, match="capacity 0"):
        ask("a", capacity=0)


def test_ticket_of_another_semaphore_is_refused() -> None:
    ask("a")
    with pytest.raises(SemaphoreConflict, match="a is for key, not for other"):
        ask("a", key="other")


def test_continuation_that_nobody_registered_is_refused() -> None:
    with pytest.raises(UnknownRecorder):
        ask("a", continuation="nobody")


def test_database_lets_nothing_come_back() -> None:
    first = ask("a")
    signal(first.pk)
    with pytest.raises(IntegrityError):
        Ticket.objects.update(state=TicketState.HELD, ended_at=None)


# --- Once, however often ----------------------------------------------------------------------


def test_wish_that_comes_twice_is_one() -> None:
    first = ask("a")
    assert ask("a").pk == first.pk
    ask("b")
    ask("b")
    assert (held(), waiting()) == (["a"], ["b"])
    assert FollowUp.objects.count() == 2


def test_wish_that_comes_again_when_it_is_over_is_not_granted_again() -> None:
    first = ask("a", continuation="end")
    run_due_follow_ups()
    assert ask("a", continuation="end").pk == first.pk
    run_due_follow_ups()
    assert called == ["a"]
    Ticket.objects.update(ended_at=Now() - MEMORY - timedelta(minutes=1))
    sweep_semaphores()
    assert not Ticket.objects.exists()


def test_second_signal_takes_nothing_from_who_came_next() -> None:
    first, *_ = [ask(name) for name in "abc"]
    assert signal(first.pk) == 1
    assert signal(first.pk) == 0
    assert (held(), waiting()) == (["b"], ["c"])


def test_signal_of_who_waits_does_nothing() -> None:
    ask("a")
    second = ask("b")
    assert signal(second.pk) == 0
    assert waiting() == ["b"]


def test_late_signal_and_heartbeat_of_a_lost_hold_are_refused() -> None:
    lost = ask("a", continuation="")
    expire(lost)
    ask("b")
    assert sweep_semaphores() == 1
    assert held() == ["b"]
    assert not keep(lost.pk)
    assert signal(lost.pk) == 0
    assert held() == ["b"]


def test_later_holds_have_higher_tokens() -> None:
    tickets = [ask(name) for name in "abc"]
    assert [ticket.pk for ticket in tickets] == sorted({ticket.pk for ticket in tickets})


def test_continuation_of_a_hold_that_is_over_is_not_called() -> None:
    first = ask("a")
    signal(first.pk)
    run_due_follow_ups()
    assert called == []
    assert not FollowUp.objects.exists()


# --- Losing -----------------------------------------------------------------------------------


def test_queued_continuation_keeps_its_hold_for_however_long() -> None:
    ask("a")
    ask("b")
    Ticket.objects.update(created_at=Now() - timedelta(days=9))
    assert sweep_semaphores() == 0
    assert held() == ["a"]


def test_hold_that_its_continuation_forgot_is_handed_on(step: Callable[[Step], None]) -> None:
    step(lambda ticket, _arguments: called.append(ticket.name))
    ask("a")
    ask("b")
    run_due_follow_ups()
    sweep()
    assert (held(), waiting()) == (["b"], [])
    assert Ticket.objects.get(name="a").state == TicketState.LOST
    run_due_follow_ups()
    assert called == ["a", "b"]


def test_hold_whose_continuation_is_given_up_is_handed_on(step: Callable[[Step], None]) -> None:
    def fail(_ticket: Ticket, _arguments: dict[str, Any]) -> None:
        raise ValueError("never")

    step(fail)
    ask("a")
    ask("b")
    for _ in range(MAX_TRIES):
        assert sweep_semaphores() == 0
        FollowUp.objects.filter(due_at__isnull=False).update(due_at=Now())
        run_due_follow_ups()
    assert sweep_semaphores() == 1
    assert held() == ["b"]


def test_holder_that_is_parked_elsewhere_does_not_expire(step: Callable[[Step], None]) -> None:
    def ask_for_second(ticket: Ticket, _arguments: dict[str, Any]) -> None:
        ask(f"{ticket.name}-second", key="second", holder=ticket.holder)

    ask("x", key="second", continuation="later")
    step(ask_for_second)
    first = ask("a", holder="A")
    ask("b", holder="B")
    run_due_follow_ups()
    assert waiting("second") == ["a-second"]
    Ticket.objects.update(created_at=Now() - timedelta(days=9))
    assert sweep_semaphores() == 1  # x, which went on with nothing: so A goes on
    assert held("second") == ["a-second"]
    assert (held(), waiting()) == (["a"], ["b"])
    signal(first.pk, Ticket.objects.get(name="a-second").pk)
    assert held() == ["b"]


def test_process_keeps_what_it_holds_and_loses_it_when_it_falls_silent() -> None:
    process = ask("a", continuation="")
    ask("b")
    assert sweep_semaphores() == 0
    expire(process)
    assert keep(process.pk)
    assert sweep_semaphores() == 0
    expire(process)
    assert sweep_semaphores() == 1
    assert held() == ["b"]


def test_process_that_had_to_wait_has_time_to_notice() -> None:
    first = ask("a")
    process = ask("b", continuation="")
    signal(first.pk)
    assert sweep_semaphores() == 0
    assert keep(process.pk)


def test_step_that_hands_over_to_a_process_keeps_the_hold(step: Callable[[Step], None]) -> None:
    step(lambda ticket, _arguments: called.append(str(keep(ticket.pk))))
    ask("a")
    run_due_follow_ups()
    assert called == ["True"]
    assert sweep_semaphores() == 0
    assert held() == ["a"]


def test_what_was_drawn_under_a_hold_ends_with_it() -> None:
    host = ask("host", key="host", continuation="")
    ask("a", under=host.pk)
    ask("b", under=host.pk)
    ask("c")
    assert sweep_semaphores() == 0
    signal(host.pk)
    assert sweep_semaphores() == 2
    assert (held(), waiting()) == (["c"], [])
    assert FollowUp.objects.get().ticket == Ticket.objects.get(name="c")


def test_sweeper_leaves_alone_whose_step_runs_just_now(step: Callable[[Step], None]) -> None:
    running, swept = threading.Event(), threading.Event()

    def slowly(ticket: Ticket, _arguments: dict[str, Any]) -> None:
        running.set()
        assert swept.wait(10)
        note_and_signal(ticket, {})

    def end_host() -> None:
        assert running.wait(10)
        signal(host.pk)
        assert sweep_semaphores() == 1  # b, which is parked
        assert held() == ["a"]
        swept.set()

    step(slowly)
    host = ask("host", key="host", continuation="")
    ask("a", under=host.pk)
    ask("b", under=host.pk)
    in_threads(run_due_follow_ups, end_host)
    assert Ticket.objects.get(name="a").state == TicketState.RETURNED


# --- Circles ----------------------------------------------------------------------------------


def hold_and_ask(holder: str, holds: str, asks: str, capacity: int = 1) -> None:
    """Take one and ask for another, as a holder whose first step is done."""
    ask(f"{holder}{holds}", key=holds, holder=holder, capacity=capacity)
    FollowUp.objects.filter(ticket__name=f"{holder}{holds}").delete()
    ask(f"{holder}{asks}", key=asks, holder=holder, capacity=capacity)


def make_circle() -> None:
    for holder, holds in (("A", "1"), ("B", "2"), ("C", "3")):
        ask(f"{holder}{holds}", key=holds, holder=holder)
        FollowUp.objects.all().delete()
    for holder, asks in (("A", "2"), ("B", "3"), ("C", "1")):
        ask(f"{holder}{asks}", key=asks, holder=holder)


def test_circle_is_reported_once_with_who_waits_for_whom(
    caplog: pytest.LogCaptureFixture,
) -> None:
    make_circle()
    ask("d", key="1", holder="D")  # waits too, but in no circle
    with caplog.at_level(logging.ERROR):
        in_threads(sweep_semaphores, sweep_semaphores)
        sweep()
    said = "A waits for 2 of B, B waits for 3 of C, C waits for 1 of A"
    assert [incident.detail for incident in Incident.objects.all()] == [said]
    assert said in caplog.text
    assert [len(held(key)) for key in "123"] == [1, 1, 1]  # nobody lost anything


def test_circle_is_none_while_one_of_it_goes_on() -> None:
    make_circle()
    proceed(Ticket.objects.get(name="B2"), "later", after=timedelta(hours=1))
    assert find_deadlocks() == []
    FollowUp.objects.filter(due_at__isnull=False).delete()
    assert len(find_deadlocks()) == 1


def test_who_waits_for_itself_is_a_circle() -> None:
    ask("a", holder="A")
    FollowUp.objects.all().delete()
    ask("again", holder="A")
    ((alone,),) = find_deadlocks()
    assert (alone.holder, alone.held_by) == ("A", "A")


def test_circle_needs_all_holders_of_what_several_may_hold() -> None:
    ask("x1", key="1", holder="X", capacity=2)
    for holder, holds in (("A", "1"), ("B", "2"), ("C", "2")):
        ask(f"{holder}{holds}", key=holds, holder=holder, capacity=2)
    FollowUp.objects.exclude(ticket__name="x1").delete()
    for holder, asks in (("A", "2"), ("B", "1"), ("C", "1")):
        ask(f"{holder}{asks}", key=asks, holder=holder, capacity=2)
    assert find_deadlocks() == []  # X may give its place back
    FollowUp.objects.filter(ticket__name="x1").delete()
    ask("x2", key="2", holder="X", capacity=2)
    assert len(find_deadlocks()) == 1


# --- At once ----------------------------------------------------------------------------------


@pytest.mark.parametrize("capacity", [1, 3])
def test_never_more_at_once_than_there_are_places(
    capacity: int, step: Callable[[Step], None]
) -> None:
    """Many ask and many workers run steps; the first ones wait until all places are taken."""
    full = threading.Barrier(capacity)
    inside: set[str] = set()
    most: list[int] = []
    order: list[str] = []
    guard = threading.Lock()

    def enter(ticket: Ticket, _arguments: dict[str, Any]) -> None:
        with guard:
            inside.add(ticket.name)
            order.append(ticket.name)
            most.append(len(inside))
            is_early = len(most) <= capacity
        if is_early:
            full.wait(10)
        time.sleep(0.005)
        with guard:
            inside.remove(ticket.name)
        signal(ticket.pk)

    def ask_often(number: int) -> None:
        for turn in range(10):
            ask(f"{number}-{turn}", capacity=capacity)
            run_due_follow_ups()

    def work_off() -> None:
        await_that(lambda: bool(run_due_follow_ups()) or not FollowUp.objects.exists())

    step(enter)
    in_threads(*(lambda number=number: ask_often(number) for number in range(6)))
    in_threads(*[work_off] * 3)
    while run_due_follow_ups():
        pass
    assert sorted(order) == sorted(f"{number}-{turn}" for number in range(6) for turn in range(10))
    assert max(most) == capacity
    assert not held()
    assert not waiting()
    if capacity == 1:  # granted in the order of asking, so called in it too
        drawn = Ticket.objects.order_by("id").values_list("name", flat=True)
        assert order == list(drawn)


def test_one_wish_delivered_by_many_at_once_is_one() -> None:
    ask("x")
    in_threads(*[lambda: ask("a")] * 6)
    assert (held(), waiting()) == (["x"], ["a"])
    assert FollowUp.objects.count() == 2


def test_one_hold_given_back_by_many_at_once_frees_one_place() -> None:
    first, *_ = [ask(name) for name in "abcdef"]
    returned: list[int] = []
    in_threads(*[lambda: returned.append(signal(first.pk))] * 6)
    assert sorted(returned) == [0] * 5 + [1]
    assert held() == ["b"]


def meanwhile(first: Callable[[], object], second: Callable[[], object]) -> None:
    """Do the second while the first's transaction is open, which it has to wait for."""
    is_open, done = threading.Event(), threading.Event()

    def do_first() -> None:
        with transaction.atomic():
            first()
            is_open.set()
            assert not done.wait(0.5)

    def do_second() -> None:
        assert is_open.wait(10)
        second()
        done.set()

    in_threads(do_first, do_second)


def test_two_holds_given_back_at_once_go_to_two() -> None:
    first, second, *_ = [ask(name, capacity=2) for name in "abcd"]
    meanwhile(lambda: signal(first.pk), lambda: signal(second.pk))
    assert held() == ["c", "d"]


def test_who_asks_while_a_hold_is_given_back_is_not_left_parked() -> None:
    first = ask("a")
    meanwhile(lambda: ask("b"), lambda: signal(first.pk))
    assert (held(), waiting()) == (["b"], [])


def test_heartbeat_within_a_transaction_proves_the_hold_until_its_commit() -> None:
    process = ask("a", continuation="")
    expire(process)
    meanwhile(lambda: keep(process.pk), sweep_semaphores)
    assert held() == ["a"]
