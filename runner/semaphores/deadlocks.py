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
    """A step of a cycle: a holder waits for a key that the next holder has."""

    holder: str
    key: str
    held_by: str


Cycle = tuple[Wait, ...]


class OpenTicket(NamedTuple):
    """An open ticket; active: its holder is still working and may give it back."""

    holder: str
    key: str
    is_held: bool
    is_active: bool


def find_deadlocks(*, under: int | None = None) -> list[Cycle]:
    """Return the cycles among all tickets, or among those under a hold (its id).

    There are no false reports: all tickets are read in one query, and no cycle resolves itself.
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
    """Return the cycles of holders, none of which can proceed before another does.

    A holder is stuck only if all holders of the key that it waits for are stuck.
    """
    awaited: dict[str, list[str]] = defaultdict(list)
    holders: dict[str, list[str]] = defaultdict(list)
    for ticket in tickets:
        if ticket.is_held:
            holders[ticket.key].append(ticket.holder)
        else:
            awaited[ticket.holder].append(ticket.key)
    active = {ticket.holder for ticket in tickets if ticket.is_active}
    stuck = awaited.keys() - active

    def can_proceed(holder: str) -> bool:
        keys = awaited[holder]
        return any(key in with_room or not stuck.issuperset(holders[key]) for key in keys)

    while proceeding := {holder for holder in stuck if can_proceed(holder)}:
        stuck -= proceeding
    return _extract_cycles({holder: awaited[holder][0] for holder in sorted(stuck)}, holders)


def _extract_cycles(awaited: Mapping[str, str], holders: Mapping[str, list[str]]) -> list[Cycle]:
    """Follow each stuck holder to the one it waits for, until a holder repeats."""
    cycles: list[Cycle] = []
    seen: set[str] = set()
    for start in awaited:
        path: dict[str, Wait] = {}
        holder = start
        while holder not in seen:
            seen.add(holder)
            key = awaited[holder]
            path[holder] = Wait(holder, key, min(holders[key]))
            holder = path[holder].held_by
        if holder in path:
            steps = list(path)
            cycles.append(tuple(path[step] for step in steps[steps.index(holder) :]))
    return cycles


def describe(cycle: Cycle) -> str:
    """Return the cycle as text, for operators."""
    return ", ".join(f"{wait.holder} waits for {wait.key} of {wait.held_by}" for wait in cycle)


def report_deadlocks() -> None:
    """Record each new cycle as an incident, only once even with several sweepers."""
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
