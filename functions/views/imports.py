"""Importing a module with its tests: a form, what would be made of it, and the making."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from functions.authoring import Imported, import_module, read_plan
from functions.errors import Refusal
from functions.forms import ImportForm
from functions.importing import Plan
from functions.pages.links import links_named
from functions.rendering import markers_of
from functions.sources import find_policy_fault
from functions.views.answers import signed_in

SIGNED_OUT = "You are signed out. Sign in in another window, then come back and go on from here."


@require_http_methods(["GET", "HEAD", "POST"])
def import_code(request: HttpRequest) -> HttpResponse:
    """Show the form; a POST shows what would be made of what was typed, or makes it."""
    if request.method != "POST":
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        return _page(request, ImportForm())
    form = ImportForm.of_upload(request.POST, request.FILES)
    if form.is_valid() and not request.user.is_authenticated:
        form.add_error(None, SIGNED_OUT)
    if not form.is_valid():
        return _page(request, form, status=422)
    try:
        if "make" not in request.POST:
            return _page(request, form, plan=read_plan(**form.typed))
        return _made(request, import_module(actor=signed_in(request), **form.typed))
    except Refusal as refusal:
        form.add_refusal(refusal)
        return _page(request, form, status=refusal.status)


def _made(request: HttpRequest, made: list[Imported]) -> HttpResponse:
    new = sum(one.is_new for one in made)
    drafts = sum((one.implementation is not None) + len(one.tests) for one in made)
    messages.success(
        request,
        f"{new} function{'s'[: new != 1]} and {drafts} draft{'s'[: drafts != 1]} were made; "
        "nothing is published yet.",
    )
    return redirect("drafts")


def _page(
    request: HttpRequest, form: ImportForm, *, plan: Plan | None = None, status: int = 200
) -> HttpResponse:
    context = {
        "form": form,
        "plan": plan,
        "planned": _shown(plan) if plan else (),
        "links": links_named(_marked(plan)).values() if plan else (),
    }
    return render(request, "functions/import.html", context, status=status)


def _marked(plan: Plan) -> set[str]:
    codes = [one.code for one in plan.functions]
    codes += [test.code for one in plan.functions for test in one.tests]
    return {marker.name for code in codes for marker in markers_of(code)}


def _shown(plan: Plan) -> list[dict[str, Any]]:
    return [
        {
            "function": one,
            "fault": find_policy_fault(one.code, name=one.name),
            "tests": [(test, find_policy_fault(test.code, name=test.name)) for test in one.tests],
        }
        for one in plan.functions
    ]
