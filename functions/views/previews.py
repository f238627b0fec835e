"""Forms that start previews, and a preview's page, which updates while it runs."""

from collections.abc import Callable

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from functions.errors import Refusal
from functions.forms import JudgementForm, WorkForm
from functions.models import Preview
from functions.previews import (
    preview_deletion,
    preview_judgement,
    preview_publishing,
    preview_withdrawal,
)
from functions.previews.effects import Outcome
from functions.read_models.function import function_named
from functions.read_models.preview import PreviewPage, preview_page
from functions.views.drafts import refuse_draft, save_form
from functions.views.responses import own_draft_or_404, refused, signed_in, wants_json, work_or_404
from functions.views.results_panel import run_bar, run_counts

# Worst first: outcome, heading, and the state that its symbol shows.
GROUPS = (
    (Outcome.BREAKS, "Would break", "failed"),
    (Outcome.CHANGES, "Would go on with another implementation", "error"),
    (Outcome.MENDED, "Would be mended", "passed"),
    (Outcome.UNKNOWN, "Can’t be told", "none"),
    (Outcome.WAITING, "Still being tried", "running"),
    (Outcome.STAYS, "Would stay as they are", "passed"),
)


@login_required
@require_POST
def preview_draft(request: HttpRequest, noun: str, pk: int) -> HttpResponse:
    """Save a draft and preview its publication."""
    draft, form = own_draft_or_404(request, noun, pk), WorkForm(request.POST)
    try:
        draft = save_form(request, draft, form)
        preview = preview_publishing(actor=signed_in(request), draft=draft)
    except Refusal as refusal:
        return refuse_draft(request, own_draft_or_404(request, noun, pk), form, refusal)
    return (
        JsonResponse({"url": preview.get_absolute_url()})
        if wants_json(request)
        else redirect(preview)
    )


@login_required
@require_POST
def preview_withdraw(request: HttpRequest, noun: str, pk: int) -> HttpResponse:
    """Preview the withdrawal of a work."""
    work = work_or_404(noun, pk)
    return _answer(request, lambda: preview_withdrawal(actor=signed_in(request), work=work))


@login_required
@require_POST
def preview_judge(request: HttpRequest, noun: str, pk: int) -> HttpResponse:
    """Preview an owner's judgement."""
    work, form = work_or_404(noun, pk), JudgementForm(request.POST)
    if not form.is_valid():
        return HttpResponseBadRequest("A verdict is accept, reject or clear.")
    verdict = form.cleaned_data["verdict"]
    return _answer(
        request, lambda: preview_judgement(actor=signed_in(request), work=work, change=verdict)
    )


@login_required
@require_POST
def preview_delete(request: HttpRequest, name: str) -> HttpResponse:
    """Preview the deletion of a function."""
    function = function_named(name)
    if function is None:
        raise Http404
    return _answer(request, lambda: preview_deletion(actor=signed_in(request), function=function))


def _answer(request: HttpRequest, ask: Callable[[], Preview]) -> HttpResponse:
    try:
        return redirect(ask())
    except Refusal as refusal:
        return refused(request, refusal)


@login_required
@require_safe
def show_preview(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a preview to its owner."""
    page = preview_page(pk, request.user)
    if page is None:
        raise Http404
    progress = page.run.progress
    context = {
        "page": page,
        "preview": page.preview,
        "function": page.preview.function,
        "progress": progress,
        "bar": run_bar(progress),
        "counts": run_counts(progress),
        "groups": _groups(page),
    }
    return render(request, "functions/preview.html", context)


def _groups(page: PreviewPage) -> list[dict[str, object]]:
    return [
        {"outcome": outcome.value, "title": title, "look": look, "rows": page.of(outcome)}
        for outcome, title, look in GROUPS
        if page.of(outcome)
    ]
