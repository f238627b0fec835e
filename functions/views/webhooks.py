"""Pages of webhooks: one's own, each with its deliveries."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from functions.errors import Refusal
from functions.forms import CheckBoxes, RefusableForm
from functions.models import Webhook
from functions.names import MAX_NAME_LENGTH
from functions.permissions import require_person
from functions.read_models.webhooks import body_of, delivery_page, subject_named
from functions.views.responses import action, answer_refusals, signed_in
from functions.webhooks import commands
from functions.webhooks.addresses import MAX_URL_LENGTH
from functions.webhooks.events import DESCRIPTIONS

DELIVERIES_SHOWN = 30


class EventsForm(RefusableForm):
    """An address to which events are sent, and which events."""

    url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=MAX_URL_LENGTH,
        widget=forms.TextInput(
            {
                "autocomplete": "off",
                "spellcheck": "false",
                "inputmode": "url",
                "placeholder": "https://example.org/hooks",
            }
        ),
        help_text=gettext_lazy("It begins with https:// and is reached by everybody."),
    )
    events = forms.MultipleChoiceField(
        label=gettext_lazy("Events"),
        choices=[(name.value, text) for name, text in DESCRIPTIONS.items()],
        widget=CheckBoxes,
        initial=[name.value for name in DESCRIPTIONS],
        error_messages={"required": gettext_lazy("Choose at least one event.")},
    )


class WebhookForm(EventsForm):
    """A new webhook."""

    field_order = ("url", "subject", "function", "person", "events")

    subject = forms.ChoiceField(
        label=gettext_lazy("Of what"),
        choices=[(subject.value, subject.label) for subject in commands.SUBJECTS],
        initial=Webhook.Subject.DEPENDENCIES,
    )
    function = forms.CharField(
        label=gettext_lazy("Name of the function"),
        required=False,
        max_length=MAX_NAME_LENGTH,
        widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false", "class": "code"}),
        help_text=gettext_lazy("If it is of a function."),
    )
    person = forms.CharField(
        label=gettext_lazy("Name of the person"),
        required=False,
        max_length=150,
        widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false"}),
        help_text=gettext_lazy("If it is of a person."),
    )


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@answer_refusals
def list_webhooks(request: HttpRequest) -> HttpResponse:
    """List the user's webhooks; a POST makes one, whose secret is only shown once."""
    user = require_person(request.user)
    initial = {name: request.GET[name] for name in ("subject", "function") if name in request.GET}
    form = WebhookForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        function, person = subject_named(given["function"], given["person"])
        try:
            made = commands.create_webhook(
                actor=user,
                url=given["url"],
                subject=given["subject"],
                function=function,
                person=person,
                events=given["events"],
            )
            return _page(request, made, secret=made.secret)
        except Refusal as refusal:
            form.add_refusal(refusal)
    context = {"form": form, "webhooks": commands.webhooks_of(user)}
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "functions/webhooks.html", context, status=status)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@answer_refusals
def show_webhook(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a webhook with its deliveries; a POST changes its address and events."""
    webhook = commands.webhook_of(request.user, pk)
    if request.method != "POST":
        return _page(request, webhook)
    form = EventsForm(request.POST)
    if form.is_valid():
        try:
            commands.change_webhook(actor=signed_in(request), webhook_id=pk, **form.cleaned_data)
        except Refusal as refusal:
            form.add_refusal(refusal)
        else:
            messages.success(request, _("Saved."))
            return redirect(webhook)
    return _page(request, webhook, form=form)


@action
def switch(request: HttpRequest, pk: int) -> HttpResponse:
    """Switch a webhook off or on."""
    active = request.POST.get("active") == "yes"
    changed = commands.change_webhook(actor=request.user, webhook_id=pk, active=active)
    text = _("The webhook is switched on.") if active else _("The webhook is switched off.")
    messages.success(request, text)
    return redirect(changed)


@action
def replace_secret(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a new secret of a webhook."""
    changed = commands.rotate_secret(actor=request.user, webhook_id=pk)
    return never_cache(_page)(request, changed, secret=changed.secret)


@action
def ping(request: HttpRequest, pk: int) -> HttpResponse:
    """Send a ping to a webhook."""
    commands.ping(actor=request.user, webhook_id=pk)
    messages.success(request, _("A ping is on its way; reload to see its answer."))
    return redirect("webhook", pk)


@action
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a webhook with its deliveries."""
    commands.delete_webhook(actor=request.user, webhook_id=pk)
    messages.success(request, _("The webhook is deleted."))
    return redirect("webhooks")


@action
def resend(request: HttpRequest, pk: int, delivery: int) -> HttpResponse:
    """Send a delivery again."""
    commands.resend(actor=request.user, webhook_id=pk, delivery_id=delivery)
    messages.success(request, _("It is sent again; reload to see the answer."))
    return redirect("webhook", pk)


def _page(
    request: HttpRequest, webhook: Webhook, *, form: EventsForm | None = None, secret: str = ""
) -> HttpResponse:
    cursor = request.GET.get("cursor", "")
    page = delivery_page(webhook, cursor=cursor, limit=DELIVERIES_SHOWN)
    shown = form or EventsForm(initial={"url": webhook.url, "events": webhook.events})
    rows: Sequence[dict[str, Any]] = [
        {"delivery": delivery, "body": body_of(delivery)} for delivery in page.rows
    ]
    context = {
        "webhook": webhook,
        "secret": secret,
        "form": shown,
        "rows": rows,
        "cursor": cursor,
        "next_url": f"?{urlencode({'cursor': page.next})}" if page.next else "",
    }
    status = 422 if shown.is_bound and shown.errors else 200
    return render(request, "functions/webhook.html", context, status=status)
