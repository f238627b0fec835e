"""Semaphores: at most so many at once hold a key, and the longest-waiting is next.

What is done under a hold are continuations: follow-ups that carry its ticket. Whoever has to wait
is parked as such a row, which becomes due when the hold is handed on: nobody polls, no connection
is kept, and a worker that dies takes nothing with it.

A hold lasts as long as its holder has a continuation: queued, running, to be tried again, or
parked at another semaphore. A process that works under a hold outside of any transaction keeps it
instead, every third of the lease. What neither holds is lost: the sweeper hands it on.
"""

import functools
import logging
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

from runner.errors import NotRegistered, SemaphoreConflict
from runner.models import Batch, FollowUp, Ticket, TicketState
from runner.models.semaphore import ENDED_TICKETS, OPEN_TICKETS
from runner.pipelines.follow_up_queue import NewFollowUp, append_rows, reschedule
from runner.pipelines.outbox import notify_workers_after_commit
from runner.registry import follow_up_handlers, register_follow_up
from runner.semaphores.deadlocks import report_deadlocks

log = logging.getLogger(__name__)

# For so long a wish that is delivered once more is known to have been granted.
KEEP_ENDED = timedelta(days=1)
_HOLDERS_PER_SWEEP = 100
_MAX_DELETED = 1000

# Until the transaction ends; keys in their order, so that no two of us wait for each other.
_LOCK = """
    select pg_advisory_xact_lock(hashtextextended(key, 1)) from unnest(%s::text[]) as key
"""

# What goes on under a hold; its arguments are those that were given with the wish.
Step = Callable[[Ticket, dict[str, Any]], None]


def register_continuation(name: str, step: Step) -> None:
    """Let waits name this step; it is not called for a hold that is over."""
    register_follow_up(name, functools.partial(_run_step, step))


def wait(
    key: str,
    capacity: int,
    continuation: str = "",
    arguments: dict[str, Any] | None = None,
    *,
    ticket: str,
    holder: str = "",
    under: int | None = None,
    batch: Batch | None = None,
) -> Ticket:
    """Have the continuation called once at most `capacity` hold the key, this one among them.

    All in the caller's transaction. The same ticket's name, however often it comes, is one wish.
    The holder is one line of steps: what it holds lasts while it waits for something else. With
    `under`, a hold's id, the ticket is lost with the sweep that finds that hold over. Without a
    continuation the caller looks by itself, and keeps what it was given. The batch stays open, and
    the steps have the turns of whoever has asked for it.
    """
    if continuation and continuation not in follow_up_handlers:
        raise NotRegistered(f"no continuation is registered as {continuation}")
    if capacity < 1:
        raise SemaphoreConflict(f"semaphore {key} cannot have the capacity {capacity}")
    with transaction.atomic():
        _lock([key])
        known = Ticket.objects.filter(name=ticket).first()
        if known is not None:
            if known.key != key:
                raise SemaphoreConflict(f"ticket {ticket} is for {known.key}, not for {key}")
            return known
        is_held = _has_capacity(key, capacity)
        created = Ticket.objects.create(
            name=ticket,
            key=key,
            capacity=capacity,
            holder=holder or ticket,
            state=TicketState.HELD if is_held else TicketState.WAITING,
            under_id=under,
            owner_id=batch.owner_id if batch else None,
            leased_until=_lease_end() if is_held and not continuation else None,
        )
        if continuation:
            _enqueue(created, continuation, arguments, batch=batch)
        return created


def proceed(
    ticket: Ticket,
    continuation: str,
    arguments: dict[str, Any] | None = None,
    *,
    after: timedelta = timedelta(0),
) -> None:
    """Have another step called under this hold, in a transaction of its own.

    To be called by a step: what takes long is cut into several. One that is due later is called
    when the bell rings next.
    """
    _enqueue(ticket, continuation, arguments, after=after)


def signal(*ticket_ids: int) -> int:
    """Give these holds back and hand them on, in the caller's transaction; return how many.

    Only holds are: one that is over, whoever ended it, stays so. Several are to be given together.
    """
    with transaction.atomic():
        keys = set(Ticket.objects.filter(pk__in=ticket_ids).values_list("key", flat=True))
        _lock(keys)
        returned = _end(
            Ticket.objects.filter(pk__in=ticket_ids, state=TicketState.HELD), TicketState.RETURNED
        )
        _grant_next(keys)
        return returned


def renew(ticket_id: int) -> bool:
    """Keep a hold for another lease, from a process that works under it; false: it is over.

    Called in the transaction in which such work is written, it is also the proof that the hold
    lasts until the commit. Called in a step, it bridges the time until a process takes over.
    """
    held = Ticket.objects.filter(pk=ticket_id, state=TicketState.HELD)
    with transaction.atomic():
        _lock(held.values_list("key", flat=True))
        return held.update(leased_until=_lease_end()) == 1


