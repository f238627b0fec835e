"""Taking a function home: what there is to download, and the files."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from functions.errors import Refusal
from functions.exporting import package_name
from functions.models import Function
from functions.pages.exports import Download, downloads, load_release
from functions.pages.function import function_named
from functions.views.answers import refused


@require_safe
def show_export(request: HttpRequest, name: str) -> HttpResponse:
    """Show what can be taken home, and who wrote it."""
    function = _function_or_404(name)
    if function.name != name:
        return redirect("export", function.name)
    try:
        release = load_release(function)
    except Refusal as refusal:
        return refused(request, refusal)
    pieces = [*release.bundle.pieces, *release.bundle.extras]
    context = {
        "function": function,
        "release": release,
        "package": package_name(function.name),
        "downloads": downloads(release),
        "credits": {
            "Implementations": [(piece.name, piece.credit) for piece in pieces],
            "Tests": [(test.function, test.credit) for test in release.bundle.tests],
        },
    }
    return render(request, "functions/export.html", context)


@require_safe
def download(request: HttpRequest, name: str, filename: str) -> HttpResponse:
    """Return one of the files; one of an older version is not there any more."""
    try:
        release = load_release(_function_or_404(name))
    except Refusal as refusal:
        return refused(request, refusal)
    found = next((one for one in downloads(release) if one.filename == filename), None)
    if found is None:
        raise Http404(f"There is no {filename[:200]}, or not any more.")
    return file_response(request, release.digest, found)


def file_response(request: HttpRequest, digest: str, found: Download) -> HttpResponse:
    """Return the file, or word that the reader has it already."""
    etag = f'"{digest}"'
    response = get_conditional_response(request, etag=etag) or HttpResponse(
        found.content,
        content_type=found.content_type,
        headers={"Content-Disposition": f'attachment; filename="{found.filename}"'},
    )
    response["ETag"] = etag
    response["Cache-Control"] = "no-cache"
    return response


def _function_or_404(name: str) -> Function:
    function = function_named(name)
    if function is None:
        raise Http404
    return function
