"""The page to import a module with its tests: form, preview of the plan, and import."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext
from django.views.decorators.http import require_http_methods

from functions.analysis.client import find_policy_faults
from functions.authoring import Imported, import_module, read_plan
from functions.errors import Refusal
from functions.forms import ImportForm
from functions.module_import import Plan
from functions.read_models.links import links_named
from functions.views.markup import markers_of
from functions.views.responses import signed_in, with_retry_after

SIGNED_OUT = gettext_noop(
    "You are signed out. Sign in in another window, then return here and continue."
)


@require_http_methods(["GET", "HEAD", "POST"])
def import_code(request: HttpRequest) -> HttpResponse:
    """Show the form; a POST shows the plan, or imports."""
    if request.method != "POST":
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        return _page(request, ImportForm())
    form = ImportForm.of_upload(request.POST, request.FILES)
    if form.is_valid() and not request.user.is_authenticated:
        form.add_error(None, _(SIGNED_OUT))
    if not form.is_valid():
        return _page(request, form, status=422)
    try:
        if "make" not in request.POST:
            plan = read_plan(actor=request.user, **form.typed)
            faults = find_policy_faults(_codes(plan), owner=str(request.user.pk))
            return _page(request, form, plan=plan, faults=faults)
        return _made(request, import_module(actor=signed_in(request), **form.typed))
    except Refusal as refusal:
        form.add_refusal(refusal)
        return with_retry_after(_page(request, form, status=refusal.status), refusal)


def _made(request: HttpRequest, made: list[Imported]) -> HttpResponse:
    new = sum(one.is_new for one in made)
    drafts = sum((one.implementation is not None) + len(one.tests) for one in made)
    counts = {
        "functions": ngettext("%(count)s function", "%(count)s functions", new) % {"count": new},
        "drafts": ngettext("%(count)s draft", "%(count)s drafts", drafts) % {"count": drafts},
    }
    message = _("%(functions)s and %(drafts)s were created; nothing is published yet.")
    messages.success(request, message % counts)
    return redirect("drafts")


def _page(
    request: HttpRequest,
    form: ImportForm,
    *,
    plan: Plan | None = None,
    faults: Sequence[str] = (),
    status: int = 200,
) -> HttpResponse:
    context = {
        "form": form,
        "plan": plan,
        "planned": _shown(plan, faults) if plan else (),
        "links": links_named(_marked(plan)).values() if plan else (),
    }
    return render(request, "functions/import.html", context, status=status)


def _codes(plan: Plan) -> list[str]:
    """Return the code of all drafts: each function's, followed by its tests'."""
    return [
        code for one in plan.functions for code in (one.code, *(test.code for test in one.tests))
    ]


def _marked(plan: Plan) -> set[str]:
    return {marker.name for code in _codes(plan) for marker in markers_of(code)}


def _shown(plan: Plan, faults: Sequence[str]) -> list[dict[str, Any]]:
    remaining = iter(faults)
    return [
        {
            "function": one,
            "fault": next(remaining),
            "tests": [(test, next(remaining)) for test in one.tests],
        }
        for one in plan.functions
    ]
