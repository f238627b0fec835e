"""Pages of owners: rename, offer and archive a function, answer an offer."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_http_methods, require_safe

from functions.authoring.rename import is_name_used, rename_function
from functions.errors import Refusal
from functions.forms import ReasonForm, ReceiverForm, RefusableForm, RenameForm
from functions.models import AuditEntry, Function
from functions.moderation.archive import archive_function, unarchive_function
from functions.moderation.ownership import (
    accept_function,
    end_offer,
    offer_function,
    transfer_function,
)
from functions.permissions import may_moderate
from functions.read_models.audit import AuditFilter, audit_log, has_log
from functions.read_models.function import function_named, function_or_404
from functions.views.functions import function_to_change
from functions.views.responses import action, signed_in

ENTRIES_SHOWN = 50
# The forms of the page: the form class, the use case, and the message afterwards.
ACTS: dict[str, tuple[type[RefusableForm], Callable[..., Function], str]] = {
    "rename": (RenameForm, rename_function, gettext_noop("The function is now called %(name)s.")),
    "offer": (ReceiverForm, offer_function, gettext_noop("%(name)s is offered to %(receiver)s.")),
    "end-offer": (RefusableForm, end_offer, gettext_noop("%(name)s is no longer offered.")),
    "transfer": (
        ReceiverForm,
        transfer_function,
        gettext_noop("%(name)s now belongs to %(owner)s."),
    ),
    "archive": (ReasonForm, archive_function, gettext_noop("%(name)s is archived.")),
    "unarchive": (ReasonForm, unarchive_function, gettext_noop("%(name)s is no longer archived.")),
}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def manage_function(request: HttpRequest, name: str) -> HttpResponse:
    """Show the owner's page; a POST performs the action named `act`."""
    function = function_to_change(request, name)
    if request.method != "POST":
        return _desk(request, function)
    act = request.POST.get("act", "")
    if act not in ACTS:
        return HttpResponseBadRequest("There is no such action.")
    form_class, use_case, message = ACTS[act]
    form = form_class(request.POST, auto_id=f"{act}-%s")
    if not form.is_valid():
        return _desk(request, function, act, form)
    try:
        changed = use_case(actor=signed_in(request), function=function, **form.cleaned_data)
    except Refusal as refusal:
        form.add_refusal(refusal)
        return _desk(request, function, act, form)
    named = {"name": changed.name, "owner": changed.owner, "receiver": changed.offered_to}
    messages.success(request, _(message) % named)
    stays = may_moderate(request.user, changed)
    return redirect("manage-function", changed.name) if stays else redirect(changed)


def _desk(
    request: HttpRequest, function: Function, act: str = "", form: RefusableForm | None = None
) -> HttpResponse:
    forms: dict[str, Any] = {
        one.replace("-", "_"): form if one == act else form_class(auto_id=f"{one}-%s")
        for one, (form_class, _, _) in ACTS.items()
    }
    context = {
        "function": function,
        "forms": forms,
        "failed": form if act else None,
        "is_name_used": is_name_used(function),
    }
    return render(request, "functions/manage.html", context, status=422 if act else 200)


@action
def answer_offer(request: HttpRequest, name: str) -> HttpResponse:
    """Accept or decline an offered function."""
    function, answer = function_or_404(name), request.POST.get("answer", "")
    if answer not in ("accept", "decline"):
        return HttpResponseBadRequest("An answer is accept or decline.")
    answered = accept_function if answer == "accept" else end_offer
    answered(actor=signed_in(request), function=function)
    is_accepted = answer == "accept"
    outcome = _("%(name)s is yours now.") if is_accepted else _("%(name)s stays with its owner.")
    messages.success(request, outcome % {"name": function.name})
    return redirect(function)


@require_safe
def show_log(request: HttpRequest, name: str) -> HttpResponse:
    """Show the log of acts on a function, also of a deleted one."""
    if not has_log(name):
        raise Http404
    function = function_named(name)
    act, cursor = request.GET.get("act", ""), request.GET.get("cursor", "")
    if act and act not in AuditEntry.Act.values:
        raise Http404("no such act")
    page = audit_log(AuditFilter(function=name, act=act), cursor=cursor, limit=ENTRIES_SHOWN)
    context = {
        "function": function,
        "name": function.name if function else name,
        "rows": page.rows,
        "next": page.next,
        "act": act,
        "cursor": cursor,
    }
    return render(request, "functions/log.html", context)
