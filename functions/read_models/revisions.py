"""Read models of revisions of a definition, and of their differences."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from functions.errors import NotFound
from functions.models import Function, FunctionRevision
from functions.read_models.cursors import decode_place, encode_cursor
from functions.read_models.snapshot import snapshot
from functions.source.diff import Difference, compare, lines_of

REVISIONS_SHOWN = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionRow:
    """A revision in the list; `number` counts the function's from 1."""

    id: int
    number: int
    editor: str
    name: str
    signature: str
    description: str
    restored: int | None  # number of the revision that this one restored
    is_latest: bool
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionList:
    """A page of revisions, newest first; `next` is the next page's cursor, or empty."""

    rows: tuple[RevisionRow, ...]
    next: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionComparison:
    """The differences of a revision from another; the first one's are from empty texts."""

    left: RevisionRow | None
    right: RevisionRow
    signature: Difference
    description: Difference
    choices: tuple[tuple[int, int], ...]  # (id, number) of all, newest first


def revision_list(
    function: Function, *, cursor: str = "", limit: int = REVISIONS_SHOWN
) -> RevisionList:
    """Return a page of the function's revisions. Raises BadCursor."""
    with snapshot():
        numbers = _numbers(function)
        found = _revisions(function)
        if cursor:
            (last,) = decode_place(cursor, 1)
            found = found.filter(pk__lt=last)
        rows = list(found[: limit + 1])
    more = encode_cursor(rows[limit - 1].pk) if len(rows) > limit else ""
    return RevisionList(rows=tuple(_row(row, numbers) for row in rows[:limit]), next=more)


def compare_revisions(
    function: Function, pk: int, *, against: int | None = None
) -> RevisionComparison:
    """Compare a revision with `against`, by default the previous one. Raises NotFound."""
    with snapshot():
        numbers = _numbers(function)
        if against is None:
            against = max((other for other in numbers if other < pk), default=None)
        rows = {
            row.pk: _row(row, numbers) for row in _revisions(function).filter(pk__in=[pk, against])
        }
    if pk not in rows or (against is not None and against not in rows):
        message = _("%(name)s has no such revision.") % {"name": function.name}
        raise NotFound("not_found", message)
    left, right = rows.get(against or 0), rows[pk]
    return RevisionComparison(
        left=left,
        right=right,
        signature=_compare(left.signature if left else "", right.signature),
        description=_compare(left.description if left else "", right.description),
        choices=tuple(numbers.items())[::-1],
    )


def _compare(old: str, new: str) -> Difference:
    return compare(lines_of(old), lines_of(new))


def _revisions(function: Function) -> QuerySet[FunctionRevision]:
    rows = FunctionRevision.objects.filter(function=function)
    return rows.select_related("editor").order_by("-id")


def _numbers(function: Function) -> dict[int, int]:
    """Return the number of each revision by its id."""
    rows = FunctionRevision.objects.filter(function=function).order_by("id")
    return {pk: number for number, pk in enumerate(rows.values_list("id", flat=True), start=1)}


def _row(revision: FunctionRevision, numbers: dict[int, int]) -> RevisionRow:
    return RevisionRow(
        id=revision.pk,
        number=numbers[revision.pk],
        editor=revision.editor.get_username(),
        name=revision.name,
        signature=revision.signature,
        description=revision.description,
        restored=numbers.get(revision.restored_id or 0),
        is_latest=revision.pk == max(numbers),
        at=revision.created_at,
    )
