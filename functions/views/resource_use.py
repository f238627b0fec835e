"""Pages of what accounts use of their quotas: one's own, and staff's for any account."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from functions.errors import Refusal
from functions.moderation.quota_changes import change_quota
from functions.people.forms import QuotaForm
from functions.read_models.person import person_named
from functions.read_models.resource_use import UsePage, use_page
from functions.views.responses import signed_in
from functions.views.staff import for_staff
from runner.quotas import Use, shown


@login_required
@require_safe
@never_cache
def show_use(request: HttpRequest) -> HttpResponse:
    """Show what the user has used today."""
    return render(request, "functions/use.html", _context(use_page(signed_in(request))))


@for_staff
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def quotas(request: HttpRequest) -> HttpResponse:
    """Show an account's use and change its quotas, as staff."""
    username = request.GET.get("username", "").strip()
    form = QuotaForm(
        request.POST if request.method == "POST" else None, initial={"username": username}
    )
    if request.method == "POST" and form.is_valid():
        try:
            changed = change_quota(actor=signed_in(request), **form.cleaned_data)
            messages.success(request, _("The quota was changed."))
            query = urlencode({"username": changed.get_username()})
            return redirect(f"{reverse('quotas')}?{query}")
        except Refusal as refusal:
            form.add_refusal(refusal)
    user = person_named(username) if username else None
    context = {"form": form, "username": username, "is_unknown": bool(username and not user)}
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "staff/quotas.html", context | _context_of(user), status=status)


def _context_of(user: User | None) -> dict[str, Any]:
    return _context(use_page(user)) if user else {}


def _context(page: UsePage) -> dict[str, Any]:
    return {
        "page": page,
        "bars": [bar_of(use, page.account) for use in page.uses],
        "sockets": [bar_of(page.sockets, page.account)],
    }


def bar_of(use: Use, account: int) -> dict[str, Any]:
    """Return what a bar of this account's use shows."""
    tone = "bad" if use.is_exhausted else "warn" if use.is_scarce else "ok"
    return {
        "label": _(use.resource.label),
        "used": shown(use.used),
        "limit": shown(use.limit),
        "percent": min(100, int(100 * use.used / use.limit)) if use.limit else 100,
        "tone": tone,
        "is_changed": use.limit != use.resource.limit_of(account),
    }
