"""Pages of one's registered projects, and of what differs from their locks now."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from functions.canaries.forms import CanaryForm
from functions.canaries.projects import delete_canary, register_canary, replace_canary
from functions.errors import Refusal
from functions.models import Canary
from functions.read_models.canaries import canary_changes, canary_of, canary_page, canary_row
from functions.read_models.not_found import or_404
from functions.views.responses import action


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def list_canaries(request: HttpRequest) -> HttpResponse:
    """List the user's projects; a POST registers one."""
    form = CanaryForm(request.POST or None)
    made = None
    if request.method == "POST" and form.is_valid():
        try:
            made = register_canary(actor=request.user, **form.registration)
        except Refusal as refusal:
            form.add_refusal(refusal)
        else:
            form = CanaryForm()
    page = canary_page(request.user, cursor=request.GET.get("cursor", ""))
    context = {"page": page, "form": form, "made": made}
    return render(request, "functions/canaries.html", context, status=_status(form))


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def show_canary(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what differs from a project's lock; a POST gives it its new lock."""
    canary = or_404(canary_of(request.user, pk))
    form = CanaryForm(request.POST or None, initial=_initial(canary))
    if request.method == "POST" and form.is_valid():
        try:
            replace_canary(actor=request.user, canary=canary, **form.registration)
        except Refusal as refusal:
            form.add_refusal(refusal)
        else:
            messages.success(request, _("%(name)s has moved on.") % {"name": canary.name})
            return redirect("canary", pk)
    context = {"row": canary_row(canary), "changes": canary_changes(canary), "form": form}
    return render(request, "functions/canary.html", context, status=_status(form))


@action
def remove_canary(request: HttpRequest, pk: int) -> HttpResponse:
    """Remove a project."""
    canary = or_404(canary_of(request.user, pk))
    delete_canary(actor=request.user, canary=canary)
    messages.success(request, _("%(name)s is no longer registered.") % {"name": canary.name})
    return redirect("canaries")


def _initial(canary: Canary) -> dict[str, object]:
    return {"name": canary.name, "url": canary.webhook.url if canary.webhook else ""}


def _status(form: CanaryForm) -> int:
    return 422 if form.errors else 200
