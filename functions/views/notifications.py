"""Pages of notifications and watches."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from functions.models import NameWatch, Notice
from functions.notifications.delivery import mark_read
from functions.notifications.person_watches import watch_person
from functions.notifications.watches import watch_function, watch_name
from functions.read_models.cursors import MAX_ID
from functions.read_models.function import function_named
from functions.read_models.not_found import or_404
from functions.read_models.notifications import (
    NotificationRow,
    notification_page,
    people_watched,
    watched_page,
)
from functions.read_models.person import person_named
from functions.views.responses import action, signed_in

STATES = (("", gettext_noop("All")), ("unread", gettext_noop("Unread")))
MOST_AT_ONCE = 100


@dataclass(slots=True)
class Group:
    """Notifications of one kind and function or person: the latest, then the others."""

    first: NotificationRow
    others: list[NotificationRow] = field(default_factory=list)

    @property
    def unread(self) -> list[int]:
        return [row.id for row in (self.first, *self.others) if not row.is_read]


def grouped(rows: Iterable[NotificationRow]) -> list[Group]:
    """Group notifications by kind and function, or by the person who publishes.

    Groups are in order of first occurrence.
    """
    groups: dict[tuple[str, str], Group] = {}
    for row in rows:
        key = (row.actor if row.kind == Notice.Kind.PUBLISHED else row.function, row.kind)
        if key in groups:
            groups[key].others.append(row)
        else:
            groups[key] = Group(row)
    return list(groups.values())


@login_required
@never_cache
@require_safe
def list_notifications(request: HttpRequest) -> HttpResponse:
    """List the user's notifications, all or unread ones."""
    state, cursor = request.GET.get("state", ""), request.GET.get("cursor", "")
    if state not in dict(STATES):
        raise Http404("no such filter")
    page = notification_page(
        signed_in(request), unread_only=state == "unread", cursor=cursor, limit=MOST_AT_ONCE
    )
    context: dict[str, Any] = {
        "state": state,
        "states": [
            {"url": _url(state=value), "title": _(title), "chosen": value == state}
            for value, title in STATES
        ],
        "groups": grouped(page.rows),
        "standing": page.standing,
        "newest": page.rows[0].id if page.rows and not cursor else 0,
        "cursor": cursor,
        "first_url": _url(state=state),
        "next_url": _url(state=state, cursor=page.next) if page.next else "",
    }
    return render(request, "functions/notifications.html", context)


def _url(**query: str) -> str:
    parameters = {name: value for name, value in query.items() if value}
    place = reverse("notifications")
    return f"{place}?{urlencode(parameters)}" if parameters else place


@action
def read_notifications(request: HttpRequest) -> HttpResponse:
    """Mark some notifications, or all up to one, as read; redirect to the list."""
    sent = [*request.POST.getlist("id"), *request.POST.getlist("up_to")]
    if len(sent) > MOST_AT_ONCE or not all(map(_is_number, sent)):
        return HttpResponseBadRequest("The ids of notifications are numbers.")
    ids, up_to = request.POST.getlist("id"), request.POST.get("up_to")
    mark_read(
        actor=signed_in(request), ids=[int(one) for one in ids], up_to=int(up_to) if up_to else None
    )
    state = request.POST.get("state", "")
    return redirect(_url(state=state if state in dict(STATES) else ""))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < len(str(MAX_ID))


@action
def watch(request: HttpRequest, name: str) -> HttpResponse:
    """Start or stop watching a function."""
    watching = request.POST.get("watching")
    if watching not in ("yes", "no"):
        return HttpResponseBadRequest("`watch` is yes or no.")
    function = function_named(name)
    if function is None:
        watch_name(actor=signed_in(request), name=name, watching=watching == "yes")
        is_listed = request.POST.get("next") == "watched"
        return redirect("watched") if is_listed else redirect("function", name)
    watch_function(actor=signed_in(request), function=function, watching=watching == "yes")
    return redirect("watched" if request.POST.get("next") == "watched" else function)


@action
def watch_somebody(request: HttpRequest, username: str) -> HttpResponse:
    """Start or stop watching a person."""
    watching = request.POST.get("watching")
    if watching not in ("yes", "no"):
        return HttpResponseBadRequest("`watching` is yes or no.")
    person = or_404(person_named(username))
    watch_person(actor=signed_in(request), person=person, watching=watching == "yes")
    is_listed = request.POST.get("next") == "watched"
    return redirect("watched") if is_listed else redirect("person", person.get_username())


@login_required
@never_cache
@require_safe
def list_watched(request: HttpRequest) -> HttpResponse:
    """List the functions, undefined names and people that the user watches."""
    cursor = request.GET.get("cursor", "")
    page = watched_page(signed_in(request), cursor=cursor)
    next_url = f"?{urlencode({'cursor': page.next})}" if page.next else ""
    functions = [row.function for row in page.rows]
    names = NameWatch.objects.filter(user=signed_in(request)).order_by("name_key")
    context = {
        "functions": functions,
        "names": () if cursor else list(names.values_list("name", flat=True)),
        "people": () if cursor else people_watched(signed_in(request)),
        "cursor": cursor,
        "next_url": next_url,
    }
    return render(request, "functions/watched.html", context)
