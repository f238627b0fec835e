"""What tests of semaphores share: a continuation `step`, and who holds and waits."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from runner.models import Ticket, TicketState
from runner.registry import handlers
from runner.semaphores.semaphore import Step, continuation_handler, proceed, signal, wait

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
    handlers.follow_ups["later"] = continuation_handler(lambda _ticket, _arguments: None)
    handlers.follow_ups["end"] = continuation_handler(end)

    def set_step(step: Step) -> None:
        handlers.follow_ups["step"] = continuation_handler(step)

    set_step(go_on)
    yield set_step
    for name in ("step", "later", "end"):
        del handlers.follow_ups[name]


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
