"""Pages of a document's versions: the history with differences, one version, and restoring it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from functions.document_revisions.edits import restore_version
from functions.document_revisions.versions import version_value
from functions.json_data.values import pretty
from functions.read_models.documents import document_or_404, history_of
from functions.read_models.links import links_named
from functions.views.markup import markers_of
from functions.views.responses import action, answer_refusals


@require_safe
@answer_refusals
def list_versions(request: HttpRequest, name: str) -> HttpResponse:
    """Show the versions of the current document, with their changes."""
    context = {"history": history_of(document_or_404(name), reader=request.user)}
    return render(request, "functions/document_versions.html", context)


@require_safe
@answer_refusals
def show_version(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """Show one version of the current document."""
    history = history_of(document_or_404(name), reader=request.user)
    text = pretty(version_value(history.work, number))
    links = links_named({marker.name for marker in markers_of(text)}).values()
    context = {"history": history, "number": number, "text": text, "links": links}
    return render(request, "functions/document_version.html", context)


@action
def restore(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """Bring a former version back; it is shown once it passed the tests."""
    function = document_or_404(name)
    restore_version(actor=request.user, function=function, number=number)
    message = _("Version %(number)s is being judged; it is shown once it passed every test.")
    messages.success(request, message % {"number": number})
    return redirect("document-versions", function.name)
