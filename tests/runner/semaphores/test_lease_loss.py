"""Semaphores: who holds for how long, who loses what, and who waits in a circle."""

import logging
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from runner.models import FollowUp, Incident, Ticket, TicketState
from runner.operations.sweeper import sweep
from runner.pipelines.follow_ups import MAX_TRIES, run_due_follow_ups
from runner.semaphores.deadlocks import find_deadlocks
from runner.semaphores.semaphore import proceed, renew, signal, sweep_semaphores
from tests.patience import PATIENCE_SECONDS
from tests.support.batches import in_threads
from tests.support.tickets import Stepping, ask, called, end, expire, held, waiting

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("step")]


def test_queued_continuation_keeps_its_hold_for_however_long() -> None:
    ask("a")
    ask("b")
    Ticket.objects.update(created_at=Now() - timedelta(days=9))
    assert sweep_semaphores() == 0
    assert held() == ["a"]


def test_hold_that_its_continuation_forgot_is_handed_on(step: Stepping) -> None:
    step(lambda ticket, _arguments: called.append(ticket.name))
    ask("a")
    ask("b")
    run_due_follow_ups()
    sweep()
    assert (held(), waiting()) == (["b"], [])
    assert Ticket.objects.get(name="a").state == TicketState.LOST
    run_due_follow_ups()
    assert called == ["a", "b"]


def test_hold_whose_continuation_is_given_up_is_handed_on(step: Stepping) -> None:
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


def test_holder_that_is_parked_elsewhere_does_not_expire(step: Stepping) -> None:
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
    assert renew(process.pk)
    assert sweep_semaphores() == 0
    expire(process)
    assert sweep_semaphores() == 1
    assert held() == ["b"]


def test_process_that_had_to_wait_has_time_to_notice() -> None:
    first = ask("a")
    process = ask("b", continuation="")
    signal(first.pk)
    assert sweep_semaphores() == 0
    assert renew(process.pk)


def test_step_that_hands_over_to_a_process_keeps_the_hold(step: Stepping) -> None:
    step(lambda ticket, _arguments: called.append(str(renew(ticket.pk))))
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


def test_sweeper_leaves_alone_whose_step_runs_just_now(step: Stepping) -> None:
    running, swept = threading.Event(), threading.Event()

    def slowly(ticket: Ticket, _arguments: dict[str, Any]) -> None:
        running.set()
        assert swept.wait(PATIENCE_SECONDS)
        end(ticket, {})

    def end_host() -> None:
        assert running.wait(PATIENCE_SECONDS)
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
