"""The page of a function's exports, and the files."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from functions.errors import Refusal, TooOften
from functions.export import Release, package_name
from functions.models import Function
from functions.read_models.exports import Download, downloads, load_release
from functions.read_models.function import function_named
from functions.request_limits import EXPORTS
from functions.views.responses import refused


@require_safe
def show_export(request: HttpRequest, name: str) -> HttpResponse:
    """Show the exports of a function, and their authors."""
    function = _function_or_404(name)
    if function.name != name:
        return redirect("export", function.name)
    try:
        release = release_for(request, function)
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
    """Return an exported file; 404 for one of an older version."""
    try:
        release = release_for(request, _function_or_404(name))
    except Refusal as refusal:
        return refused(request, refusal)
    found = next((one for one in downloads(release) if one.filename == filename), None)
    if found is None:
        raise Http404(f"There is no {filename[:200]}, or not any more.")
    return file_response(request, release.digest, found)


def release_for(request: HttpRequest, function: Function) -> Release:
    """Return the release of a function. Raises TooOften above the rate limit."""
    user = request.user
    who = f"user {user.pk}" if user.is_authenticated else f"address {request.META['REMOTE_ADDR']}"
    if not EXPORTS.count(who):
        raise TooOften(
            "You have taken home as much as one may for now; wait a while.",
            retry_after_seconds=EXPORTS.retry_after_seconds(),
        )
    return load_release(function, owner=who)


def file_response(request: HttpRequest, digest: str, found: Download) -> HttpResponse:
    """Return the file, or 304 if the client has it already."""
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
