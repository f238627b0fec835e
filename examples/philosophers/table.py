"""The table and its philosophers: each step is a continuation that some worker runs.

With ordered forks each philosopher takes the fork of the lower number first, and all eat. With
naive forks each takes the left one first, and they deadlock as soon as all have theirs. To make
that certain, they wait at a gate with the left fork in hand: another semaphore, held by the host
until the last of them has come.
"""

import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models.functions import Now

from runner.models import FollowUp, Ticket, TicketState
from runner.models.semaphore import OPEN_TICKETS
from runner.pipelines.doorbell import notify_workers
from runner.registry import Handlers
from runner.semaphores.semaphore import (
    continuation_handler,
    proceed,
    renew,
    signal,
    sweep_semaphores,
    wait,
)

HAS_FIRST = "philosopher.has_first"
AT_GATE = "philosopher.at_gate"
HAS_BOTH = "philosopher.has_both"
HAS_EATEN = "philosopher.has_eaten"


@dataclass(frozen=True)
class Table:
    """A table with its forks; `host` is the hold under which all others are.

    The watching process renews it. When it expires or is given back, everybody at the table is sent
    away.
    """

    name: str
    host: int
    seats: int
    rounds: int
    eating_ms: int
    gate: int | None  # closed while the host holds it; None with ordered forks


@dataclass(frozen=True)
class Philosopher:
    """A philosopher's seat and round: everything that a step needs."""

    table: Table
    seat: int
    round: int = 1

    @property
    def name(self) -> str:
        """The holder's name."""
        return f"{self.table.name}:{self.seat}"

    @property
    def forks(self) -> list[int]:
        """The forks in the order of taking; the left one has the seat's number."""
        left_and_right = [self.seat, self.seat % self.table.seats + 1]
        return left_and_right if self.table.gate else sorted(left_and_right)

    def ticket(self, number: int) -> str:
        """Return the name of this round's ticket for the first or the second fork."""
        return f"{self.name}:{self.round}:{number}"


class Seat(NamedTuple):
    """What a philosopher holds, waits for and has eaten."""

    number: int
    holds: tuple[str, ...]  # "fork 1"
    waits_for: str
    meals: int


def lay_table(*, seats: int, rounds: int, ordered: bool, eating_ms: int) -> Table:
    """Seat the philosophers, each to eat in every round."""
    name = f"philosophers:{secrets.token_hex(4)}"
    with transaction.atomic():
        host = wait(name, 1, ticket=name).pk
        gate = None
        if not ordered:
            gate = wait(f"{name}:gate", 1, ticket=f"{name}:gate", holder=name, under=host).pk
        table = Table(name, host, seats, rounds, eating_ms, gate)
        for seat in range(1, seats + 1):
            _take_fork(Philosopher(table, seat), 1)
    return table


def renew_table(table: Table) -> bool:
    """Renew the host's holds, to be called every third of a lease; false: they are lost."""
    if table.gate is not None:
        renew(table.gate)
    return renew(table.host)


def read_seats(table: Table) -> list[Seat]:
    """Return what each philosopher holds and waits for."""
    holds: dict[str, list[str]] = {}
    waits_for: dict[str, str] = {}
    meals: dict[str, int] = {}
    for ticket in Ticket.objects.filter(under=table.host).order_by("id"):
        what = ticket.key.removeprefix(f"{table.name}:").replace(":", " ")
        if ticket.state == TicketState.HELD:
            holds.setdefault(ticket.holder, []).append(what)
        elif ticket.state == TicketState.WAITING:
            waits_for[ticket.holder] = what
        elif ticket.state == TicketState.RETURNED and ticket.name.endswith(":2"):
            meals[ticket.holder] = meals.get(ticket.holder, 0) + 1
    return [
        Seat(seat, tuple(holds.get(name, ())), waits_for.get(name, ""), meals.get(name, 0))
        for seat in range(1, table.seats + 1)
        for name in [Philosopher(table, seat).name]
    ]


def is_idle(table: Table) -> bool:
    """Whether nobody sits at the table any more."""
    at_table = Ticket.objects.filter(under=table.host, state__in=OPEN_TICKETS)
    return not at_table.exclude(holder=table.name).exists()


def notify_workers_if_due(table: Table) -> None:
    """Wake workers when a philosopher has finished eating, as delayed steps don't."""
    if FollowUp.objects.filter(ticket__under=table.host, due_at__lte=Now()).exists():
        notify_workers()


def clear_table(table: Table) -> bool:
    """Send everybody away and delete the table; false: a step is running, so try again."""
    signal(table.host)
    sweep_semaphores()
    if Ticket.objects.filter(under=table.host, state__in=OPEN_TICKETS).exists():
        return False
    Ticket.objects.filter(under=table.host).delete()
    Ticket.objects.filter(pk=table.host).delete()
    return True


def seat_numbers(holders: Sequence[str]) -> list[str]:
    """Return the seat numbers of these holders."""
    return [holder.rpartition(":")[2] for holder in holders]


def _take_fork(philosopher: Philosopher, number: int) -> None:
    table = philosopher.table
    wait(
        f"{table.name}:fork:{philosopher.forks[number - 1]}",
        1,
        HAS_FIRST if number == 1 else HAS_BOTH,
        asdict(philosopher),
        ticket=philosopher.ticket(number),
        holder=philosopher.name,
        under=table.host,
    )


def _read_philosopher(arguments: dict[str, Any]) -> Philosopher:
    return Philosopher(**{**arguments, "table": Table(**arguments["table"])})


def _has_first(_ticket: Ticket, arguments: dict[str, Any]) -> None:
    philosopher = _read_philosopher(arguments)
    table = philosopher.table
    if table.gate is None:
        _take_fork(philosopher, 2)
        return
    gate = wait(
        f"{table.name}:gate",
        1,
        AT_GATE,
        arguments,
        ticket=f"{philosopher.name}:{philosopher.round}:gate",
        holder=philosopher.name,
        under=table.host,
    )
    # The gate is locked by our request: of two that come last, the second sees both.
    if Ticket.objects.filter(key=gate.key, state=TicketState.WAITING).count() == table.seats:
        signal(table.gate)


def _at_gate(ticket: Ticket, arguments: dict[str, Any]) -> None:
    _take_fork(_read_philosopher(arguments), 2)
    signal(ticket.pk)


def _has_both(ticket: Ticket, arguments: dict[str, Any]) -> None:
    eating = timedelta(milliseconds=_read_philosopher(arguments).table.eating_ms)
    proceed(ticket, HAS_EATEN, arguments, after=eating)


def _has_eaten(ticket: Ticket, arguments: dict[str, Any]) -> None:
    philosopher = _read_philosopher(arguments)
    signal(Ticket.objects.get(name=philosopher.ticket(1)).pk, ticket.pk)
    if philosopher.round < philosopher.table.rounds:
        _take_fork(replace(philosopher, round=philosopher.round + 1), 1)


HANDLERS = Handlers(
    follow_ups={
        HAS_FIRST: continuation_handler(_has_first),
        AT_GATE: continuation_handler(_at_gate),
        HAS_BOTH: continuation_handler(_has_both),
        HAS_EATEN: continuation_handler(_has_eaten),
    }
)