def sweep_semaphores() -> int:
    """Hand on what was lost, report who waits in a circle; return how many tickets were lost."""
    holders = _lost_tickets().values_list("holder", flat=True).distinct()[:_HOLDERS_PER_SWEEP]
    lost = sum(_revoke_lost(holder) for holder in list(holders))
    report_deadlocks()
    old = Ticket.objects.filter(state__in=ENDED_TICKETS, ended_at__lt=Now() - KEEP_ENDED)
    Ticket.objects.filter(pk__in=list(old.values_list("pk", flat=True)[:_MAX_DELETED])).delete()
    return lost


def _run_step(step: Step, _target: str, rows: Iterable[FollowUp]) -> None:
    for row in rows:
        ticket = row.ticket
        if ticket is not None and ticket.state == TicketState.HELD:
            step(ticket, row.arguments)
        else:
            log.warning("%s comes too late for %s", row.name, ticket)


def _lock(keys: Iterable[str]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, [sorted(set(keys))])


def _lease_end() -> CombinedExpression:
    return Now() + timedelta(seconds=settings.LEASE_SECONDS)


def _has_capacity(key: str, capacity: int) -> bool:
    """Whether one more may hold the key, which is locked."""
    users = Ticket.objects.filter(key=key, state__in=OPEN_TICKETS)
    in_use = users.values_list("capacity", flat=True).first()
    if in_use not in {None, capacity}:
        raise SemaphoreConflict(f"semaphore {key} has the capacity {in_use}, not {capacity}")
    return users.filter(state=TicketState.HELD).count() < capacity


def _enqueue(
    ticket: Ticket,
    continuation: str,
    arguments: dict[str, Any] | None,
    *,
    batch: Batch | None = None,
    after: timedelta = timedelta(0),
) -> None:
    is_held = ticket.state == TicketState.HELD
    step = NewFollowUp(
        name=continuation,
        target=ticket.name,
        arguments=arguments or {},
        batch_id=batch.pk if batch else None,
        owner_id=ticket.owner_id,
        ticket_id=ticket.pk,
        due_at=Now() + after if is_held else None,
    )
    append_rows([step])
    if is_held:
        notify_workers_after_commit()


def _end(tickets: QuerySet[Ticket], state: TicketState) -> int:
    return tickets.update(state=state, leased_until=None, ended_at=Now())


def _grant_next(keys: Iterable[str]) -> None:
    """Give what is free of these keys, which are locked, to the longest-waiting."""
    granted: list[int] = []
    for key in sorted(keys):
        waiting = Ticket.objects.filter(key=key, state=TicketState.WAITING).order_by("id")
        if (first := waiting.first()) is None:
            continue
        held = Ticket.objects.filter(key=key, state=TicketState.HELD).count()
        granted += waiting.values_list("pk", flat=True)[: first.capacity - held]
    if granted:
        Ticket.objects.filter(pk__in=granted).update(state=TicketState.HELD, reported_at=None)
        # What was parked has its turn from now on.
        reschedule(list(FollowUp.objects.filter(ticket__in=granted)), due_at=Now())
        without_step = Ticket.objects.filter(pk__in=granted, follow_ups=None)
        without_step.update(leased_until=_lease_end())
        notify_workers_after_commit()


def _steps_of(holder: str | OuterRef) -> QuerySet[FollowUp]:
    return FollowUp.objects.filter(ticket__holder=holder, ticket__state__in=OPEN_TICKETS)


def _lost_tickets() -> QuerySet[Ticket]:
    """Return holds that nobody goes on under, and tickets whose upper hold is over."""
    goes_on = _steps_of(OuterRef("holder"))
    not_kept = Q(leased_until=None) | Q(leased_until__lt=Now())
    abandoned = Q(~Exists(goes_on), not_kept, state=TicketState.HELD)
    return Ticket.objects.filter(
        abandoned | Q(under__state__in=ENDED_TICKETS), state__in=OPEN_TICKETS
    )


def _revoke_lost(holder: str) -> int:
    """Take from the holder what it has lost, unless one of its steps runs just now."""
    with transaction.atomic():
        _lock(
            Ticket.objects.filter(holder=holder, state__in=OPEN_TICKETS).values_list(
                "key", flat=True
            )
        )
        # Steps lock their row first and keys afterwards: here none is waited for.
        steps = _steps_of(holder)
        idle = steps.select_for_update(skip_locked=True, of=("self",)).values_list("pk", flat=True)
        if len(idle) < steps.count():
            return 0
        lost = dict(_lost_tickets().filter(holder=holder).values_list("pk", "key"))
        FollowUp.objects.filter(ticket__in=lost).delete()
        _end(Ticket.objects.filter(pk__in=lost), TicketState.LOST)
        _grant_next(set(lost.values()))
    for key in lost.values():
        log.warning("%s has lost its place at %s", holder, key)
    return len(lost)
