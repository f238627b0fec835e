"""Forms that start previews, and a preview's page, which updates while it runs."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_safe

from functions.errors import Refusal
from functions.forms import JudgementForm, WorkForm
from functions.previews import (
    preview_deletion,
    preview_judgement,
    preview_publishing,
    preview_withdrawal,
)
from functions.previews.effects import Outcome
from functions.previews.notices import tell_projects
from functions.read_models.function import function_or_404
from functions.read_models.not_found import or_404
from functions.read_models.preview import PreviewPage, preview_page
from functions.views.drafts import refuse_draft, save_form
from functions.views.responses import action, own_draft_or_404, signed_in, wants_json, work_or_404
from functions.views.results_panel import run_bar, run_counts

# Worst first: outcome, heading, and the state of its symbol.
GROUPS = (
    (Outcome.BREAKS, gettext_noop("Would break"), "failed"),
    (Outcome.CHANGES, gettext_noop("Would switch to another implementation"), "error"),
    (Outcome.MENDED, gettext_noop("Would be mended"), "passed"),
    (Outcome.UNKNOWN, gettext_noop("Can’t be told"), "none"),
    (Outcome.WAITING, gettext_noop("Still running"), "running"),
    (Outcome.STAYS, gettext_noop("Would stay as they are"), "passed"),
)


@action
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


@action
def preview_withdraw(request: HttpRequest, noun: str, pk: int) -> HttpResponse:
    """Preview the withdrawal of a work."""
    work = work_or_404(noun, pk)
    return redirect(preview_withdrawal(actor=signed_in(request), work=work))


@action
def preview_judge(request: HttpRequest, noun: str, pk: int) -> HttpResponse:
    """Preview an owner's judgement."""
    work, form = work_or_404(noun, pk), JudgementForm(request.POST)
    if not form.is_valid():
        return HttpResponseBadRequest("A verdict is accept, reject or clear.")
    verdict = form.cleaned_data["verdict"]
    return redirect(preview_judgement(actor=signed_in(request), work=work, change=verdict))


@action
def preview_delete(request: HttpRequest, name: str) -> HttpResponse:
    """Preview the deletion of a function."""
    function = function_or_404(name)
    return redirect(preview_deletion(actor=signed_in(request), function=function))


@action
def tell(request: HttpRequest, pk: int) -> HttpResponse:
    """Have registered projects told what a preview has found out."""
    preview = or_404(preview_page(pk, request.user)).preview
    return redirect(tell_projects(actor=signed_in(request), preview=preview))


@login_required
@require_safe
def show_preview(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a preview to its owner."""
    page = or_404(preview_page(pk, request.user))
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
        {"outcome": outcome.value, "title": _(title), "look": look, "rows": page.of(outcome)}
        for outcome, title, look in GROUPS
        if page.of(outcome)
    ]
