"""The list of functions: searched, filtered, with stable pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import starmap
from typing import Any

from django.db.models import (
    Case,
    Count,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    When,
    Window,
)
from django.db.models.functions import Coalesce

from functions.models import Cell, Function, Implementation, Test, Work
from functions.read_models.cells import CellRow, MatrixCell, execution_states, matrix_cell
from functions.read_models.cursors import (
    MAX_ID,
    BadCursor,
    decode_cursor,
    encode_cursor,
    moment,
    since_epoch_us,
)
from functions.read_models.search import functions_found
from functions.read_models.snapshot import snapshot
from functions.source.search_query import Search, read_query

MAX_FUNCTIONS = 100
NEEDS_HELP = "needs_help"  # not implemented, or blocked
UNTESTED = "untested"  # implemented, and no test counts
# The default: names that match the first word before descriptions, then by use and name.
SORTS = ("", "used", "changed")
_WORST_FIT = 3
_COUNTED = {
    **{status: Q(status=status) for status in Function.Status.values},
    UNTESTED: Q(status=Function.Status.IMPLEMENTED, untested=True),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionRow:
    """A function in a list, with its current implementation's cells of counting tests."""

    function: Function
    owner: str
    tests: int
    implementations: int
    dependents: int
    elected: Implementation | None
    elected_author: str
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowsePage:
    """A page of the list; `counts` are of all matches: by status, by need, and of `all`.

    They are zero unless requested. `faults` are messages about invalid parts of the query.
    """

    rows: tuple[FunctionRow, ...]
    next: str | None
    counts: dict[str, int]
    faults: tuple[str, ...] = ()


def browse(
    *,
    q: str = "",
    status: str = "",
    kind: str = "",
    archived: bool = False,
    sort: str = "",
    cursor: str = "",
    limit: int = 50,
    counted: bool = True,
) -> BrowsePage:
    """Return the functions that match `q`, sorted by fit and name, or by `used` or `changed`.

    The syntax of `q` is that of `functions.source.search_query`. `status` may also be `needs_help`.
    Archived functions have a list of their own. Raises BadCursor.
    """
    search = read_query(q)
    search = replace(search, kind=kind or search.kind)
    with snapshot():
        found = functions_found(search).filter(archived_at__isnull=not archived)
        # Count and list in one query if the list has all matches.
        at_once = counted and search.is_narrow and not (status or cursor)
        counts = _counts(found) if counted and not at_once else dict.fromkeys(_COUNTED, 0)
        ordered = _ordered(_of_status(found, status), search, sort, _COUNTED if at_once else {})
        page = list(_after(ordered, search, sort, cursor)[: limit + 1])
        if at_once and page:
            counts = dict(zip(_COUNTED, page[0][-len(_COUNTED) :], strict=True))
            page = [row[: -len(_COUNTED)] for row in page]
        rows = _rows([pk for pk, *_ in page[:limit]])
    last = page[limit - 1] if len(page) > limit else None
    return BrowsePage(
        rows=rows,
        next=_cursor_at(last, sort) if last else None,
        counts=_with_sums(counts),
        faults=search.faults,
    )


def _of_status(found: QuerySet[Function], status: str) -> QuerySet[Function]:
    if status == NEEDS_HELP:
        return found.exclude(status=Function.Status.IMPLEMENTED)
    return found.filter(status=status) if status else found


def _counts(found: QuerySet[Function]) -> dict[str, int]:
    counts = dict.fromkeys(_COUNTED, 0)
    for status, untested, count in found.values_list("status", "untested").annotate(n=Count("id")):
        counts[status] += count
        if untested and status == Function.Status.IMPLEMENTED:
            counts[UNTESTED] += count
    return counts


def _with_sums(counts: dict[str, int]) -> dict[str, int]:
    total = sum(counts[status] for status in Function.Status.values)
    return {**counts, "all": total, NEEDS_HELP: total - counts[Function.Status.IMPLEMENTED]}


