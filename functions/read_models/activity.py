"""A user's activity, newest first: definitions and publications."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F, Q, QuerySet

from functions.models import Function, Implementation, Test, Work
from functions.read_models.browse import cells_by_work
from functions.read_models.cells import MatrixCell
from functions.read_models.cursors import (
    MAX_ID,
    BadCursor,
    decode_cursor,
    encode_cursor,
    moment,
    since_epoch_us,
)

# Filters; without one, all are shown.
SHOWN = ("functions", "implementations", "tests", "current")
# Rank among activities of one instant: later nouns come first.
_NOUNS = ("function", "implementation", "test")

Row = Function | Implementation | Test
Place = tuple[datetime, int, int]  # when, the noun's rank, the row


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """A definition or publication; fields of works are null for a definition."""

    noun: str
    at: datetime
    function: Function
    id: int
    number: int | None = None
    title: str | None = None
    state: str | None = None
    score: int | None = None
    is_current: bool = False
    cells: tuple[MatrixCell, ...] = ()

    @property
    def label(self) -> str:
        """The work's label: `#7`, `T9`."""
        return f"T{self.number}" if self.noun == Test.noun else f"#{self.number}"

    @property
    def url(self) -> str:
        page = self.function.get_absolute_url()
        if self.number is None:
            return page
        anchor = f"{'T' if self.noun == Test.noun else 'I'}{self.number}"
        return f"{page}?open={anchor}#{anchor}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivityPage:
    """A page of activities; `next` is the next page's cursor."""

    rows: tuple[Activity, ...]
    next: str | None


def activity_of(user: User, *, show: str = "", cursor: str = "", limit: int = 50) -> ActivityPage:
    """Return a user's activity, newest first, filtered by `show`. Raises BadCursor."""
    place = _read(cursor) if cursor else None
    found = [
        row for noun, rows in _sources(user, show) for row in _after(rows, noun, place)[: limit + 1]
    ]
    found.sort(key=_place, reverse=True)
    page = found[:limit]
    cells = cells_by_work([row.pk for row in page if isinstance(row, Implementation)])
    return ActivityPage(
        rows=tuple(_activity(row, cells.get(row.pk, ())) for row in page),
        next=_write(page[-1]) if len(found) > limit else None,
    )


def _sources(user: User, show: str) -> Iterator[tuple[str, QuerySet[Any]]]:
    published = ~Q(state=Work.State.DRAFT) & Q(author=user, function__deleted_at=None)
    if show in ("", "functions"):
        yield "function", Function.objects.filter(owner=user, deleted_at=None)
    if show in ("", "implementations", "current"):
        written = Implementation.objects.filter(published)
        written = written.filter(function__elected=F("pk")) if show == "current" else written
        yield "implementation", written.select_related("function").defer("code")
    if show in ("", "tests"):
        tests = Test.objects.filter(published)
        yield "test", tests.select_related("function").defer("code")


def _after(rows: QuerySet[Any], noun: str, place: Place | None) -> QuerySet[Any]:
    at_field = "created_at" if noun == "function" else "published_at"
    rows = rows.order_by(f"-{at_field}", "-pk")
    if place is None:
        return rows
    at, rank, pk = place
    own = _NOUNS.index(noun)
    if own > rank:
        return rows.filter(**{f"{at_field}__lt": at})
    rows = rows.filter(**{f"{at_field}__lte": at})
    return rows if own < rank else rows.filter(Q(**{f"{at_field}__lt": at}) | Q(pk__lt=pk))


def _place(row: Row) -> Place:
    if isinstance(row, Function):
        return row.created_at, 0, row.pk
    return row.published_at or row.created_at, _NOUNS.index(row.noun), row.pk


def _write(row: Row) -> str:
    at, rank, pk = _place(row)
    return encode_cursor(since_epoch_us(at), rank, pk)


def _read(cursor: str) -> Place:
    us, rank, pk = decode_cursor(cursor, int, int, int)
    if not (0 <= us <= MAX_ID and 0 <= rank < len(_NOUNS) and 0 <= pk <= MAX_ID):
        raise BadCursor("the cursor's position is out of range")
    return moment(us), rank, pk


def _activity(row: Row, cells: Sequence[MatrixCell]) -> Activity:
    at, _, pk = _place(row)
    if isinstance(row, Function):
        return Activity(noun="function", at=at, function=row, id=pk)
    return Activity(
        noun=row.noun,
        at=at,
        function=row.function,
        id=pk,
        number=row.number,
        title=row.title,
        state=row.state,
        score=row.score,
        is_current=row.noun == Implementation.noun and row.function.elected_id == pk,
        cells=tuple(cells) if row.noun == Implementation.noun else (),
    )
