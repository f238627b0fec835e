"""What tests of semaphores share: a continuation `step`, and who holds and waits."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from runner import registry
from runner.models import Ticket, TicketState
from runner.semaphores.semaphore import Step, proceed, register_continuation, signal, wait

Stepping = Callable[[Step], None]

called: list[str] = []


def go_on(ticket: Ticket, _arguments: dict[str, Any]) -> None:
    """Go on holding: another continuation does nothing, later."""
    called.append(ticket.name)
    proceed(ticket, "later", after=timedelta(hours=1))


def end(ticket: Ticket, _arguments: dict[str, Any]) -> None:
    """Give the hold back."""
    called.append(ticket.name)
    signal(ticket.pk)


@pytest.fixture
def step() -> Iterator[Stepping]:
    """Return a way to say what the continuation `step` does; at first it goes on holding."""
    called.clear()
    register_continuation("step", go_on)
    register_continuation("later", lambda _ticket, _arguments: None)
    register_continuation("end", end)
    yield lambda other: register_continuation("step", other)
    for name in ("step", "later", "end"):
        del registry.follow_up_handlers[name]


def ask(ticket: str, key: str = "key", capacity: int = 1, **wishes: Any) -> Ticket:
    """Wait under a ticket of this name."""
    return wait(key, capacity, wishes.pop("continuation", "step"), ticket=ticket, **wishes)


def held(key: str = "key") -> list[str]:
    """Return the names of the tickets that hold the key, in their order."""
    return _names(TicketState.HELD, key)


def waiting(key: str = "key") -> list[str]:
    """Return the names of those that wait for it."""
    return _names(TicketState.WAITING, key)


def expire(ticket: Ticket) -> None:
    """Let the time pass that a lease lasts."""
    Ticket.objects.filter(pk=ticket.pk).update(leased_until=Now() - timedelta(seconds=1))


def _names(state: TicketState, key: str) -> list[str]:
    tickets = Ticket.objects.filter(state=state, key=key).order_by("id")
    return list(tickets.values_list("name", flat=True))
