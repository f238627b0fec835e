"""Pages for staff: the audit log and the queue of flags."""

from functools import wraps
from typing import Any, Protocol

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from functions.forms import ResolutionForm
from functions.models import AuditEntry, Flag
from functions.moderation.flags import resolve_flag
from functions.read_models.audit import AuditFilter, audit_log
from functions.read_models.flags import flag_queue
from functions.views.responses import answer_refusals, signed_in

ENTRIES_SHOWN = 50
LONGEST_FILTER = 150
FILTERS = ("act", "actor", "person", "function")
STATES = (*Flag.State.choices, ("all", gettext_lazy("all")))


class View(Protocol):
    """A view."""

    def __call__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse: ...


def for_staff(view: View) -> View:
    """Restrict a view to staff; anonymous users are redirected to sign in."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_staff:
            raise PermissionDenied(_("Only staff may see this."))
        return view(request, *args, **kwargs)

    return login_required(guarded)


@for_staff
@require_safe
def show_audit(request: HttpRequest) -> HttpResponse:
    """Show the audit log, filtered."""
    filters = {name: clean(request.GET.get(name, "")) for name in FILTERS}
    cursor = request.GET.get("cursor", "")
    if filters["act"] and filters["act"] not in AuditEntry.Act.values:
        raise Http404("no such act")
    page = audit_log(AuditFilter(**filters), cursor=cursor, limit=ENTRIES_SHOWN)
    context = {
        "asked": filters,
        "is_filtered": any(filters.values()),
        "acts": AuditEntry.Act.choices,
        "rows": page.rows,
        "cursor": cursor,
        "first_url": _url("audit", filters),
        "next_url": _url("audit", {**filters, "cursor": page.next}) if page.next else "",
    }
    return render(request, "staff/audit.html", context)


@for_staff
@require_safe
def list_queue(request: HttpRequest) -> HttpResponse:
    """Show the flags, with a form for each open one."""
    state, cursor = request.GET.get("state", Flag.State.OPEN), request.GET.get("cursor", "")
    if state not in dict(STATES):
        raise Http404("no such state")
    page = flag_queue(state="" if state == "all" else state, cursor=cursor, limit=ENTRIES_SHOWN)
    context = {
        "state": state,
        "states": STATES,
        "rows": page.rows,
        "cursor": cursor,
        "first_url": _url("flag-queue", {"state": state}),
        "next_url": _url("flag-queue", {"state": state, "cursor": page.next}) if page.next else "",
    }
    return render(request, "staff/flags.html", context)


@for_staff
@require_POST
@answer_refusals
def resolve(request: HttpRequest, pk: int) -> HttpResponse:
    """Resolve a flag."""
    flag, form = get_object_or_404(Flag, pk=pk), ResolutionForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Write a short note on the decision."))
        return redirect("flag-queue")
    resolve_flag(
        actor=signed_in(request),
        flag=flag,
        is_upheld=form.cleaned_data["outcome"] == Flag.State.UPHELD,
        note=form.cleaned_data["note"],
    )
    messages.success(request, _("The flag was resolved; its author can read your note."))
    return redirect("flag-queue")


def clean(text: str) -> str:
    """Return a parameter without NUL and lone surrogates, which PostgreSQL rejects."""
    return text.replace("\0", "").encode("utf-8", "ignore").decode()[:LONGEST_FILTER].strip()


def _url(name: str, filters: dict[str, str]) -> str:
    query = urlencode({name: value for name, value in filters.items() if value})
    return f"{reverse(name)}?{query}" if query else reverse(name)
