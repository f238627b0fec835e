"""Staff's start page, suspensions of accounts, and labels of agents."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from functions.errors import Refusal
from functions.models import Flag
from functions.read_models.flags import flag_queue
from functions.read_models.run_list import ATTENTION, RunFilter, run_list
from functions.views.responses import answer_refusals, signed_in
from functions.views.staff import clean, for_staff
from socialcode.accounts.agents.labels import label_account, labels, unlabel_account
from socialcode.accounts.forms import AgentLabelForm, SuspensionForm
from socialcode.accounts.suspensions import lift_suspension, suspend, suspensions

SHOWN_AT_FIRST = 5
ACCOUNTS_SHOWN = 50


@for_staff
@require_safe
@never_cache
def home(request: HttpRequest) -> HttpResponse:
    """Show the items that need attention."""
    context = {
        "flags": flag_queue(state=Flag.State.OPEN, limit=SHOWN_AT_FIRST).rows,
        "runs": run_list(request.user, RunFilter(state=ATTENTION), limit=SHOWN_AT_FIRST).rows,
        "suspensions": suspensions(limit=SHOWN_AT_FIRST).rows,
    }
    return render(request, "staff/home.html", context)


@for_staff
@require_http_methods(["GET", "HEAD", "POST"])
def accounts(request: HttpRequest) -> HttpResponse:
    """List suspended accounts; a POST suspends one."""
    said = _("%(name)s is suspended.")
    return _show_accounts(request, "suspensions", SuspensionForm, suspend, said, suspensions)


@for_staff
@require_POST
@answer_refusals
def lift(request: HttpRequest, username: str) -> HttpResponse:
    """Lift a suspension."""
    lift_suspension(actor=signed_in(request), username=username)
    messages.success(request, _("%(name)s can sign in again.") % {"name": username})
    return redirect("suspensions")


@for_staff
@require_http_methods(["GET", "HEAD", "POST"])
def agent_labels(request: HttpRequest) -> HttpResponse:
    """List accounts that are labelled as agents; a POST labels one."""
    said = _("%(name)s is labelled as an agent.")
    return _show_accounts(request, "agent-labels", AgentLabelForm, label_account, said, labels)


@for_staff
@require_POST
@answer_refusals
def remove_agent_label(request: HttpRequest, username: str) -> HttpResponse:
    """Remove an account's label as an agent."""
    unlabel_account(actor=signed_in(request), username=username)
    messages.success(request, _("%(name)s is no longer labelled as an agent.") % {"name": username})
    return redirect("agent-labels")


def _show_accounts(
    request: HttpRequest,
    name: str,
    form_type: type[SuspensionForm | AgentLabelForm],
    act: Callable[..., object],
    said: str,
    listed: Callable[..., Any],
) -> HttpResponse:
    """Show a list of accounts; a POST adds one to it by `act`.

    `name` is that of its address, of its template and of the rows in it.
    """
    known_as = name.replace("-", "_")
    initial = {"username": clean(request.GET.get("username", ""))}
    form = form_type(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            act(actor=signed_in(request), **form.cleaned_data)
            messages.success(request, said % {"name": form.cleaned_data["username"]})
            return redirect(name)
        except Refusal as refusal:
            form.add_refusal(refusal)
    cursor = request.GET.get("cursor", "")
    page = listed(cursor=cursor, limit=ACCOUNTS_SHOWN)
    context = {"form": form, known_as: page.rows, "next": page.next, "cursor": cursor}
    status = 422 if form.is_bound and form.errors else 200
    return render(request, f"staff/{known_as}.html", context, status=status)
