"""The list of functions: searched, filtered, in pages that hold while others write."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Case, Count, IntegerField, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from functions.models import Cell, Function, Implementation, Test, Work
from functions.pages.cursors import BadCursor, decode_cursor, encode_cursor
from functions.pages.snapshot import snapshot
from functions.pages.squares import Square, execution_states, square

MOST_FUNCTIONS = 100
MOST_WORDS = 8
NEEDS_HELP = "needs_help"  # not implemented, or blocked


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionRow:
    """A function in a list, with its current implementation's squares of tests that count."""

    function: Function
    owner: str
    tests: int
    implementations: int
    elected: Implementation | None
    elected_author: str
    strip: tuple[Square, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowsePage:
    """A page of the list; `counts` are of all that is found, by status and `all`."""

    rows: tuple[FunctionRow, ...]
    next: str | None
    counts: dict[str, int]


def browse(
    *,
    q: str = "",
    status: str = "",
    kind: str = "",
    archived: bool = False,
    cursor: str = "",
    limit: int = 50,
) -> BrowsePage:
    """Return functions in the order of how well their name fits, then of names.

    Every word of `q` must be in the name or the description. `status` may also be `needs_help`.
    Archived ones are listed apart.
    Raises BadCursor.
    """
    words = _words(q)
    with snapshot():
        found = _found(words, kind, archived=archived)
        counts = _counts(found)
        page = list(_after(_ranked(_of_status(found, status), words), cursor)[: limit + 1])
        rows = _rows(page[:limit])
    last = page[limit - 1] if len(page) > limit else None
    return BrowsePage(rows=rows, next=_cursor_at(last) if last else None, counts=counts)


def _words(q: str) -> list[str]:
    # The database refuses NUL, and what can't be encoded can't be in it.
    clean = q.replace("\0", " ").encode("utf-8", "ignore").decode()
    return clean.split()[:MOST_WORDS]


def _found(words: Iterable[str], kind: str, *, archived: bool) -> QuerySet[Function]:
    found = Function.objects.filter(deleted_at=None, archived_at__isnull=not archived)
    if kind:
        found = found.filter(kind=kind)
    for word in words:
        found = found.filter(Q(name__icontains=word) | Q(description__icontains=word))
    return found


def _of_status(found: QuerySet[Function], status: str) -> QuerySet[Function]:
    if status == NEEDS_HELP:
        return found.exclude(status=Function.Status.IMPLEMENTED)
    return found.filter(status=status) if status else found


def _counts(found: QuerySet[Function]) -> dict[str, int]:
    by_status = dict(found.values_list("status").annotate(count=Count("id")))
    counts = {status.value: by_status.get(status.value, 0) for status in Function.Status}
    total = sum(counts.values())
    return {**counts, "all": total, NEEDS_HELP: total - counts[Function.Status.IMPLEMENTED]}


def _ranked(found: QuerySet[Function], words: Sequence[str]) -> QuerySet[Function]:
    """Put a name that is, begins with or contains the first word above a mere description."""
    fit: Case | Value = Value(0)
    if words:
        fit = Case(
            When(name_key=words[0].lower(), then=0),
            When(name_key__startswith=words[0].lower(), then=1),
            When(name_key__contains=words[0].lower(), then=2),
            default=3,
            output_field=IntegerField(),
        )
    return found.annotate(fit=fit).order_by("fit", "name_key")


def _after(found: QuerySet[Function], cursor: str) -> QuerySet[Function]:
    if cursor:
        fit, name_key = decode_cursor(cursor, int, str)
        if not (0 <= fit <= 3 and name_key.isidentifier()):
            raise BadCursor("a place that no list has")
        found = found.filter(Q(fit__gt=fit) | Q(fit=fit, name_key__gt=name_key))
    return found


def _cursor_at(function: Function) -> str:
    return encode_cursor(int(getattr(function, "fit", 0)), function.name_key)


def _rows(found: Sequence[Function]) -> tuple[FunctionRow, ...]:
    functions = {
        function.pk: function
        for function in Function.objects.filter(pk__in=[row.pk for row in found])
        .select_related("owner", "elected__author")
        .annotate(
            test_count=_count_of(Test.objects.all()),
            implementation_count=_count_of(Implementation.objects.all()),
        )
    }
    strips = _strips([f.elected_id for f in functions.values() if f.elected_id is not None])
    return tuple(
        FunctionRow(
            function=function,
            owner=function.owner.get_username(),
            tests=function.test_count,
            implementations=function.implementation_count,
            elected=function.elected,
            elected_author=function.elected.author.get_username() if function.elected else "",
            strip=tuple(strips.get(function.elected_id or 0, ())),
        )
        for function in (functions[row.pk] for row in found)
    )


def _count_of(works: QuerySet[Implementation] | QuerySet[Test]) -> Coalesce:
    published = works.filter(function=OuterRef("pk"), state=Work.State.PUBLISHED).order_by()
    return Coalesce(Subquery(published.values("function").annotate(n=Count("id")).values("n")), 0)


def _strips(implementations: Sequence[int]) -> dict[int, list[Square]]:
    counting = Cell.objects.filter(implementation__in=implementations, test__counts=True)
    cells = list(counting.order_by("test__number"))
    states = execution_states(cell for cell in cells if cell.given_up)
    strips: dict[int, list[Square]] = {}
    for cell in cells:
        strips.setdefault(cell.implementation_id, []).append(square(cell, states))
    return strips
