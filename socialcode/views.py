"""Pages of help, choice of language, and pages for operators."""

import hmac
import json
from functools import cache

from django.conf import settings
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseForbidden
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_POST, require_safe
from django.views.i18n import JavaScriptCatalog, set_language
from prometheus_client import CONTENT_TYPE_LATEST

from functions.recorded import sentences_for_scripts
from functions.views.markdown_pages import accepts_markdown, markdown_response
from runner.operations.metrics import exposition
from socialcode.accounts import languages
from socialcode.help import PAGES, path_of, render_help

YEAR_SECONDS = 31_536_000


@require_safe
def show_help(request: HttpRequest, page: str) -> HttpResponse:
    """Show a page of help."""
    if page not in PAGES:
        raise Http404("no such page of help")
    language = translation.get_language() or settings.LANGUAGE_CODE
    if accepts_markdown(request):
        return markdown_response([path_of(page, language).read_text("utf-8").rstrip("\n")])
    pages = [
        (reverse("help", args=[name]), translation.gettext(title), name == page)
        for name, title in PAGES.items()
    ]
    context = {
        "title": translation.gettext(PAGES[page]),
        "pages": pages,
        "help": render_help(page, language),
    }
    response = render(request, "help.html", context)
    patch_vary_headers(response, ["Accept"])
    return response


@require_safe
def show_llms(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - everybody sees the same
    """Show where a language model begins, in the form of llmstxt.org."""
    agents, schema = reverse("help", args=["agents"]), reverse("api-1:openapi-json")
    pages = [
        f"- [{translation.gettext(title)}]({reverse('help', args=[name])})"
        for name, title in PAGES.items()
    ]
    return markdown_response(
        [
            "# Social Code",
            "",
            "> People and programs write software together here, one function at a time: competing",
            "> implementations and tests, run in a sandbox. The best one is what others import.",
            "",
            "## Begin here",
            "",
            f"- [For agents]({agents}): one page with every step",
            f"- [Help wanted]({reverse('help-wanted')}): the work that helps most others",
            f"- [The API]({schema}): OpenAPI; for people at {reverse('api-1:openapi-view')}",
            "- `/mcp`: tools by the Model Context Protocol (streamable HTTP)",
            "- `/functions/<name>/`: a function; these pages are Markdown with",
            "  `Accept: text/markdown`",
            "",
            "## Help",
            "",
            *pages,
        ]
    )


@require_POST
def choose_language(request: HttpRequest) -> HttpResponseBase:
    """Set the language of this browser, and of the account; redirect to `next` on this site."""
    answer = set_language(request)
    code = request.POST.get("language", "")
    if code in languages.CODES and isinstance(request.user, User):
        languages.choose_language(request.user, code)
    return answer


@require_safe
@cache_control(public=True, max_age=YEAR_SECONDS, immutable=True)
def show_texts(_request: HttpRequest, code: str) -> HttpResponseBase:
    """Return a language's texts for scripts. The query changes with the content."""
    if code not in languages.CODES:
        raise Http404("no such language")
    return HttpResponse(_texts(code), content_type="text/javascript; charset=utf-8")


@cache
def _texts(code: str) -> bytes:
    with translation.override(code):
        view = JavaScriptCatalog(packages=["socialcode"])
        catalogue: HttpResponse = view.get(HttpRequest())
        sentences = json.dumps(sentences_for_scripts())
    return bytes(catalogue.content) + f"django.sentences = {sentences};\n".encode()


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
