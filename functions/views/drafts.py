"""Pages of drafts: create, save, run, publish and discard."""

from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_http_methods, require_safe

from functions.authoring import discard_draft, publish, run_draft, save_draft, start_draft
from functions.errors import Conflict, Refusal
from functions.forms import WorkForm
from functions.kinds import PYTHON, languages_of
from functions.models import Function, Implementation, Test, Work
from functions.read_models.draft_check import ERROR, problems_of
from functions.read_models.function import function_or_404
from functions.views.editor import editor_context, editor_links, starter_code
from functions.views.responses import (
    MODELS,
    action,
    complaints_json,
    number_or_404,
    own_draft_or_404,
    refusal_json,
    signed_in,
    signed_in_first,
    wants_json,
    with_retry_after,
    work_or_404,
)

DRAFTS_SHOWN = 200
TITLES = {
    "implementation": gettext_noop("New implementation for %(name)s"),
    "test": gettext_noop("New test for %(name)s"),
}


@signed_in_first
@require_http_methods(["GET", "HEAD", "POST"])
def new_draft(request: HttpRequest, name: str, noun: str) -> HttpResponse:
    """Create a draft; a GET shows the form. `language` is asked for, or the function's first."""
    function = function_or_404(name)
    starter = _starter(request, function, noun)
    form = WorkForm(request.POST if "code" in request.POST else None, initial=starter)
    if request.method == "POST" and (not form.is_bound or form.is_valid()):
        typed = form.cleaned_data if form.is_bound else starter
        try:
            draft = start_draft(
                actor=signed_in(request),
                function=function,
                model=MODELS[noun],
                code=typed["code"],
                title=typed["title"],
                language=typed["language"] or PYTHON.language,
            )
            return redirect("draft", draft.noun, draft.pk)
        except Refusal as refusal:
            form = WorkForm(typed)
            form.is_valid()
            form.add_refusal(refusal)
    context = {
        "form": form,
        "title": _(TITLES[noun]) % {"name": function.name},
        "lead": _("It starts as a draft that only you see."),
        "failed": _("The draft was not started."),
        "foot": "",
        "button": _("Start draft"),
        "back": function.get_absolute_url(),
    }
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "functions/function_form.html", context, status=status)


def _starter(request: HttpRequest, function: Function, noun: str) -> dict[str, str]:
    """Return the form's first content, in the language or with the schema that is asked for."""
    asked = request.POST.get("language") or request.GET.get("language", "")
    kind = {each.language: each for each in languages_of(function)}.get(asked)
    schema = request.POST.get("schema", "").strip()
    owner = str(request.user.pk)
    code = starter_code(function, noun, owner=owner, schema=schema, kind=kind)
    title = _("fits %(name)s") % {"name": schema} if schema and schema in code else ""
    return {"code": code, "title": title, "language": kind.language if kind else ""}


def start_first_draft(request: HttpRequest, function: Function, noun: str) -> Implementation | Test:
    """Start the user's draft of a function that was just defined."""
    code = starter_code(function, noun, owner=str(request.user.pk))
    return start_draft(actor=signed_in(request), function=function, model=MODELS[noun], code=code)


@login_required
@require_safe
def list_drafts(request: HttpRequest) -> HttpResponse:
    """List the user's drafts, the last changed first."""
    drafts = [
        draft
        for model in (Implementation, Test)
        for draft in model.objects.filter(author=signed_in(request), state=Work.State.DRAFT)
        .select_related("function")
        .order_by("-changed_at")[:DRAFTS_SHOWN]
    ]
    drafts.sort(key=lambda draft: draft.changed_at, reverse=True)
    return render(request, "functions/drafts.html", {"drafts": drafts})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit_draft(request: HttpRequest, noun: str, pk: int) -> HttpResponse:
    """Show the editor; a POST saves the draft."""
    draft = work_or_404(noun, pk)
    if request.method != "POST":
        if draft.state != Work.State.DRAFT:
            return redirect(draft)
        draft = own_draft_or_404(request, noun, pk)
        return _desk(request, draft, _form_of(draft))
    form = WorkForm(request.POST)
    try:
        saved = save_form(request, own_draft_or_404(request, noun, pk), form)
    except Refusal as refusal:
        return refuse_draft(request, own_draft_or_404(request, noun, pk), form, refusal)
    if wants_json(request):
        return JsonResponse(_saved(saved))
    _say_saved(request, saved)
    return redirect("draft", noun, pk)


