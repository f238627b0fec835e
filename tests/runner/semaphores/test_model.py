"""Semaphores against a small model: whatever is asked, given back, lost and swept in any order."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db.models.functions import Now
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from runner import registry
from runner.models import FollowUp, Incident, Ticket, TicketState
from runner.pipelines.follow_ups import run_due_follow_ups
from runner.semaphores.deadlocks import find_deadlocks
from runner.semaphores.semaphore import register_continuation, signal, sweep_semaphores, wait

pytestmark = pytest.mark.django_db(transaction=True)

CAPACITIES = {"one": 1, "two": 2}
HOLDERS = "ABC"
KEYS = st.sampled_from(sorted(CAPACITIES))


@pytest.fixture(autouse=True)
def step() -> Iterator[None]:
    register_continuation("step", lambda _ticket, _arguments: None)
    yield
    del registry.follow_up_handlers["step"]


class Semaphores(RuleBasedStateMachine):
    """The model: queues of tickets, and which of them have a step that is still to run."""

    def __init__(self) -> None:
        super().__init__()
        FollowUp.objects.all().delete()
        Ticket.objects.all().delete()
        self.queues: dict[str, list[int]] = {key: [] for key in CAPACITIES}
        self.holders: dict[int, str] = {}
        self.with_step: set[int] = set()
        self.over: set[int] = set()
        self.drawn: list[int] = []

    def held(self, key: str) -> list[int]:
        return self.queues[key][: CAPACITIES[key]]

    def end(self, pk: int) -> None:
        for queue in self.queues.values():
            if pk in queue:
                queue.remove(pk)
                self.over.add(pk)

    def is_held(self, pk: int) -> bool:
        return any(pk in self.held(key) for key in CAPACITIES)

    @rule(key=KEYS, holder=st.sampled_from(HOLDERS))
    def ask(self, key: str, holder: str) -> None:
        name = f"{len(self.drawn)}"
        ticket = wait(key, CAPACITIES[key], "step", ticket=name, holder=holder)
        assert ticket.pk > max(self.drawn, default=0)
        self.drawn.append(ticket.pk)
        self.queues[key].append(ticket.pk)
        self.holders[ticket.pk] = holder
        self.with_step.add(ticket.pk)

    @precondition(lambda self: self.drawn)
    @rule(data=st.data())
    def ask_again(self, data: Any) -> None:
        number = data.draw(st.integers(0, len(self.drawn) - 1))
        ticket = Ticket.objects.get(name=f"{number}")
        assert wait(ticket.key, ticket.capacity, "step", ticket=ticket.name).pk == ticket.pk

    @precondition(lambda self: self.drawn)
    @rule(data=st.data())
    def give_back(self, data: Any) -> None:
        """Any ticket, held or not, over or not, and twice at once."""
        pk = data.draw(st.sampled_from(self.drawn))
        assert signal(pk, pk) == self.is_held(pk)
        if self.is_held(pk):
            self.end(pk)

    @rule()
    def run_steps(self) -> None:
        """Steps that are due run; these do nothing, so that their holders go on with nothing."""
        run_due_follow_ups()
        self.with_step -= {pk for pk in self.with_step if self.is_held(pk) or pk in self.over}

    @rule()
    def sweep(self) -> None:
        """Whoever goes on with nothing loses what it holds; who comes next has a step."""
        live = {self.holders[pk] for pk in self.with_step}
        lost = [pk for key in CAPACITIES for pk in self.held(key) if self.holders[pk] not in live]
        assert sweep_semaphores() == len(lost)
        for pk in lost:
            self.end(pk)

    @invariant()
    def it_is_as_in_the_model(self) -> None:
        for key in CAPACITIES:
            tickets = Ticket.objects.filter(key=key).order_by("id")
            held = tickets.filter(state=TicketState.HELD).values_list("pk", flat=True)
            waiting = tickets.filter(state=TicketState.WAITING).values_list("pk", flat=True)
            assert list(held) == self.held(key)
            assert list(waiting) == self.queues[key][CAPACITIES[key] :]
        parked = FollowUp.objects.filter(due_at=None).values_list("ticket", flat=True)
        due = FollowUp.objects.filter(due_at__lte=Now()).values_list("ticket", flat=True)
        assert set(parked) | set(due) == self.with_step
        assert {pk for pk in self.with_step if not self.is_held(pk)} - self.over == set(parked)

    @invariant()
    def circles_are_those_who_cannot_go_on(self) -> None:
        """Nobody is left if all who can go on give back what they hold, again and again."""
        assert bool(find_deadlocks()) == bool(self.stuck())

    def stuck(self) -> set[str]:
        """Holders that wait, have no step that is due, and wait for such alone."""
        waits = {
            holder: [
                key
                for key, queue in self.queues.items()
                if any(self.holders[pk] == holder for pk in queue[CAPACITIES[key] :])
            ]
            for holder in HOLDERS
        }
        going = {self.holders[pk] for pk in self.with_step if self.is_held(pk)}
        stuck = {holder for holder in HOLDERS if waits[holder] and holder not in going}
        while True:
            moving = {
                holder
                for holder in stuck
                if any({self.holders[pk] for pk in self.held(key)} - stuck for key in waits[holder])
            }
            if not moving:
                return stuck
            stuck -= moving


def test_semaphores_do_as_their_model() -> None:
    run_state_machine_as_test(
        Semaphores,
        settings=settings(
            max_examples=25,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert Incident.objects.filter(kind="deadlock").exists()  # it went where it is interesting
