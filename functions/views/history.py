"""Pages that explain the current implementation, and show revisions of the definition."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from functions.authoring import restore_revision
from functions.errors import NotFound
from functions.models import FunctionRevision
from functions.permissions import may_moderate
from functions.read_models.elections import election_list
from functions.read_models.explanation import why_page
from functions.read_models.function import function_or_404
from functions.read_models.revisions import compare_revisions, revision_list
from functions.views.responses import action, number_or_404, signed_in


@require_safe
def show_why(request: HttpRequest, name: str) -> HttpResponse:
    """Show why the current implementation was elected and the others were not."""
    function = function_or_404(name)
    if function.name != name:
        return redirect("why", function.name)
    page = why_page(function)
    return render(request, "functions/why.html", {"page": page, "function": page.function})


@require_safe
def list_revisions(request: HttpRequest, name: str) -> HttpResponse:
    """List the revisions of the definition, beside the changes of the current implementation."""
    function = function_or_404(name)
    if function.name != name:
        return redirect("revisions", function.name)
    cursors = {part: request.GET.get(part, "") for part in ("cursor", "elections")}
    revisions = revision_list(function, cursor=cursors["cursor"])
    elections = election_list(function, cursor=cursors["elections"])
    context = {
        "function": function,
        "revisions": revisions,
        "elections": elections,
        "asked": cursors,
        "may_restore": may_moderate(request.user, function),
    }
    return render(request, "functions/revisions.html", context)


@require_safe
def show_revision(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    """Show a revision's difference from the previous one, or from `against`."""
    function = function_or_404(name)
    against = number_or_404(request.GET.get("against", ""))
    try:
        page = compare_revisions(function, pk, against=against)
    except NotFound as error:
        raise Http404(error.message) from error
    context = {
        "function": function,
        "page": page,
        "may_restore": may_moderate(request.user, function) and not page.right.is_latest,
    }
    return render(request, "functions/revision.html", context)


@action
def restore(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    """Restore the definition of this revision."""
    function = function_or_404(name)
    revision = get_object_or_404(FunctionRevision, pk=pk, function=function)
    restore_revision(actor=signed_in(request), function=function, revision=revision)
    message = _("The definition of %(name)s was restored.") % {"name": function.name}
    messages.success(request, message)
    return redirect("revisions", function.name)
