"""Pages of help, and those for operators."""

import hmac

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST

from runner.operations.metrics import exposition
from socialcode.help import PAGES, render_help


@require_safe
def show_help(request: HttpRequest, page: str) -> HttpResponse:
    """Show a page of help."""
    if page not in PAGES:
        raise Http404("no such page of help")
    pages = [(reverse("help", args=[name]), title, name == page) for name, title in PAGES.items()]
    context = {"title": PAGES[page], "pages": pages, "help": render_help(page)}
    return render(request, "help.html", context)


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Return metrics to clients with the token, and to staff.

    A local address is not enough, because behind a proxy all clients appear local.
    """
    # Staff are checked second, because that needs the database, which may be down.
    if not (_has_token(request) or request.user.is_staff):
        return HttpResponseForbidden("For staff, or with the token of SOCIALCODE_METRICS_TOKEN.\n")
    return HttpResponse(exposition(), content_type=CONTENT_TYPE_LATEST)


def _has_token(request: HttpRequest) -> bool:
    expected = f"Bearer {settings.METRICS_TOKEN}".encode()
    received = request.headers.get("Authorization", "").encode()
    return bool(settings.METRICS_TOKEN) and hmac.compare_digest(received, expected)
