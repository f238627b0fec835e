"""Pages about applications: the list, and what one is made of."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from functions.read_models.application import application, page_or_404
from functions.read_models.browse import browse

LISTED = 40


@require_safe
def list_applications(request: HttpRequest) -> HttpResponse:
    """List the pages that can be opened."""
    cursor = request.GET.get("cursor", "")
    page = browse(
        kind="page",
        status="implemented",
        sort="changed",
        cursor=cursor,
        limit=LISTED,
        counted=False,
    )
    context = {
        "here": "applications",
        "rows": page.rows,
        "next_url": f"?{urlencode({'cursor': page.next})}" if page.next else "",
    }
    return render(request, "functions/applications.html", context)


@require_safe
def show_application(request: HttpRequest, name: str) -> HttpResponse:
    """Show what a page is made of, who wrote it and what needs help."""
    function = page_or_404(name)
    if function.name != name:
        return redirect("application", function.name)
    try:
        shown = application(function, request.user)
    except type(function).DoesNotExist as gone:
        raise Http404(_("The function was just deleted.")) from gone
    context = {"function": shown.function, "application": shown}
    return render(request, "functions/application.html", context)
