"""The page on which people change their user name."""

from http import HTTPStatus

from allauth.account.adapter import get_adapter
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from functions.errors import Refusal
from functions.forms import RefusableForm
from functions.models import FormerName
from functions.views.responses import signed_in, with_retry_after
from socialcode.accounts.username_change.change import (
    MAX_CHANGES,
    PERIOD,
    change_username,
)
from socialcode.accounts.views import proof_required


class NameForm(RefusableForm):
    """The new user name."""

    username = forms.CharField(
        label=gettext_lazy("New user name"),
        max_length=150,
        widget=forms.TextInput(
            {"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}
        ),
        help_text=gettext_lazy("Letters, digits and any of @ . + - _"),
    )


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@proof_required
def change_name(request: HttpRequest) -> HttpResponse:
    """Show the user's names; a POST changes the present one."""
    user = signed_in(request)
    form = NameForm(request.POST if request.method == "POST" else None)
    if not form.is_bound:
        return _page(request, form, HTTPStatus.OK)
    if not form.is_valid():
        return _page(request, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        changed = change_username(actor=user, name=form.cleaned_data["username"])
    except Refusal as refusal:
        form.add_refusal(refusal)
        return with_retry_after(_page(request, form, HTTPStatus(refusal.status)), refusal)
    notify_change(request, changed, user.get_username())
    messages.success(request, _("You are %(name)s now.") % {"name": changed.get_username()})
    return redirect("account-name")


def notify_change(request: HttpRequest, user: User, former: str) -> None:
    """Tell the holder by mail, if they have an address."""
    context = {"former_name": former}
    get_adapter(request).send_notification_mail("account/email/username_changed", user, context)


def _page(request: HttpRequest, form: NameForm, status: HTTPStatus) -> HttpResponse:
    user = signed_in(request)
    rows = FormerName.objects.filter(user=user).order_by("-pk").values_list("name", flat=True)
    former = [name for name in dict.fromkeys(rows) if name != user.get_username()]
    context = {"form": form, "former_names": former, "limit": MAX_CHANGES, "days": PERIOD.days}
    return render(request, "account/name.html", context, status=status)
