"""Checks and formats drafts for the editor."""

from dataclasses import asdict

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect

from functions.analysis.client import format_code
from functions.authoring import save_draft
from functions.errors import Refusal
from functions.forms import WorkForm
from functions.kinds import kind_of_work
from functions.models import Implementation, Test
from functions.read_models.draft_check import check_draft
from functions.source.validation import check_source
from functions.views.drafts import refuse_draft, save_form
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
            "links": editor_links(draft, code),
        }
    )


@action
def format_draft(request: HttpRequest, noun: str, pk: int) -> HttpResponse:
    """Return the posted code formatted; without a script, save what was typed, then that."""
    draft, owner = own_draft_or_404(request, noun, pk), str(request.user.pk)
    if wants_json(request):
        code = request.POST.get("code", "")
        check_source(code)
        return JsonResponse({"code": _formatted(draft, code, owner)})
    form = WorkForm(request.POST)
    try:
        draft = save_form(request, draft, form)
        code = _formatted(draft, draft.code, owner)
        save_draft(actor=signed_in(request), draft=draft, code=code, version=draft.version)
    except Refusal as refusal:
        return refuse_draft(request, own_draft_or_404(request, noun, pk), form, refusal)
    return redirect("draft", noun, pk)


def _formatted(draft: Implementation | Test, code: str, owner: str) -> str:
    return kind_of_work(draft).format(code) or format_code(code, owner=owner)
