"""Pages that list functions and missing names."""

from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_safe

from functions.models import Function
from functions.names import is_identifier
from functions.read_models.browse import NEEDS_HELP, SORTS, UNTESTED, FunctionRow, browse
from functions.read_models.home import first_steps, pulse
from functions.read_models.search import best_known, names_like
from functions.read_models.undefined_names import wanted_names
from functions.source.search_query import FILTERS, MAX_QUERY_LENGTH, read_query, with_filter
from functions.views.markup import dot_status
from functions.views.results_panel import sparkline

FUNCTIONS_SHOWN = 40
NAMES_SHOWN = 50
NAMES_IN_BRIEF = 8
STATUSES = (
    ("", gettext_noop("All functions"), "all"),
    ("implemented", gettext_noop("Implemented"), "implemented"),
    ("not_implemented", gettext_noop("Not implemented"), "not_implemented"),
    ("blocked", gettext_noop("Broken dependency"), "blocked"),
    (NEEDS_HELP, gettext_noop("Needs help"), NEEDS_HELP),
)
ARCHIVED = "archived"  # a filter beside the statuses; archived functions have a status too
WANTED = (
    ("implementation", gettext_noop("Needs an implementation"), "not_implemented"),
    ("repair", gettext_noop("Needs repair"), "blocked"),
    ("tests", gettext_noop("Needs tests"), UNTESTED),
)
# The first sort is the default.
SORT_TITLES = {
    "": gettext_noop("Name"),
    "used": gettext_noop("Most imported"),
    "changed": gettext_noop("Recently active"),
}


@require_safe
def browse_functions(request: HttpRequest) -> HttpResponse:
    """Show functions, searched and filtered."""
    q, status = request.GET.get("q", "")[:MAX_QUERY_LENGTH].strip(), request.GET.get("status", "")
    cursor, sort = request.GET.get("cursor", ""), request.GET.get("sort", "")
    archived = status == ARCHIVED
    known = archived or status in {choice for choice, *_rest in STATUSES}
    if not known or sort not in ("name", *SORTS):
        raise Http404("there is no such status or sort")
    wanted = "" if archived else status
    search = read_query(q)
    looks_for_work = status == NEEDS_HELP or (search.needs and not search.words)
    is_everything = not (q or status)
    is_home = is_everything and not cursor
    sort = sort or ("used" if looks_for_work else "changed" if is_everything else "")
    page = browse(
        q=q,
        status=wanted,
        archived=archived,
        sort="" if sort == "name" else sort,
        cursor=cursor,
        limit=FUNCTIONS_SHOWN,
    )
    query = {"q": q, "status": status, "sort": request.GET.get("sort", "")}
    context = {
        "here": "help" if status == NEEDS_HELP else "browse",
        "q": q,
        "status": status,
        "cursor": cursor,
        "faults": page.faults,
        "filters": [(name, _(meaning)) for name, meaning in FILTERS.items()],
        "rows": [_row(row) for row in page.rows],
        "example": _example(page.rows),
        # Either all counts include only archived functions, or none does.
        "statuses": [
            _choice(query, {} if archived else page.counts, *choice) for choice in STATUSES
        ],
        "archived_url": _url({**query, "status": ARCHIVED}),
        "wanted": [
            _filter_link(query, {} if archived else page.counts, *choice) for choice in WANTED
        ],
        "names": wanted_names(limit=NAMES_IN_BRIEF).rows if status == NEEDS_HELP else (),
        "sorts": [(name or "name", _(title), name == sort) for name, title in SORT_TITLES.items()],
        "count": page.counts[wanted or "all"],
        "next_url": _url({**query, "cursor": page.next}) if page.next else "",
        "all_url": _url({**query, "status": ""}),
        "similar": names_like(q) if q and not page.rows and not status else (),
        "best_known": best_known(),
        "pulse": pulse() if is_home else None,
        "steps": first_steps(request.user) if is_home else None,
        "can_define": is_identifier(q)
        and not Function.objects.filter(name_key=q.lower(), deleted_at=None).exists(),
    }
    return render(request, "functions/browse.html", context)


@require_safe
def show_pulse(request: HttpRequest) -> HttpResponse:
    """Show what happens now, as a part of the first page that its script fetches."""
    return render(request, "functions/_pulse.html", {"pulse": pulse()})


@require_safe
def list_wanted(request: HttpRequest) -> HttpResponse:
    """Show names that published code uses and no function has."""
    page = wanted_names(cursor=request.GET.get("cursor", ""), limit=NAMES_SHOWN)
    next_url = f"?{urlencode({'cursor': page.next})}" if page.next else ""
    context = {"here": "help", "names": page.rows, "next_url": next_url}
    return render(request, "functions/wanted.html", context)


def _example(rows: Sequence[FunctionRow]) -> Function | None:
    """Return the function that is the best example: implemented, with competing implementations."""
    working = [row for row in rows if row.function.status == Function.Status.IMPLEMENTED]
    return max(working, key=lambda row: row.implementations).function if working else None


def _url(query: dict[str, str]) -> str:
    parameters = urlencode({name: value for name, value in query.items() if value})
    return f"{reverse('browse')}?{parameters}" if parameters else reverse("browse")


def _choice(
    query: dict[str, str], counts: dict[str, int], status: str, title: str, count: str
) -> dict[str, Any]:
    return {
        "url": _url({**query, "status": status}),
        "title": _(title),
        "count": counts.get(count),
        "chosen": status == query["status"],
        "dot": dot_status(status) if status and status != NEEDS_HELP else "",
    }


def _filter_link(
    query: dict[str, str], counts: dict[str, int], need: str, title: str, count: str
) -> dict[str, Any]:
    """Return a filter link that sets a filter of the query, or removes it if it is set."""
    chosen = read_query(query["q"]).needs == need
    q = with_filter(query["q"], "needs", "" if chosen else need)
    return {
        "url": _url({**query, "q": q, "status": ""}),
        "title": _(title),
        "count": counts.get(count),
        "chosen": chosen,
    }


def _row(row: FunctionRow) -> dict[str, Any]:
    return {
        "function": row.function,
        "owner": row.owner,
        "tests": row.tests,
        "implementations": row.implementations,
        "dependents": row.dependents,
        "elected": row.elected,
        **sparkline(row.cells),
    }
