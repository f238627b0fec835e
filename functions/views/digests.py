"""Settings of digests, and the links in mails, which work without signing in."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from functions.errors import Refusal
from functions.forms import DigestForm
from functions.models import Digest
from functions.notifications.digests import (
    CONFIRM,
    UNSUBSCRIBE,
    choose_digest,
    confirm,
    digest_of_link,
    unsubscribe,
)
from functions.read_models.not_found import or_404
from functions.views.responses import signed_in


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def digest_settings(request: HttpRequest) -> HttpResponse:
    """Show and change the user's digest settings."""
    user = signed_in(request)
    digest = Digest.objects.filter(user=user).first() or Digest(user=user, address=user.email)
    initial = {"frequency": digest.frequency, "address": digest.address}
    form = DigestForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            chosen = choose_digest(actor=user, **form.cleaned_data)
            messages.success(request, _message(chosen))
            return redirect("digest")
        except Refusal as refusal:
            form.add_refusal(refusal)
        except OSError:
            form.add_error(None, _("No mail could be sent to this address. Save again later."))
    is_wrong = form.is_bound and bool(form.errors)
    context = {"form": form, "digest": digest}
    return render(request, "functions/digest.html", context, status=422 if is_wrong else 200)


def _message(digest: Digest) -> str:
    if digest.frequency == Digest.Frequency.OFF:
        return _("Digests are off.")
    if digest.confirmed_at is None:
        return _(
            "A mail was sent to %(address)s: follow the link in it to confirm the address."
        ) % {"address": digest.address}
    if digest.frequency == Digest.Frequency.DAILY:
        return _("You get a daily digest.")
    return _("You get a weekly digest.")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm_digest(request: HttpRequest, token: str) -> HttpResponse:
    """Confirm an address; a GET shows a button."""
    digest = _of_link(token, CONFIRM)
    if request.method == "POST":
        confirm(digest)
    return _answer(request, digest, CONFIRM)


# Mail programs post here by themselves (RFC 8058), without a cookie; the token identifies the user.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe_digest(request: HttpRequest, token: str) -> HttpResponse:
    """Turn digests off; a GET shows a button."""
    digest = _of_link(token, UNSUBSCRIBE)
    if request.method == "POST":
        unsubscribe(digest)
    return _answer(request, digest, UNSUBSCRIBE)


def _of_link(token: str, act: str) -> Digest:
    return or_404(digest_of_link(token, act), _("This link is invalid or has expired."))


def _answer(request: HttpRequest, digest: Digest, act: str) -> HttpResponse:
    context = {"digest": digest, "act": act, "is_done": request.method == "POST"}
    return render(request, "functions/digest_link.html", context)
