"""The history of a function's current implementation, with causes."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef

from functions.models import Election, Function
from functions.read_models.cursors import decode_place, encode_cursor
from functions.read_models.snapshot import snapshot
from functions.read_models.works import Origin, origin_of
from runner.models import Batch

ELECTIONS_SHOWN = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ElectionRow:
    """A change of the current implementation, with its cause.

    In a cascade, `origin` is the function where it began, and `origin_cause` the event there.
    """

    id: int
    elected: Origin | None
    previous: Origin | None
    circle: tuple[str, ...]  # names of the cycle's functions, including its own
    cause: str
    origin: str
    origin_cause: str
    run: int | None  # the run that decided it or began its cascade, if that is kept
    by: str  # owner of that run
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ElectionList:
    """A page of the history, newest first; `next` is the next page's cursor, or empty."""

    rows: tuple[ElectionRow, ...]
    next: str


def election_list(
    function: Function, *, cursor: str = "", limit: int = ELECTIONS_SHOWN
) -> ElectionList:
    """Return a page of elections that changed the current implementation. Raises BadCursor."""
    with snapshot():
        kept = Batch.objects.filter(pk=OuterRef("batch"), private=False)
        found = (
            Election.objects.filter(function=function)
            .select_related("elected__author", "previous__author", "origin", "by")
            .defer("elected__code", "previous__code", "origin__description")
            .annotate(has_run=Exists(kept))
            .order_by("-id")
        )
        if cursor:
            (last,) = decode_place(cursor, 1)
            found = found.filter(pk__lt=last)
        rows = list(found[: limit + 1])
    more = encode_cursor(rows[limit - 1].pk) if len(rows) > limit else ""
    return ElectionList(rows=tuple(map(_row, rows[:limit])), next=more)


def _row(election: Election) -> ElectionRow:
    return ElectionRow(
        id=election.pk,
        elected=origin_of(election.elected),
        previous=origin_of(election.previous),
        circle=tuple(election.circle),
        cause=election.cause,
        origin=election.origin.name if election.origin else "",
        origin_cause=election.origin_cause,
        run=election.batch_id if getattr(election, "has_run", False) else None,
        by=election.by.get_username() if election.by else "",
        at=election.created_at,
    )