def _ordered(
    found: QuerySet[Function], search: Search, sort: str, counted: Mapping[str, Q]
) -> QuerySet[Function, Any]:
    """Return ids and sort keys of the matches, in order, with counts in each row."""
    counts = [Window(Count("pk", filter=condition)) for condition in counted.values()]
    if sort == "changed":
        return found.order_by("-changed_at", "-pk").values_list("pk", "changed_at", *counts)
    if sort == "used":
        used = found.order_by("-usage__dependents", "-usage__function")
        used = used.filter(usage__dependents__gte=0)
        return used.values_list("pk", "usage__dependents", *counts)
    if not search.words:
        return found.order_by("name_key").values_list("pk", "name_key", *counts)
    fitting = found.filter(usage__dependents__gte=0)
    fitting = fitting.annotate(fit=_fit(search.words[0].lower()), used=F("usage__dependents"))
    fitting = fitting.order_by("fit", "-used", "name_key")
    return fitting.values_list("pk", "fit", "used", "name_key", *counts)


def _fit(word: str) -> Case:
    """Return the rank of a match: name equal, prefix, substring, or in the description only."""
    return Case(
        When(name_key=word, then=0),
        When(name_key__startswith=word, then=1),
        When(name_key__contains=word, then=2),
        default=_WORST_FIT,
        output_field=IntegerField(),
    )


def _after(
    ordered: QuerySet[Function, Any], search: Search, sort: str, cursor: str
) -> QuerySet[Function, Any]:
    """Return the rows after the cursor, in a form that indexes can serve."""
    if not cursor:
        return ordered
    if sort:
        value, pk = decode_cursor(cursor, int, int)
        if not (0 <= value <= MAX_ID and 0 <= pk <= MAX_ID):
            raise BadCursor("a place that no list has")
        field = "changed_at" if sort == "changed" else "usage__dependents"
        place = moment(value) if sort == "changed" else value
        return ordered.filter(
            Q(**{f"{field}__lt": place}) | Q(pk__lt=pk), **{f"{field}__lte": place}
        )
    fit, used, key = decode_cursor(cursor, int, int, str)
    if not (0 <= fit <= _WORST_FIT and 0 <= used <= MAX_ID and key.isidentifier()):
        raise BadCursor("a place that no list has")
    if not search.words:
        return ordered.filter(name_key__gt=key)
    later = Q(used__lt=used) | Q(used=used, name_key__gt=key)
    return ordered.filter(Q(fit__gt=fit) | Q(later, fit=fit))


def _cursor_at(place: Sequence[Any], sort: str) -> str:
    pk, *of_sort = place
    if sort == "changed":
        return encode_cursor(since_epoch_us(of_sort[0]), pk)
    if sort == "used":
        return encode_cursor(of_sort[0], pk)
    return encode_cursor(*(of_sort if len(of_sort) > 1 else (0, 0, *of_sort)))


def _rows(ids: Sequence[int]) -> tuple[FunctionRow, ...]:
    functions = {
        function.pk: function for function in with_counts(Function.objects.filter(pk__in=ids))
    }
    cells = cells_by_work([f.elected_id for f in functions.values() if f.elected_id is not None])
    return tuple(
        FunctionRow(
            function=function,
            owner=function.owner.get_username(),
            tests=function.test_count,
            implementations=function.implementation_count,
            dependents=function.named_by,
            elected=function.elected,
            elected_author=function.elected.author.get_username() if function.elected else "",
            cells=tuple(cells.get(function.elected_id or 0, ())),
        )
        for function in (functions[pk] for pk in ids)
    )


def with_counts(functions: QuerySet[Function]) -> QuerySet[Any]:
    """Return these functions with their owners, current implementations and numbers."""
    return (
        functions.select_related("owner", "elected__author")
        .defer("elected__code")
        .annotate(
            test_count=_count_of(Test.objects.all()),
            implementation_count=_count_of(Implementation.objects.all()),
            named_by=Coalesce("usage__dependents", 0),
        )
    )


def _count_of(works: QuerySet[Implementation] | QuerySet[Test]) -> Coalesce:
    published = works.filter(function=OuterRef("pk"), state=Work.State.PUBLISHED).order_by()
    return Coalesce(Subquery(published.values("function").annotate(n=Count("id")).values("n")), 0)


def cells_by_work(implementations: Sequence[int]) -> dict[int, list[MatrixCell]]:
    """Return the cells of these implementations with counting tests, in at most two queries."""
    counting = Cell.objects.filter(implementation__in=implementations, test__counts=True)
    rows = counting.order_by("test__number").values_list(*CellRow._fields[:-1])
    cells = list(starmap(CellRow, rows))
    states = execution_states(cell for cell in cells if cell.given_up)
    found: dict[int, list[MatrixCell]] = {}
    for cell in cells:
        found.setdefault(cell.implementation_id, []).append(matrix_cell(cell, states))
    return found
