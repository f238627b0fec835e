"""Semaphores: a limited number of holders per key; the longest-waiting is next.

Work under a hold is done in continuations: follow-ups that carry the hold's ticket. While a holder
waits, its continuation is a parked row, which becomes due when the hold is granted. So nothing
polls, no connection is kept, and nothing is lost when a worker dies.

A hold lasts as long as its holder has a continuation: queued, running, to be retried, or parked at
another semaphore. A process that works under a hold outside of transactions renews it instead,
every third of the lease. A hold with neither is lost, and the sweeper grants it to the next.

This is a library feature that the product doesn't use yet; `examples/philosophers` does.
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
from runner.registry import FollowUpHandler, for_each_target, handlers
from runner.semaphores.deadlocks import report_deadlocks

log = logging.getLogger(__name__)

# Ended tickets are kept this long, so that a repeated request is recognised.
KEEP_ENDED = timedelta(days=1)
_HOLDERS_PER_SWEEP = 100
_MAX_DELETED = 1000

# Locks last until the transaction ends; keys are sorted, so that transactions can't deadlock.
_LOCK = """
    select pg_advisory_xact_lock(hashtextextended(key, 1)) from unnest(%s::text[]) as key
"""

# A step under a hold, called with the arguments of `wait` or `proceed`.
Step = Callable[[Ticket, dict[str, Any]], None]


def continuation_handler(step: Step) -> FollowUpHandler:
    """Return a handler for a step of `wait` and `proceed`, which skips it if the hold has ended."""
    return for_each_target(functools.partial(_run_step, step))


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
    """Request the key in the caller's transaction; the continuation is called when it is granted.

    At most `capacity` holders have the key at once. Repeated calls with the same ticket name are
    one request. A holder keeps its holds while it waits for another one. With `under`, the id of a
    hold, the ticket is lost once a sweep finds that hold ended. Without a continuation, the caller
    polls the ticket and renews its hold. The batch stays open, and steps count for its owner.
    """
    if continuation and continuation not in handlers.follow_ups:
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
    """Enqueue another step under this hold, in a transaction of its own.

    Called by a step, to split long work. A step with a delay runs when workers are woken after it.
    """
    _enqueue(ticket, continuation, arguments, after=after)


def signal(*ticket_ids: int) -> int:
    """Give these holds back and grant them to the next, in the caller's transaction.

    Returns the number of holds given back; tickets that are not held are skipped. Pass several in
    one call, because they are locked in order.
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
    """Renew a hold for the time of a lease; false if it has ended.

    For a process that works under the hold. Called in the transaction that writes such work, it
    also ensures that the hold lasts until the commit; called in a step, it bridges the time until a
    process takes over.
    """
    held = Ticket.objects.filter(pk=ticket_id, state=TicketState.HELD)
    with transaction.atomic():
        _lock(held.values_list("key", flat=True))
        return held.update(leased_until=_lease_end()) == 1


def sweep_semaphores() -> int:
    """Revoke lost tickets, report deadlocks and delete old tickets; return the number revoked."""
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
            log.warning("%s is skipped, because its hold %s has ended", row.name, ticket)


def _lock(keys: Iterable[str]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, [sorted(set(keys))])


def _lease_end() -> CombinedExpression:
    return Now() + timedelta(seconds=settings.LEASE_SECONDS)


def _has_capacity(key: str, capacity: int) -> bool:
    """Whether one more may hold the key, which is locked."""
    tickets = Ticket.objects.filter(key=key, state__in=OPEN_TICKETS)
    present = tickets.values_list("capacity", flat=True).first()
    if present not in {None, capacity}:
        raise SemaphoreConflict(f"semaphore {key} has the capacity {present}, not {capacity}")
    return tickets.filter(state=TicketState.HELD).count() < capacity


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
    """Grant the free capacity of these locked keys to the longest-waiting tickets."""
    granted: list[int] = []
    for key in sorted(keys):
        waiting = Ticket.objects.filter(key=key, state=TicketState.WAITING).order_by("id")
        if (first := waiting.first()) is None:
            continue
        held = Ticket.objects.filter(key=key, state=TicketState.HELD).count()
        granted += waiting.values_list("pk", flat=True)[: first.capacity - held]
    if granted:
        Ticket.objects.filter(pk__in=granted).update(state=TicketState.HELD, reported_at=None)
        # Parked steps become due now.
        reschedule(list(FollowUp.objects.filter(ticket__in=granted)), due_at=Now())
        without_step = Ticket.objects.filter(pk__in=granted, follow_ups=None)
        without_step.update(leased_until=_lease_end())
        notify_workers_after_commit()


def _steps_of(holder: str | OuterRef) -> QuerySet[FollowUp]:
    return FollowUp.objects.filter(ticket__holder=holder, ticket__state__in=OPEN_TICKETS)


def _lost_tickets() -> QuerySet[Ticket]:
    """Return holds without a continuation or lease, and tickets under a hold that has ended."""
    steps = _steps_of(OuterRef("holder"))
    is_unleased = Q(leased_until=None) | Q(leased_until__lt=Now())
    abandoned = Q(~Exists(steps), is_unleased, state=TicketState.HELD)
    return Ticket.objects.filter(
        abandoned | Q(under__state__in=ENDED_TICKETS), state__in=OPEN_TICKETS
    )


def _revoke_lost(holder: str) -> int:
    """Revoke the holder's lost tickets, unless one of its steps is running; return the number."""
    with transaction.atomic():
        _lock(
            Ticket.objects.filter(holder=holder, state__in=OPEN_TICKETS).values_list(
                "key", flat=True
            )
        )
        # Steps lock their row before keys; waiting for rows here could deadlock.
        steps = _steps_of(holder)
        idle = steps.select_for_update(skip_locked=True, of=("self",)).values_list("pk", flat=True)
        if len(idle) < steps.count():
            return 0
        lost = dict(_lost_tickets().filter(holder=holder).values_list("pk", "key"))
        FollowUp.objects.filter(ticket__in=lost).delete()
        _end(Ticket.objects.filter(pk__in=lost), TicketState.LOST)
        _grant_next(set(lost.values()))
    for key in lost.values():
        log.warning("%s has lost its ticket for %s", holder, key)
    return len(lost)
