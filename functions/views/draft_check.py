"""Checks and formats drafts for the editor."""

from dataclasses import asdict

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect

from functions.analysis.client import format_code
from functions.authoring import save_draft
from functions.read_models.draft_check import check_draft
from functions.source.validation import check_source
from functions.views.editor import editor_links
from functions.views.responses import action, own_draft_or_404, signed_in, wants_json


@action
def check(request: HttpRequest, noun: str, pk: int) -> HttpResponse:
    """Return the problems of the posted code, the names that it may use, and its links."""
    draft, code = own_draft_or_404(request, noun, pk), request.POST.get("code", "")
    found = check_draft(draft, code)
    return JsonResponse(
        {
            "problems": [asdict(problem) for problem in found.problems],
            "names": [asdict(name) for name in found.names],
            "links": editor_links(draft.function, code),
        }
    )


@action
def format_draft(request: HttpRequest, noun: str, pk: int) -> HttpResponse:
    """Return the posted code formatted; without a script, save it."""
    draft, code = own_draft_or_404(request, noun, pk), request.POST.get("code", "")
    check_source(code)
    formatted = format_code(code, owner=str(request.user.pk))
    if wants_json(request):
        return JsonResponse({"code": formatted})
    save_draft(actor=signed_in(request), draft=draft, code=formatted)
    return redirect("draft", noun, pk)
