"""Pages that explain the current implementation, and show revisions of the definition."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from functions.authoring import restore_revision
from functions.errors import NotFound, Refusal
from functions.models import Function, FunctionRevision
from functions.permissions import may_moderate
from functions.read_models.cursors import BadCursor
from functions.read_models.elections import election_list
from functions.read_models.explanation import why_page
from functions.read_models.function import function_named
from functions.read_models.revisions import compare_revisions, revision_list
from functions.views.responses import number_or_404, refused, signed_in


@require_safe
def show_why(request: HttpRequest, name: str) -> HttpResponse:
    """Show why the current implementation is current, and why each other one isn't."""
    function = _function_or_404(name)
    if function.name != name:
        return redirect("why", function.name)
    page = why_page(function)
    return render(request, "functions/why.html", {"page": page, "function": page.function})


@require_safe
def list_revisions(request: HttpRequest, name: str) -> HttpResponse:
    """List the revisions of the definition, beside the changes of the current implementation."""
    function = _function_or_404(name)
    if function.name != name:
        return redirect("revisions", function.name)
    asked = {part: request.GET.get(part, "") for part in ("cursor", "elections")}
    try:
        revisions = revision_list(function, cursor=asked["cursor"])
        elections = election_list(function, cursor=asked["elections"])
    except BadCursor as error:
        raise Http404("no such place in the list") from error
    context = {
        "function": function,
        "revisions": revisions,
        "elections": elections,
        "asked": asked,
        "may_restore": may_moderate(request.user, function),
    }
    return render(request, "functions/revisions.html", context)


@require_safe
def show_revision(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    """Show how a revision differs from the one before it, or from `against`."""
    function = _function_or_404(name)
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


@require_POST
@login_required
def restore(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    """Restore the definition of this revision."""
    function = _function_or_404(name)
    revision = get_object_or_404(FunctionRevision, pk=pk, function=function)
    try:
        restore_revision(actor=signed_in(request), function=function, revision=revision)
    except Refusal as refusal:
        return refused(request, refusal)
    messages.success(request, f"{function.name} says again what it said.")
    return redirect("revisions", function.name)


def _function_or_404(name: str) -> Function:
    function = function_named(name)
    if function is None:
        raise Http404("There is no function of this name.")
    return function
