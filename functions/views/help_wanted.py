"""Page of the work that helps others most."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from functions.read_models.help_wanted import help_wanted
from functions.views.markdown_pages import accepts_markdown, markdown_response, wanted_lines

LISTED = 50


@require_safe
def list_help_wanted(request: HttpRequest) -> HttpResponse:
    """Show what helps most functions, first."""
    wanted = help_wanted(limit=LISTED)
    if accepts_markdown(request):
        return markdown_response(wanted_lines(wanted))
    context = {"here": "help", "wanted": wanted}
    response = render(request, "functions/help_wanted.html", context)
    patch_vary_headers(response, ["Accept"])
    return response
