"""Serves pages that users have written: apart from the site, and to everyone alike.

Each answer has the CSP directive `sandbox`, so that browsers give the page an opaque origin, also
when it is opened directly: its scripts reach neither the site nor its cookies. The middleware
`socialcode.middleware.PagesMiddleware` takes cookies and tokens out of these requests.
"""

import re
import secrets
from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from typing import Any
from urllib.parse import urljoin

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core import signing
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.encoding import iri_to_uri
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from functions.calls.page import PageFailed, PageRequest, RenderedPage, render_page
from functions.calls.pins import versions_of_work
from functions.collections.declared_items import read_items
from functions.errors import NotFound, Refusal
from functions.kinds import generate_module
from functions.kinds.page_source import find_reads
from functions.models import Implementation
from functions.views.page_addresses import page_url
from functions.views.page_visits import KIND, Visit, answer_visit, page_versions, visit_of
from functions.views.responses import wants_json, with_retry_after
from runner.programs.program import source_hash
from runner.sandbox import Outcome

REQUEST_ID = "request_id"  # a field of forms: what comes twice is done once
METHODS = ["GET", "HEAD", "POST"]
SALT = "functions.pages"
PREVIEW_SECONDS = 12 * 3_600
CLIENT_SECONDS = 3_600
EXCERPT_LINES = 2  # before and after the line of a fault
_CONTENT_TYPE = re.compile(r"[a-z]+/[a-z0-9.+-]+")


# Requests come from an opaque origin, so they can't have a CSRF token of the site's. They need
# none: they carry no cookies, so that nobody can be made to do anything.
@csrf_exempt
@xframe_options_exempt
@require_http_methods(METHODS)
def show_page(request: HttpRequest, name: str, path: str = "") -> HttpResponse:
    """Render the current implementation of a page; visitors aren't told why it failed."""
    base = reverse("page", args=[name, ""])
    try:
        versions = page_versions(name)
    except Refusal as refusal:
        return _refused(request, base, refusal)
    if versions.name != name:
        return redirect("page", versions.name, path)
    # Never whoever is signed in: looking for that would make answers vary with cookies.
    visit = Visit(versions, AnonymousUser())
    return _respond(request, base, lambda: _visited(request, visit, path))


@csrf_exempt
@xframe_options_exempt
@require_http_methods(METHODS)
def show_visit(request: HttpRequest, token: str, path: str = "") -> HttpResponse:
    """Render a page for the account that has opened it on the site, and make its changes."""
    base = reverse("page-visit", args=[token, ""])
    return _respond(request, base, lambda: _visited(request, visit_of(token), path))


@csrf_exempt
@xframe_options_exempt
@require_http_methods(METHODS)
def show_preview(request: HttpRequest, token: str, path: str = "") -> HttpResponse:
    """Render a work for whoever has got its address, and say why it failed."""
    base = reverse("page-preview", args=[token, ""])
    return _respond(request, base, lambda: _previewed(request, _work_of(token), path))


def _visited(request: HttpRequest, visit: Visit, path: str) -> RenderedPage:
    return answer_visit(
        visit,
        _page_request(request, path),
        address=_visitor(request),
        with_data=wants_json(request),
    )


def _previewed(request: HttpRequest, work: Implementation, path: str) -> RenderedPage:
    items = read_items(AnonymousUser(), work.function.name, find_reads(work.code))
    try:
        return render_page(
            versions_of_work(work),
            replace(_page_request(request, path), items=items),
            payer=work.author_id,
            visitor=_visitor(request),
            with_data=wants_json(request),
            sources={source_hash(work.module_source).hex(): work.module_source},
        )
    except PageFailed as failed:
        raise _PreviewFailed(work, failed.outcome) from failed


class _PreviewFailed(PageFailed):
    """The preview of a work failed; whoever looks at it is told where."""

    def __init__(self, work: Implementation, outcome: Outcome) -> None:
        super().__init__(work.function.name, outcome)
        self.work = work


@require_safe
@cache_control(public=True, max_age=CLIENT_SECONDS)
def show_client(request: HttpRequest) -> HttpResponse:
    """Return the script by which a page's scripts reach its data."""
    answer = render(request, "functions/page_client.js", content_type="text/javascript")
    answer["Cross-Origin-Resource-Policy"] = "cross-origin"
    return answer


def preview_url(work: Implementation) -> str:
    """Return the address of a preview, for the work's author and the function's owner.

    Whoever has it sees the page; it ends after PREVIEW_SECONDS.
    """
    token = signing.dumps(work.pk, salt=SALT)
    return page_url(reverse("page-preview", args=[token, ""]))


