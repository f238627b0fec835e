"""Transactional sequences: what a view counts for a source follows the source, whatever comes.

A source is a row with a sequence, raised by each change of it in the same transaction. A view
keeps the last sequence of each source that it has applied, what it counts for it, and for which
target. So news of a source may come twice, late or in any order: what is older than what was
applied changes nothing, and what a source said before is taken from where it was counted, even
where the source has moved to another target since.
"""

from collections.abc import Iterable
from typing import NamedTuple

from django.db import connection
from django.db.models import Sum

from runner.models import Arrival

# All in one statement, and yet safe beside others like it: what is deleted is deleted by one of
# them only, and `on conflict` looks at a row as it is once it is locked, not as it was before.
# Sources are locked in their order, as everybody does.
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
_GIVEN = """
    select * from unnest(%(source)s::bigint[], %(sequence)s::bigint[], %(target)s::bigint[],
                         %(value)s::bigint[]) as told (source, sequence, target, value)
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
_APPLY_UPDATES = _APPLY.format(arrived=_GIVEN) + _BY_SOURCE_AND_TARGET


class SourceUpdate(NamedTuple):
    """What a source says as of a sequence of its own: a value, for a target."""

    source: int
    sequence: int
    target: int
    value: int


class Difference(NamedTuple):
    """By how much a target's total changes for a source."""

    source: int
    target: int
    amount: int


def append_update(view: str, update: SourceUpdate, *, difference: int = 0) -> None:
    """Have the view told, in the transaction that changes the source and raises its sequence."""
    Arrival.objects.create(view=view, difference=difference, **update._asdict())


def pending_differences(view: str) -> dict[int, int]:
    """Return by how much what has arrived and isn't applied yet will change which totals.

    That is for views whose sources stay at their targets, and say how they differ.
    """
    rows = Arrival.objects.filter(view=view).values("target").annotate(sum=Sum("difference"))
    return dict(rows.values_list("target", "sum"))


def apply_arrivals(view: str, target: int) -> dict[int, int]:
    """Apply all that has arrived for the target; returns by how much which totals change.

    Other targets are among them where sources have come from there; the lowest is the first.
    """
    with connection.cursor() as cursor:
        cursor.execute(_APPLY_ARRIVALS, {"view": view, "target": target})
        return dict(cursor.fetchall())


def apply_updates(view: str, updates: Iterable[SourceUpdate]) -> list[Difference]:
    """Apply this news, whether or not it has arrived before; returns what changes by it."""
    sources, sequences, targets, values = (
        zip(*updates, strict=True) if (updates := list(updates)) else _NONE
    )
    columns = {"source": sources, "sequence": sequences, "target": targets, "value": values}
    lists = {name: list(column) for name, column in columns.items()}
    with connection.cursor() as cursor:
        cursor.execute(_APPLY_UPDATES, {"view": view, **lists})
        return [Difference(*row) for row in cursor]


_NONE: tuple[tuple[int, ...], ...] = ((), (), (), ())
