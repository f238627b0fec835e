"""A run record's page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from functions.graph.queries import living_functions
from functions.read_models.links import link_to
from functions.read_models.not_found import or_404
from functions.read_models.result import result_page, whole_key
from functions.read_models.result_comparison import other_records
from functions.views.explanation import explain
from functions.views.labels import LOOKS
from functions.views.markup import localised


@require_safe
def show_result(request: HttpRequest, key: str) -> HttpResponse:
    """Show the executed program and its result."""
    page = or_404(result_page(key, request.user))
    functions = living_functions(module.name.lower() for module in page.modules)
    context = {
        "page": page,
        "look": LOOKS[page.verdict],
        "links": [link_to(function) for function in functions.values()],
        "others": other_records(page),
        "mebibytes": localised(f"{page.peak_bytes / 2**20:.1f}"),
    }
    return render(request, "functions/result.html", context)


@require_safe
def show_short(request: HttpRequest, key: str) -> HttpResponse:
    """Show the result whose key begins so."""
    return show_result(request, key=or_404(whole_key(key)))


@require_safe
def show_explanation(request: HttpRequest, key: str) -> HttpResponse:
    """Show what a program's test expected and got, as part of a page."""
    why = explain(or_404(result_page(key, request.user)))
    return render(request, "functions/_explanation.html", {"why": why})


@require_safe
def show_short_explanation(request: HttpRequest, key: str) -> HttpResponse:
    """Show the explanation of the result whose key begins so."""
    return show_explanation(request, key=or_404(whole_key(key)))
