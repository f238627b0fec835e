"""The dining philosophers at semaphores: each step is a continuation that some worker runs.

In the ordered way each takes the fork of the lower number first, and all eat. In the naive way
each takes its left fork first: that is a deadlock as soon as all have theirs. To leave that to no
luck, they stop at a gate, fork in hand, which the last to come opens: another semaphore, held by
the host until then. Each that passes asks for its right fork, like at any other time.
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
from runner.semaphores.semaphore import (
    proceed,
    register_continuation,
    renew,
    signal,
    sweep_semaphores,
    wait,
)

# What tickets, and so reports of deadlocks, begin with here: these are meant to be seen.
PREFIX = "philosophers:"

HAS_FIRST = "philosopher.has_first"
AT_GATE = "philosopher.at_gate"
HAS_BOTH = "philosopher.has_both"
HAS_EATEN = "philosopher.has_eaten"


@dataclass(frozen=True)
class Table:
    """A table with its forks; `host` is the hold under which all others are, kept by who watches.

    When its process dies, or gives it back, whoever still sits there is sent away.
    """

    name: str
    host: int
    seats: int
    rounds: int
    eating_ms: int
    gate: int | None  # closed while the host holds it; the ordered have none


@dataclass(frozen=True)
class Philosopher:
    """Who sits there, in which round: all that a step has to know."""

    table: Table
    seat: int
    round: int = 1

    @property
    def name(self) -> str:
        """As whom it holds and waits."""
        return f"{self.table.name}:{self.seat}"

    @property
    def forks(self) -> list[int]:
        """In the order of taking; the left one has the seat's number."""
        left_and_right = [self.seat, self.seat % self.table.seats + 1]
        return left_and_right if self.table.gate else sorted(left_and_right)

    def ticket(self, number: int) -> str:
        """Return the name of this round's ticket for the first or the second fork."""
        return f"{self.name}:{self.round}:{number}"


class Seat(NamedTuple):
    """What is to be seen of a philosopher."""

    number: int
    holds: tuple[str, ...]  # "fork 1"
    waits_for: str
    meals: int


def register() -> None:
    """Let workers run these steps."""
    register_continuation(HAS_FIRST, _has_first)
    register_continuation(AT_GATE, _at_gate)
    register_continuation(HAS_BOTH, _has_both)
    register_continuation(HAS_EATEN, _has_eaten)


def lay_table(*, seats: int, rounds: int, ordered: bool, eating_ms: int) -> Table:
    """Have so many philosophers sit down, each to eat so often."""
    name = f"{PREFIX}{secrets.token_hex(4)}"
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
    """Keep the host's holds, as who watches has to do every third of a lease; false: too late."""
    if table.gate is not None:
        renew(table.gate)
    return renew(table.host)


def read_seats(table: Table) -> list[Seat]:
    """Return who holds what and waits for what."""
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
    """Whether nobody sits there any more."""
    at_table = Ticket.objects.filter(under=table.host, state__in=OPEN_TICKETS)
    return not at_table.exclude(holder=table.name).exists()


def notify_workers_if_due(table: Table) -> None:
    """Tell workers when somebody has finished eating: what is due later rings no bell."""
    if FollowUp.objects.filter(ticket__under=table.host, due_at__lte=Now()).exists():
        notify_workers()


def clear_table(table: Table) -> bool:
    """Send everybody away and forget the table; false: a step runs just now, so try again."""
    signal(table.host)
    sweep_semaphores()
    if Ticket.objects.filter(under=table.host, state__in=OPEN_TICKETS).exists():
        return False
    Ticket.objects.filter(under=table.host).delete()
    Ticket.objects.filter(pk=table.host).delete()
    return True


def seat_numbers(holders: Sequence[str]) -> list[str]:
    """Return the seats of these holders."""
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
    # The gate is locked since we asked for it: of two that come last, one sees both.
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
