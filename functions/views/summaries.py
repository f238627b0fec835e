"""Cards of functions, which links to them show."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from functions.kinds import kind_of
from functions.names import is_identifier
from functions.read_models.summary import function_summary

FRESH_SECONDS = 60


@require_safe
@cache_control(private=True, max_age=FRESH_SECONDS)
def show_summary(request: HttpRequest, name: str) -> HttpResponse:
    """Show a function, or that there is none, as a part of a page that a script fetches."""
    if not is_identifier(name):
        raise Http404
    summary = function_summary(name)
    kind = kind_of(summary.function) if summary.function else None
    return render(request, "functions/_summary.html", {"summary": summary, "kind": kind})
