"""Detects deadlocks: cycles of holders that wait for one another's semaphores."""

from collections import defaultdict
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from runner.models import FollowUp, Ticket, TicketState
from runner.models.semaphore import OPEN_TICKETS
from runner.telemetry.incidents import record_incident

DEADLOCK = "deadlock"


class Wait(NamedTuple):
    """A holder, the semaphore it waits for, and the next holder in the cycle, who holds that."""

    holder: str
    key: str
    held_by: str


Cycle = tuple[Wait, ...]


class OpenTicket(NamedTuple):
    """An open ticket; active: its holder is still working under it and may give it back."""

    holder: str
    key: str
    is_held: bool
    is_active: bool


def find_deadlocks(*, under: int | None = None) -> list[Cycle]:
    """Return the cycles among all tickets, or among those under a hold.

    There are no false reports: everything is read at one instant, and no cycle resolves itself.
    """
    steps = FollowUp.objects.filter(ticket=OuterRef("pk"), due_at__isnull=False)
    rows = Ticket.objects.filter(state__in=OPEN_TICKETS)
    if under is not None:
        rows = rows.filter(under=under)
    active = rows.annotate(active=Exists(steps) | Q(leased_until__gt=Now()))
    columns = active.values_list("holder", "key", "state", "active", "capacity")
    tickets = []
    room: dict[str, int] = {}
    for holder, key, state, is_active, capacity in columns.order_by("id"):
        is_held = state == TicketState.HELD
        room[key] = room.get(key, capacity) - is_held
        tickets.append(OpenTicket(holder, key, is_held, is_active))
    return find_cycles(tickets, {key for key, free in room.items() if free > 0})


def find_cycles(
    tickets: list[OpenTicket], with_room: AbstractSet[str] = frozenset()
) -> list[Cycle]:
    """Return the cycles of holders that can't proceed before another of them does.

    A holder is stuck only if all holders of the key that it waits for are stuck.
    """
    wanted: dict[str, list[str]] = defaultdict(list)
    holders: dict[str, list[str]] = defaultdict(list)
    for ticket in tickets:
        if ticket.is_held:
            holders[ticket.key].append(ticket.holder)
        else:
            wanted[ticket.holder].append(ticket.key)
    active = {ticket.holder for ticket in tickets if ticket.is_active}
    stuck = wanted.keys() - active

    def may_move(holder: str) -> bool:
        return any(key in with_room or not stuck.issuperset(holders[key]) for key in wanted[holder])

    while movable := {holder for holder in stuck if may_move(holder)}:
        stuck -= movable
    return _extract_cycles({holder: wanted[holder][0] for holder in sorted(stuck)}, holders)


def _extract_cycles(wanted: Mapping[str, str], holders: Mapping[str, list[str]]) -> list[Cycle]:
    """Follow each stuck holder to the one it waits for, until one comes again."""
    found: list[Cycle] = []
    seen: set[str] = set()
    for start in wanted:
        path: dict[str, Wait] = {}
        holder = start
        while holder not in seen:
            seen.add(holder)
            key = wanted[holder]
            path[holder] = Wait(holder, key, min(holders[key]))
            holder = path[holder].held_by
        if holder in path:
            steps = list(path)
            found.append(tuple(path[step] for step in steps[steps.index(holder) :]))
    return found


def describe(cycle: Cycle) -> str:
    """Return who waits for whom, as text."""
    return ", ".join(f"{wait.holder} waits for {wait.key} of {wait.held_by}" for wait in cycle)


def report_deadlocks() -> None:
    """Record each new cycle as an incident, once even with several sweepers."""
    holds = Ticket.objects.filter(state=TicketState.HELD, holder=OuterRef("holder"))
    waiting = Ticket.objects.filter(Exists(holds), state=TicketState.WAITING, reported_at=None)
    if not waiting.exists():  # a holder without holds blocks nobody
        return
    for cycle in find_deadlocks():
        new = Ticket.objects.filter(
            state=TicketState.WAITING,
            reported_at=None,
            holder__in=[wait.holder for wait in cycle],
            key__in=[wait.key for wait in cycle],
        )
        with transaction.atomic():
            if new.update(reported_at=Now()):
                record_incident(DEADLOCK, describe(cycle))
