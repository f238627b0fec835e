"""Recorded causes: which election changes led to which others."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from django.db import connection

_COLUMNS = "e.id, e.function_id, e.elected_id, e.previous_id, e.caused_by, e.began, e.basis"
_LATEST = f"""
    SELECT {_COLUMNS}, e.unsettled FROM unnest(%s::bigint[]) AS f (id) CROSS JOIN LATERAL (
        SELECT * FROM functions_election WHERE function_id = f.id ORDER BY id DESC LIMIT 1
    ) AS e
"""  # noqa: S608 - constants of ours
# LATERAL ... OFFSET 0: as in `functions.graph.queries`.
_LED_TO = f"""
    WITH RECURSIVE led (id) AS (
        SELECT unnest(%s::bigint[])
      UNION
        SELECT cause.id FROM led CROSS JOIN LATERAL (
            SELECT unnest(e.caused_by) AS id FROM functions_election AS e
            WHERE e.id = led.id AND (%s OR NOT e.unsettled)
            OFFSET 0
        ) AS cause
    )
    SELECT {_COLUMNS}, e.unsettled FROM led JOIN functions_election AS e ON e.id = led.id
"""  # noqa: S608 - constants of ours


class Change(NamedTuple):
    """A recorded change of a function's elected implementation."""

    id: int
    function: int
    elected: int | None
    previous: int | None
    caused_by: tuple[int, ...]
    began: int | None
    basis: bytes
    unsettled: bool

    @property
    def first(self) -> int:
        """Id of the first change of its cascade; an unsettling change starts a new one."""
        return self.id if self.unsettled or self.began is None else self.began


class Trace(NamedTuple):
    """The recorded causes of a change, and the first change of their cascade (`began`)."""

    caused_by: tuple[int, ...] = ()
    began: int | None = None
    basis: bytes = b""
    unsettled: bool = False


def latest_changes(function_ids: Collection[int]) -> dict[int, Change]:
    """Return each function's last change, if it has one."""
    return {change.function: change for change in _read(_LATEST, sorted(function_ids))}


def changes_before(change_ids: Iterable[int], *, across_cascades: bool) -> dict[int, Change]:
    """Return these changes and all their direct and indirect causes, by id.

    Unsettling changes start a new cascade; their causes are included only `across_cascades`.
    """
    return {
        change.id: change for change in _read(_LED_TO, sorted(set(change_ids)), across_cascades)
    }


def trace_of(causes: Collection[Change], basis: bytes) -> Trace:
    """Return the trace to record for a change with these causes."""
    ids = tuple(sorted(cause.id for cause in causes))
    return Trace(ids, min((cause.first for cause in causes), default=None), basis)


def find_cycle_path(
    causes: Iterable[int], history: Mapping[int, Change], function_ids: Collection[int]
) -> list[Change]:
    """Return the shortest path from a change of one of these functions to the causes, if any."""
    later: dict[int, int | None] = dict.fromkeys(pk for pk in causes if pk in history)
    waiting = list(later)
    for pk in waiting:  # grows during iteration
        change = history[pk]
        if change.unsettled:
            continue
        if change.function in function_ids:
            return _path_from(pk, later, history)
        for cause in change.caused_by:
            if cause in history and cause not in later:
                later[cause] = pk
                waiting.append(cause)
    return []


def _path_from(
    first: int, later: Mapping[int, int | None], history: Mapping[int, Change]
) -> list[Change]:
    path: list[Change] = []
    pk: int | None = first
    while pk is not None:
        path.append(history[pk])
        pk = later[pk]
    return path


def _read(query: str, ids: list[int], *more: bool) -> list[Change]:
    if not ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(query, [ids, *more])
        return [
            Change(pk, function, elected, previous, tuple(causes), began, bytes(basis), unsettled)
            for pk, function, elected, previous, causes, began, basis, unsettled in cursor
        ]
