"""A person's public page."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from functions.read_models.activity import SHOWN, Activity
from functions.read_models.contributions import WEEKS_SHOWN, by_month, first_day
from functions.read_models.notifications import watching_of_person
from functions.read_models.person import PersonPage, person_named, person_page
from functions.views.results_panel import sparkline

ACTIVITIES_SHOWN = 30
# The calendar in SVG units: distance of days, space for weekday names, space for month names.
STEP, LEFT, TOP = 14, 28, 15
HALF = WEEKS_SHOWN // 2
LEVELS = (1, 3, 5, 8)  # contributions from which a day has the next darker shade


@dataclass(frozen=True, slots=True)
class Day:
    """A day of the calendar, with its position in its half and its shade."""

    x: int
    y: int
    level: int
    count: int
    on: date


@require_safe
def show_person(request: HttpRequest, username: str) -> HttpResponse:
    """Show a person's activities and totals."""
    show, cursor = request.GET.get("show", ""), request.GET.get("cursor", "")
    user = person_named(username)
    if user is None or show not in ("", *SHOWN):
        raise Http404("nobody has this name")
    if username != user.get_username():
        return redirect("person", user.get_username())
    today = timezone.now().date()
    page = person_page(user, today=today, show=show, cursor=cursor, limit=ACTIVITIES_SHOWN)
    more = urlencode({"show": show, "cursor": page.activity.next or ""})
    context = {
        "page": page,
        "show": show,
        "tabs": _tabs(page, show),
        "rows": [_row(row) for row in page.activity.rows],
        "next_url": f"?{more}" if page.activity.next else "",
        "halves": list(_halves(page.days, today)),
        "months": list(by_month(page.days, today)),
        "contributions": sum(page.days.values()),
        "weeks": WEEKS_SHOWN,
        "watching": watching_of_person(user, request.user),
        "is_self": request.user == user,
    }
    return render(request, "functions/person.html", context)


def _tabs(page: PersonPage, show: str) -> list[dict[str, Any]]:
    totals = page.totals
    return [
        {"url": f"?show={name}" if name else "?", "title": title, "count": count,
         "chosen": name == show}
        for name, title, count in (
            ("", _("Contributions"), None),
            ("functions", _("Functions"), totals.functions),
            ("implementations", _("Implementations"), totals.implementations),
            ("tests", _("Tests"), totals.tests),
            ("current", _("Current"), totals.current),
        )
    ]  # fmt: skip


def _row(row: Activity) -> dict[str, Any]:
    return {
        "activity": row,
        **sparkline(row.cells),
    }


def _halves(counts: Mapping[date, int], today: date) -> Iterator[dict[str, Any]]:
    """Return the calendar in two halves, which are side by side or, on a phone, one below other."""
    first = first_day(today)
    for start in (first, first + timedelta(weeks=HALF)):
        end = min(start + timedelta(weeks=HALF), today + timedelta(days=1))
        days = [start + timedelta(days=number) for number in range((end - start).days)]
        yield {
            "first": start,
            "last": days[-1],
            "count": sum(counts.get(on, 0) for on in days),
            "days": [_day(on, number, counts.get(on, 0)) for number, on in enumerate(days)],
            "months": _months(start),
        }


def _day(on: date, number: int, count: int) -> Day:
    week, day = divmod(number, 7)
    level = sum(count >= least for least in LEVELS)
    return Day(LEFT + STEP * week, TOP + STEP * day, level, count, on)


def _months(start: date) -> list[tuple[int, str]]:
    """Return (x, name) of each month of a half, at its first Monday."""
    mondays = [start + timedelta(weeks=week) for week in range(HALF)]
    return [
        (LEFT + STEP * week, date_format(monday, "M"))
        for week, monday in enumerate(mondays)
        if monday.day <= 7 and week < HALF - 1
    ]
