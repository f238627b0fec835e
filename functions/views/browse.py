"""The list of functions."""

from collections.abc import Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from functions.models import Function
from functions.naming import is_identifier
from functions.pages.browse import NEEDS_HELP, FunctionRow, browse
from functions.pages.cursors import BadCursor
from functions.rendering import dot_status
from functions.views.panels import strip_of_looks
from functions.views.words import LOOKS

FUNCTIONS_SHOWN = 40
STATUSES = (
    ("", "All functions", "all"),
    ("implemented", "Implemented", "implemented"),
    ("not_implemented", "Not implemented", "not_implemented"),
    ("blocked", "Broken dependency", "blocked"),
    (NEEDS_HELP, "Needs help", NEEDS_HELP),
)
ARCHIVED = "archived"  # beside the statuses: it has one all the same


@require_safe
def browse_functions(request: HttpRequest) -> HttpResponse:
    """Show what there is, searched and filtered."""
    q, status = request.GET.get("q", "")[:200].strip(), request.GET.get("status", "")
    cursor = request.GET.get("cursor", "")
    archived = status == ARCHIVED
    if not archived and status not in {choice for choice, _, _ in STATUSES}:
        raise Http404("no such status")
    wanted = "" if archived else status
    try:
        page = browse(q=q, status=wanted, archived=archived, cursor=cursor, limit=FUNCTIONS_SHOWN)
    except BadCursor as error:
        raise Http404("no such place in the list") from error
    context = {
        "here": "help" if status == NEEDS_HELP else "browse",
        "q": q,
        "status": status,
        "cursor": cursor,
        "rows": [_row(row) for row in page.rows],
        "example": _example(page.rows),
        # Counts are of what is not archived, or of what is.
        "statuses": [
            _choice(q, status, {} if archived else page.counts, *choice) for choice in STATUSES
        ],
        "archived_url": _url(q, ARCHIVED),
        "shown": f"{page.counts[wanted or 'all']} functions",
        "next_url": _url(q, status, page.next) if page.next else "",
        "all_url": _url(q, ""),
        "can_define": is_identifier(q)
        and not Function.objects.filter(name_key=q.lower(), deleted_at=None).exists(),
    }
    return render(request, "functions/browse.html", context)


def _example(rows: Sequence[FunctionRow]) -> Function | None:
    """Return the function of these that shows a newcomer most: works, and has competitors."""
    working = [row for row in rows if row.function.status == Function.Status.IMPLEMENTED]
    return max(working, key=lambda row: row.implementations).function if working else None


def _url(q: str, status: str, cursor: str = "") -> str:
    query = {"q": q, "status": status, "cursor": cursor}
    told = urlencode({name: value for name, value in query.items() if value})
    return f"{reverse('browse')}?{told}" if told else reverse("browse")


def _choice(
    q: str, chosen: str, counts: dict[str, int], status: str, title: str, count: str
) -> dict[str, Any]:
    return {
        "url": _url(q, status),
        "title": title,
        "count": counts.get(count),
        "chosen": status == chosen,
        "dot": dot_status(status) if status and status != NEEDS_HELP else "",
    }


def _row(row: FunctionRow) -> dict[str, Any]:
    states = [LOOKS[square.state].state for square in row.strip]
    return {
        "function": row.function,
        "owner": row.owner,
        "tests": row.tests,
        "implementations": row.implementations,
        "elected": row.elected,
        "marks": [(state, "") for state in strip_of_looks(states)],
        "passed": states.count("passed"),
        "total": len(states),
    }
