"""Transactional sequences: keep a view's totals correct in whatever order updates arrive.

A source is a row with a sequence number, which each of its changes raises in the same transaction.
For each source, a view stores the last sequence that it has applied, with the value and target. So
updates may arrive twice, late or out of order: older ones are ignored, and the former value is
subtracted where it was counted, even if the source has moved to another target since.
"""

from collections.abc import Iterable
from typing import NamedTuple

from django.db import connection
from django.db.models import Sum

from runner.models import Arrival
from runner.registry import SourceUpdate

# Concurrent statements are safe: each row is deleted by only one of them, and `on conflict` sees
# the locked row's latest version. Sources are locked in order, as everywhere.
_APPLY = """
    with arrived as materialized ({arrived}), latest as (
        select distinct on (source) source, sequence, target, value
        from arrived order by source, sequence desc
    ), counted as (
        insert into runner_contribution as c (view, source, sequence, target, value)
        select %(view)s, source, sequence, target, value from latest order by source
        on conflict (view, source) do update
            set sequence = excluded.sequence, target = excluded.target, value = excluded.value
            where c.sequence < excluded.sequence or (c.sequence = excluded.sequence
                and (c.target, c.value) is distinct from (excluded.target, excluded.value))
        returning new.source, new.target, new.value, old.target as left_target, old.value as former
    ), differences as (
        select source, target, value as difference from counted
        union all
        select source, left_target, -former from counted where left_target is not null
    )
"""
_ARRIVED = """
    delete from runner_arrival where view = %(view)s and target = %(target)s
    returning source, sequence, target, value
"""
_PASSED = """
    select * from unnest(%(source)s::bigint[], %(sequence)s::bigint[], %(target)s::bigint[],
                         %(value)s::bigint[]) as passed (source, sequence, target, value)
"""
_BY_TARGET = """
    select target, sum(difference)::bigint from differences
    group by target having sum(difference) <> 0 order by target
"""
_BY_SOURCE_AND_TARGET = """
    select source, target, sum(difference)::bigint from differences
    group by source, target having sum(difference) <> 0 order by target, source
"""
_APPLY_ARRIVALS = _APPLY.format(arrived=_ARRIVED) + _BY_TARGET
_APPLY_UPDATES = _APPLY.format(arrived=_PASSED) + _BY_SOURCE_AND_TARGET


class Difference(NamedTuple):
    """A change of a target's total, caused by a source."""

    source: int
    target: int
    amount: int


def append_update(view: str, update: SourceUpdate, *, difference: int = 0) -> None:
    """Store an update for the view, in the transaction that changes the source.

    `difference` is the change of the total, for `pending_differences`.
    """
    Arrival.objects.create(view=view, difference=difference, **update._asdict())


def pending_differences(view: str) -> dict[int, int]:
    """Return by how much pending updates will change each total, by target.

    Only for views whose sources never move to another target and whose updates pass `difference`.
    """
    rows = Arrival.objects.filter(view=view).values("target").annotate(sum=Sum("difference"))
    return dict(rows.values_list("target", "sum"))


def apply_arrivals(view: str, target: int) -> dict[int, int]:
    """Apply all updates that have arrived for the target; return the changes of totals, by target.

    This includes the targets that sources have moved from; in ascending order.
    """
    with connection.cursor() as cursor:
        cursor.execute(_APPLY_ARRIVALS, {"view": view, "target": target})
        return dict(cursor.fetchall())


def apply_updates(view: str, updates: Iterable[SourceUpdate]) -> list[Difference]:
    """Apply these updates, whether or not they have arrived before; return the changes."""
    sources, sequences, targets, values = (
        zip(*updates, strict=True) if (updates := list(updates)) else _NONE
    )
    columns = {"source": sources, "sequence": sequences, "target": targets, "value": values}
    lists = {name: list(column) for name, column in columns.items()}
    with connection.cursor() as cursor:
        cursor.execute(_APPLY_UPDATES, {"view": view, **lists})
        return [Difference(*row) for row in cursor]


_NONE: tuple[tuple[int, ...], ...] = ((), (), (), ())