def _work_of(token: str) -> Implementation:
    """Return the work of a preview, with its module. Raises NotFound."""
    try:
        pk = signing.loads(token, salt=SALT, max_age=PREVIEW_SECONDS)
    except signing.BadSignature:
        raise NotFound("not_found", _("This preview has ended.")) from None
    found = Implementation.objects.select_related("function")
    work = found.filter(pk=pk, function__kind=KIND).first()
    if work is None:
        raise NotFound("not_found", _("This preview has ended."))
    generate_module(work, work.function)
    return work


def _page_request(request: HttpRequest, path: str) -> PageRequest:
    method = "POST" if request.method == "POST" else "GET"
    form = request.POST.dict()
    request_id = form.pop(REQUEST_ID, "") or secrets.token_urlsafe(16)
    return PageRequest(method, path, request.GET.dict(), form, request_id)


def _visitor(request: HttpRequest) -> str:
    return str(request.META.get("REMOTE_ADDR", ""))


# --- answers --------------------------------------------------------------------------------------


def _respond(request: HttpRequest, base: str, page_of: Callable[[], RenderedPage]) -> HttpResponse:
    try:
        page = page_of()
    except PageFailed as failed:
        return _failed(request, base, failed)
    except Refusal as refusal:
        return _refused(request, base, refusal)
    return _answer(request, base, page)


def _answer(request: HttpRequest, base: str, page: RenderedPage) -> HttpResponse:
    answer: HttpResponse
    if page.location:
        target = urljoin(base, page.location)
        if not target.startswith(base):
            message = _("The page redirects to an address that is not its own.")
            return _refused(request, base, Refusal("invalid_location", message))
        answer = HttpResponse(status=page.status)
        answer["Location"] = iri_to_uri(target)
    elif wants_json(request):
        answer = JsonResponse(page.data, safe=False, status=page.status)
    else:
        is_known = _CONTENT_TYPE.fullmatch(page.content_type)
        content_type = page.content_type if is_known else "text/plain"
        answer = HttpResponse(
            page.text, status=page.status, content_type=f"{content_type}; charset=utf-8"
        )
    return _apart(request, base, answer)


def _failed(request: HttpRequest, base: str, failed: PageFailed) -> HttpResponse:
    context, status = {"name": failed.page}, HTTPStatus.INTERNAL_SERVER_ERROR
    if isinstance(failed, _PreviewFailed):
        context |= _place_of(failed.work, failed.outcome)
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    answer: HttpResponse
    if wants_json(request):
        answer = JsonResponse({"error": "page_failed"}, status=status)
    else:
        answer = render(request, "functions/page_error.html", context, status=status)
    answer._has_been_logged = True  # type: ignore[attr-defined]  # noqa: SLF001 - no fault of the site's
    return _apart(request, base, answer)


def _refused(request: HttpRequest, base: str, refusal: Refusal) -> HttpResponse:
    answer: HttpResponse
    if wants_json(request):
        answer = JsonResponse({"error": refusal.code}, status=refusal.status)
    else:
        context = {"refusal": refusal}
        answer = render(request, "functions/page_error.html", context, status=refusal.status)
    return _apart(request, base, with_retry_after(answer, refusal))


def _apart(request: HttpRequest, base: str, answer: HttpResponse) -> HttpResponse:
    """Add the headers that keep a page apart from the site, and its scripts to the page."""
    here = request.build_absolute_uri(base)
    client = request.build_absolute_uri(reverse("page-client"))
    site = settings.PUBLIC_URL if settings.PAGES_HOST else request.build_absolute_uri("/")[:-1]
    answer["Content-Security-Policy"] = "; ".join(
        (
            "sandbox allow-scripts allow-forms",
            "default-src 'none'",
            f"script-src 'unsafe-inline' {client} {here}",
            f"style-src 'unsafe-inline' {here}",
            f"img-src data: blob: {here}",
            f"font-src data: {here}",
            f"media-src data: blob: {here}",
            f"connect-src {here}",
            f"form-action {here}",
            "base-uri 'none'",
            f"frame-ancestors {site}",
        )
    )
    answer["Referrer-Policy"] = "no-referrer"
    # At an address with a token, it may be what only one reader may see.
    is_own = base.startswith(("/p/~", "/p/@"))
    answer["Cache-Control"] = "private, no-store" if is_own else "no-cache"
    # The page's own requests come from an opaque origin. Whoever has the address has the answer.
    answer["Access-Control-Allow-Origin"] = "*"
    answer["Cross-Origin-Resource-Policy"] = "cross-origin"
    return answer


def _place_of(work: Implementation, outcome: Outcome) -> dict[str, Any]:
    """Return where a page failed, for its author."""
    excerpt = []
    if outcome.module == work.function.name and outcome.line:
        lines = work.code.splitlines()
        first = max(0, outcome.line - 1 - EXCERPT_LINES)
        excerpt = [
            {"number": number, "text": text, "is_it": number == outcome.line}
            for number, text in enumerate(lines[first : outcome.line + EXCERPT_LINES], first + 1)
        ]
    return {"outcome": outcome, "excerpt": excerpt}
