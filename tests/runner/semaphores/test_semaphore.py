"""Semaphores: the longest-waiting is next, and what comes twice or late harms nothing."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from runner.batches.submission import submit_batch
from runner.errors import NotRegistered, SemaphoreConflict
from runner.models import FollowUp, Ticket, TicketState
from runner.pipelines.follow_ups import run_due_follow_ups
from runner.semaphores.semaphore import KEEP_ENDED, renew, signal, sweep_semaphores, wait
from runner.states import BatchState
from tests.support.batches import TOPIC
from tests.support.tickets import Stepping, ask, called, expire, held, waiting

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("step")]


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


def test_continuation_is_given_its_arguments(step: Stepping) -> None:
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
    with pytest.raises(NotRegistered):
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
    Ticket.objects.update(ended_at=Now() - KEEP_ENDED - timedelta(minutes=1))
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
    assert not renew(lost.pk)
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
