"""Pages of acceptance tests: forms, a page per test, publication and withdrawal."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from functions.acceptance import (
    discard_acceptance_test,
    publish_acceptance_test,
    run_acceptance_draft,
    save_acceptance_test,
    start_acceptance_test,
    withdraw_acceptance_test,
)
from functions.errors import EditConflict, Refusal
from functions.forms import AcceptanceDraftForm, NewAcceptanceForm
from functions.models import AcceptanceTest, Function
from functions.permissions import may_moderate
from functions.read_models.acceptance import acceptance_test_for, names_used_by
from functions.read_models.function import function_or_404
from functions.read_models.links import links_named
from functions.read_models.not_found import or_404
from functions.read_models.snapshot import snapshot
from functions.views.editor import before_last_run
from functions.views.labels import LOOKS, shown
from functions.views.markup import markers_of
from functions.views.responses import action, refusal_json, signed_in, wants_json
from runner.events.topics import head, heads


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_acceptance_test(request: HttpRequest, name: str) -> HttpResponse:
    """Create a draft of a test; a GET shows the form."""
    function = function_or_404(name)
    if not may_moderate(request.user, function):
        raise PermissionDenied(
            _("Only the owner of %(name)s can write its acceptance tests.")
            % {"name": function.name}
        )
    form = NewAcceptanceForm(
        request.POST or None, initial=request.GET.dict(), targets=names_used_by(function)
    )
    if request.method == "POST" and form.is_valid():
        typed = form.cleaned_data
        try:
            return redirect(
                start_acceptance_test(
                    actor=signed_in(request),
                    function=function,
                    target=typed["target"],
                    code=typed["code"],
                    title=typed["title"],
                )
            )
        except Refusal as refusal:
            form.add_refusal(refusal)
    title = _("New acceptance test for %(name)s") % {"name": function.name}
    return _form(request, form, function, title, _("Start draft"))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit_acceptance_test(request: HttpRequest, pk: int) -> HttpResponse:
    """Edit a draft, by a form or by the page's script."""
    test = _test_or_404(request, pk)
    if not may_moderate(request.user, test.function) or test.state != AcceptanceTest.State.DRAFT:
        return redirect(test)
    if request.method != "POST":
        initial = {"title": test.title, "code": test.code, "version": test.version}
        return _desk(request, test, AcceptanceDraftForm(initial=initial))
    form = AcceptanceDraftForm(request.POST)
    try:
        saved = _save(request, test, form)
    except Refusal as refusal:
        return _refuse_draft(request, test, form, refusal)
    if wants_json(request):
        payload = {"version": saved.version, "saved_at": saved.changed_at.isoformat()}
        return JsonResponse(payload)
    return redirect(saved)


def _save(request: HttpRequest, test: AcceptanceTest, form: AcceptanceDraftForm) -> AcceptanceTest:
    if not form.is_valid():
        field, errors = next(iter(form.errors.items()))
        raise Refusal("invalid", str(errors[0]), field=field)
    return save_acceptance_test(actor=signed_in(request), test=test, **form.cleaned_data)


def _refuse_draft(
    request: HttpRequest, test: AcceptanceTest, form: AcceptanceDraftForm, refusal: Refusal
) -> HttpResponse:
    """Respond with a refusal; the page keeps the typed text, and gets a conflicting one."""
    theirs = None
    if isinstance(refusal, EditConflict):
        theirs = {"code": test.code, "title": test.title, "version": test.version}
    if wants_json(request):
        return refusal_json(refusal, more={"theirs": theirs} if theirs else None)
    typed = {name: form.data.get(name, "") for name in ("title", "code")}
    again = AcceptanceDraftForm({**typed, "version": test.version})
    if again.is_valid():
        again.add_refusal(refusal)
    return _desk(request, test, again, theirs=theirs, status=refusal.status)


def _desk(
    request: HttpRequest,
    test: AcceptanceTest,
    form: AcceptanceDraftForm,
    *,
    theirs: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    position = head(test.draft_topic)
    context = {
        "test": test,
        "form": form,
        "theirs": theirs,
        "topic": test.draft_topic,
        "epoch": position.epoch,
        "seq": before_last_run(test.draft_topic, position.seq),
        "words": shown(LOOKS),
    }
    return render(request, "functions/acceptance_draft.html", context, status=status)


def _form(
    request: HttpRequest, form: Any, function: Function, title: str, button: str
) -> HttpResponse:
    context = {
        "form": form,
        "title": title,
        "lead": _(
            "A test of a dependency's current implementation. "
            "If it fails, both pages show that; elections are not affected."
        ),
        "failed": _("The acceptance test was not saved."),
        "foot": _("It stays a draft until you publish it."),
        "button": button,
        "back": function.get_absolute_url(),
    }
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "functions/function_form.html", context, status=status)


@require_safe
def show_acceptance_test(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a test and its result."""
    with snapshot():
        test = _test_or_404(request, pk)
        position = heads([test.function.topic])[test.function.topic]
    context = {
        "test": test,
        "position": position,
        "key": bytes(test.key).hex() if test.key is not None else "",
        "links": links_named({marker.name for marker in markers_of(test.code)}).values(),
        "may_write": may_moderate(request.user, test.function),
    }
    return render(request, "functions/acceptance_test.html", context)


@action
def publish(request: HttpRequest, pk: int) -> HttpResponse:
    """Publish a draft."""
    return _do(request, pk, publish_acceptance_test, _("The acceptance test was published."))


@action
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    """Withdraw a published test."""
    return _do(request, pk, withdraw_acceptance_test, _("The acceptance test was withdrawn."))


@action
def discard(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a draft."""
    return _do(request, pk, discard_acceptance_test, _("The draft was discarded."))


@action
def run(request: HttpRequest, pk: int) -> HttpResponse:
    """Save and run a draft, privately."""
    test, form = _test_or_404(request, pk), AcceptanceDraftForm(request.POST)
    try:
        if "code" in request.POST:
            test = _save(request, test, form)
        batch = run_acceptance_draft(actor=signed_in(request), test=test)
    except Refusal as refusal:
        return _refuse_draft(request, _test_or_404(request, pk), form, refusal)
    if wants_json(request):
        return JsonResponse({"version": test.version, "batch": batch.pk})
    return redirect("run", batch.pk)


def _do(request: HttpRequest, pk: int, act: Callable[..., object], message: str) -> HttpResponse:
    test = _test_or_404(request, pk)
    act(actor=signed_in(request), test=test)
    messages.success(request, message)
    return redirect(test.function if act is discard_acceptance_test else test)


def _test_or_404(request: HttpRequest, pk: int) -> AcceptanceTest:
    return or_404(acceptance_test_for(pk, request.user))
