"""The page of a function's exports, and the files."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from functions.errors import TooOften
from functions.export import Release, package_name
from functions.export.distribution import distribution_name
from functions.models import Function
from functions.read_models.exports import Download, downloads, load_release
from functions.read_models.function import function_or_404
from functions.read_models.not_found import or_404
from functions.read_models.releases import release_page
from functions.request_limits import EXPORTS
from functions.views.responses import answer_refusals

MAX_RELEASES_SHOWN = 20


@require_safe
@answer_refusals
def show_export(request: HttpRequest, name: str) -> HttpResponse:
    """Show the exports of a function, and their authors."""
    function = function_or_404(name)
    if function.name != name:
        return redirect("export", function.name)
    release = release_for(request, function)
    pieces = [*release.bundle.pieces, *release.bundle.extras]
    context = {
        "function": function,
        "release": release,
        "package": package_name(function.name),
        "downloads": downloads(release),
        "releases": release_page(function, limit=MAX_RELEASES_SHOWN).rows,
        "project": distribution_name(function.name),
        "index": f"{settings.PUBLIC_URL}{reverse('package-index')}",
        "credits": {
            "implementation": [(piece.name, piece) for piece in pieces],
            "test": [(test.function, test) for test in release.bundle.tests],
        },
    }
    return render(request, "functions/export.html", context)


@require_safe
@answer_refusals
def download(request: HttpRequest, name: str, filename: str) -> HttpResponse:
    """Return an exported file; 404 for one of an older version."""
    release = release_for(request, function_or_404(name))
    found = or_404(next((one for one in downloads(release) if one.filename == filename), None))
    return file_response(request, release.digest, found)


def release_for(request: HttpRequest, function: Function) -> Release:
    """Return the function's release. Raises TooOften above the rate limit."""
    user = request.user
    owner = f"user {user.pk}" if user.is_authenticated else f"address {request.META['REMOTE_ADDR']}"
    if not EXPORTS.count(owner):
        raise TooOften(
            _("You have exported too much in a short time; wait a while."),
            retry_after_seconds=EXPORTS.retry_after_seconds(),
        )
    return load_release(function, owner=owner)


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