def _say_saved(request: HttpRequest, draft: Implementation | Test) -> None:
    """Tell that a draft is saved, and what keeps it from being run; scripts list that at once."""
    found = [problem for problem in problems_of(draft) or () if problem.severity == ERROR]
    if not found:
        messages.success(request, _("Saved."))
        return
    message = _("Saved. It can’t be run yet: line %(line)s, column %(column)s: %(message)s")
    messages.error(request, message % asdict(found[0]))


@action
def run(request: HttpRequest, noun: str, pk: int) -> HttpResponse:
    """Save and run a draft, privately."""
    draft, form = own_draft_or_404(request, noun, pk), WorkForm(request.POST)
    try:
        draft = save_form(request, draft, form)
        only = number_or_404(request.POST.get("only", ""))
        batch = run_draft(actor=signed_in(request), draft=draft, only=only)
    except Refusal as refusal:
        return refuse_draft(request, own_draft_or_404(request, noun, pk), form, refusal)
    if wants_json(request):
        return JsonResponse({**_saved(draft), "batch": batch.pk})
    return redirect("run", batch.pk)


@action
def publish_draft(request: HttpRequest, noun: str, pk: int) -> HttpResponse:
    """Save and publish a draft; errors are shown at their lines."""
    draft, form = own_draft_or_404(request, noun, pk), WorkForm(request.POST)
    try:
        draft = save_form(request, draft, form)
        publish(actor=signed_in(request), draft=draft)
    except Refusal as refusal:
        return refuse_draft(request, own_draft_or_404(request, noun, pk), form, refusal)
    url = work_or_404(noun, pk).get_absolute_url()
    return JsonResponse({"url": url}) if wants_json(request) else redirect(url)


@action
def discard(request: HttpRequest, noun: str, pk: int) -> HttpResponse:
    """Delete a draft."""
    draft = own_draft_or_404(request, noun, pk)
    try:
        discard_draft(actor=signed_in(request), draft=draft)
    except Refusal as refusal:
        return refuse_draft(request, draft, _form_of(draft), refusal)
    messages.success(request, _("The draft was discarded."))
    return redirect("drafts" if draft.function.deleted_at else draft.function)


def _form_of(draft: Implementation | Test) -> WorkForm:
    return WorkForm(initial={"code": draft.code, "title": draft.title, "version": draft.version})


def save_form(
    request: HttpRequest, draft: Implementation | Test, form: WorkForm
) -> Implementation | Test:
    """Save the form's draft. Raises Refusal, also for errors of the form.

    The page's script has saved before, and only sends the version.
    """
    if "code" not in request.POST:
        return _of_version(draft, request.POST.get("version", ""))
    if not form.is_valid():
        field, errors = next(iter(form.errors.items()))
        raise Refusal("invalid", str(errors[0]), field=field)
    typed = form.cleaned_data
    return save_draft(
        actor=signed_in(request),
        draft=draft,
        code=typed["code"],
        title=typed["title"],
        version=typed["version"],
    )


def _of_version(draft: Implementation | Test, version: str) -> Implementation | Test:
    if version != str(draft.version):
        message = _("This draft changed in another window.")
        raise Conflict("edit_conflict", message, field="code")
    return draft


def _saved(draft: Implementation | Test) -> dict[str, Any]:
    return {
        "version": draft.version,
        "saved_at": draft.changed_at.isoformat(),
        "links": editor_links(draft, draft.code),
    }


def refuse_draft(
    request: HttpRequest, draft: Implementation | Test, form: WorkForm, refusal: Refusal
) -> HttpResponse:
    """Respond with a refusal; the page keeps the typed text, and gets a conflicting one."""
    theirs = None
    if refusal.code == "edit_conflict":
        theirs = {"code": draft.code, "title": draft.title, "version": draft.version}
    if wants_json(request):
        return refusal_json(refusal, more={"theirs": theirs} if theirs else None)
    typed = {name: form.data.get(name, "") for name in ("code", "title")}
    shown = WorkForm(initial={**typed, "version": draft.version})
    return _desk(request, draft, shown, refusal=refusal, theirs=theirs)


def _desk(
    request: HttpRequest,
    draft: Implementation | Test,
    form: WorkForm,
    *,
    refusal: Refusal | None = None,
    theirs: dict[str, Any] | None = None,
) -> HttpResponse:
    context = {
        **editor_context(draft, signed_in(request)),
        "form": form,
        "license": settings.CONTENT_LICENSE,
        "refusal": refusal,
        "problems": complaints_json(refusal) if refusal else [],
        "theirs": theirs,
    }
    status = refusal.status if refusal else 200
    page = render(request, "functions/draft.html", context, status=status)
    return with_retry_after(page, refusal)
