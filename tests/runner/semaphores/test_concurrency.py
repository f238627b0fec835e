"""Semaphores under concurrency: each thread has a connection of its own."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from runner.models import FollowUp, Ticket
from runner.pipelines.follow_ups import run_due_follow_ups
from runner.semaphores.semaphore import renew, signal, sweep_semaphores
from tests.patience import PATIENCE_SECONDS, await_that
from tests.support.batches import in_threads
from tests.support.tickets import Stepping, ask, expire, held, waiting

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("step")]


@pytest.mark.parametrize("capacity", [1, 3])
def test_never_more_at_once_than_there_are_places(capacity: int, step: Stepping) -> None:
    """Many ask and many workers run steps; the first ones wait until all places are taken."""
    full = threading.Barrier(capacity, timeout=PATIENCE_SECONDS)
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
            full.wait(PATIENCE_SECONDS)
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
        assert is_open.wait(PATIENCE_SECONDS)
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
    meanwhile(lambda: renew(process.pk), sweep_semaphores)
    assert held() == ["a"]
