"""The queue of follow-ups, ordered by virtual time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from runner.models import FollowUp
from runner.pipelines.virtual_time import DueTarget, next_vtimes

# The owner of each row (its own or the batch's), and each owner's last virtual time.
_LASTS = """
    select n.owner_id, n.batch_id, o.owner_id, clock.last_value, greatest(
        (select f.vtime from runner_followup f
            where f.owner_id = o.owner_id and f.due_at is not null
            order by f.vtime desc limit 1),
        (select f.vtime from runner_followup f
            where o.owner_id is null and f.owner_id is null and f.due_at is not null
            order by f.vtime desc limit 1))
    from runner_followup_clock clock
    cross join unnest(%s::bigint[], %s::bigint[]) as n (owner_id, batch_id)
    left join runner_batch b on b.id = n.batch_id
    cross join lateral (select coalesce(n.owner_id, b.owner_id)) as o (owner_id)
"""
# Forced to use the index: with outdated statistics, the planner would read and sort everything.
_DUE = """
    set local enable_seqscan = off;
    set local enable_bitmapscan = off;
    set local enable_sort = off;
    select name, target, owner_id, vtime from runner_followup
    where due_at <= now() order by vtime, id limit %s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFollowUp:
    """A follow-up to append.

    `due_at` is an instant or expression; None parks the row. It counts for `owner_id`, or else for
    the batch's owner.
    """

    name: str
    target: str
    arguments: dict[str, Any] = field(default_factory=dict)
    batch_id: int | None = None
    owner_id: int | None = None
    ticket_id: int | None = None
    due_at: Any = field(default_factory=Now)


def append_rows(new: Sequence[NewFollowUp]) -> None:
    """Append follow-ups in the caller's transaction, without waking workers."""
    if not new:
        return
    owners, vtimes = _assign_vtimes([(row.owner_id, row.batch_id) for row in new])
    FollowUp.objects.bulk_create(
        FollowUp(
            name=row.name,
            target=row.target,
            arguments=row.arguments,
            batch_id=row.batch_id,
            owner_id=owner_id,
            vtime=vtime,
            ticket_id=row.ticket_id,
            due_at=row.due_at,
        )
        for row, owner_id, vtime in zip(new, owners, vtimes, strict=True)
    )


def reschedule(rows: Sequence[FollowUp], *, due_at: Any, error: str = "") -> None:
    """Set these rows' due time and assign new virtual times.

    With an error, also store it and count an attempt.
    """
    _, vtimes = _assign_vtimes([(row.owner_id, None) for row in rows])
    failed = {"attempts": F("attempts") + 1, "error": error} if error else {}
    for row, vtime in zip(rows, vtimes, strict=True):
        FollowUp.objects.filter(pk=row.pk).update(due_at=due_at, vtime=vtime, **failed)


def _assign_vtimes(
    requests: Sequence[tuple[int | None, int | None]],
) -> tuple[list[int | None], list[int]]:
    """Return the owners and virtual times of new follow-ups, given (owner, batch) ids."""
    owners: dict[tuple[int | None, int | None], int | None] = {}
    lasts: dict[int | None, int] = {}
    clock = 0
    distinct = list(dict.fromkeys(requests))
    with connection.cursor() as cursor:
        cursor.execute(_LASTS, [[owner for owner, _ in distinct], [batch for _, batch in distinct]])
        for owner_id, batch_id, resolved_owner, now, last in cursor:
            owners[owner_id, batch_id] = resolved_owner
            lasts[resolved_owner] = last or 0
            clock = now
    row_owners = [owners[request] for request in requests]
    return row_owners, next_vtimes(row_owners, clock=clock, lasts=lasts)


def due_targets(limit: int) -> tuple[list[DueTarget], bool]:
    """Return the targets of the first `limit` due follow-ups, and whether these are all."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_DUE, [limit])
        while cursor.nextset():  # skip the results of the settings
            pass
        rows = [DueTarget(*row) for row in cursor.fetchall()]
    return first_per_target(rows), len(rows) < limit


def first_per_target(rows: Iterable[DueTarget]) -> list[DueTarget]:
    """Return each target once, with its earliest virtual time."""
    firsts: dict[tuple[str, str], DueTarget] = {}
    for row in rows:
        firsts.setdefault((row.name, row.target), row)
    return list(firsts.values())
