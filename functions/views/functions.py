"""A function's page, and actions on a function as a whole."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from functions.analysis.client import outline
from functions.authoring import clone_function, define_function, delete_function, revise_function
from functions.errors import Refusal
from functions.forms import CloneForm, DefinitionForm, FunctionForm, RefusableForm
from functions.kinds import kind_choices, kind_of
from functions.models import Function, Implementation, NameWatch
from functions.names import is_identifier
from functions.permissions import may_moderate
from functions.read_models.acceptance import acceptance_panel
from functions.read_models.function import (
    FunctionPage,
    function_or_404,
    missing_page,
    page_of_name,
)
from functions.read_models.function_works import Shown
from functions.read_models.links import functions_naming, link_to
from functions.read_models.search import names_like
from functions.sized_cache import SizedCache
from functions.views.cards import (
    MOST_CARDS,
    OPEN_CARDS,
    implementation_entries,
    page_context,
    test_groups,
)
from functions.views.cell_markup import PLACE_OF_ROWS, page_with_rows
from functions.views.drafts import start_first_draft
from functions.views.labels import LOOKS, shown
from functions.views.markdown_pages import (
    accepts_markdown,
    function_lines,
    markdown_response,
    missing_lines,
)
from functions.views.responses import MODELS, signed_in, signed_in_first
from functions.views.results_panel import loading_keys, log_entries, results_panel
from functions.views.sort_orders import read_orders
from functions.views.undefined_names import usages_of

DEPS_SHOWN = 6
MAX_CARDS = 20  # that are fetched at once
DEPENDENTS_NAMED = 20  # the list of functions has all of them

_MOST_CHARACTERS_OF_METHODS = 1_000_000
_CHARACTERS_EACH = 300

# Methods by (hash of the source, name of the class).
_methods: SizedCache[tuple[bytes, str], Sequence[Mapping[str, Any]]] = SizedCache(
    _MOST_CHARACTERS_OF_METHODS
)


@require_safe
def show_function(request: HttpRequest, name: str) -> HttpResponse:
    """Show a function; for an undefined name, its dependents and a form to define it."""
    orders = read_orders(request.GET)
    opened = request.GET.get("open", "").split(",")
    most = None if orders.all_cards else MOST_CARDS
    # Another order needs all cards to find the first ones.
    shown = Shown(most=None if orders.implementations else most, opened=opened)
    page = page_of_name(name, request.user, most_dependents=DEPENDENTS_NAMED, shown=shown)
    if page is None:
        return _show_missing(request, name)
    if page.function.name != name:
        return redirect(page.function)
    if accepts_markdown(request):
        return markdown_response(function_lines(page))
    page = orders.arrange(page)
    context = _page_context(page, opened, most)
    context["orders"] = orders
    context["around"] = page_context(page, orders.kept, is_signed_in=request.user.is_authenticated)
    context["acceptance"] = acceptance_panel(
        page.function, request.user, are_there_any=page.has_acceptance
    )
    around_rows = render_to_string("functions/function.html", context, request)
    anchors = {entry.anchor for entry in context["implementation_cards"]}
    response = HttpResponse(page_with_rows(around_rows, context["panel"], anchors))
    patch_vary_headers(response, ["Accept"])
    return response


@require_safe
def show_cards(request: HttpRequest, name: str) -> HttpResponse:
    """Show the cards with the anchors in `open`, at most 20, as part of a page."""
    opened = request.GET.get("open", "").split(",")[:MAX_CARDS]
    shown = Shown(most=OPEN_CARDS, opened=opened)
    page = page_of_name(name, request.user, most_dependents=DEPENDENTS_NAMED, shown=shown)
    if page is None:
        raise Http404
    panel = results_panel(page.candidates, page.standing_tests, page.cells)
    groups = test_groups(page, panel, opened)
    cards = [*(card for group in groups for card in group.cards)]
    cards += implementation_entries(page, panel, opened)
    orders = read_orders(request.GET)
    context = {
        "cards": [entry for entry in cards if entry.anchor in opened],
        "around": page_context(page, orders.kept, is_signed_in=request.user.is_authenticated),
    }
    return render(request, "functions/_cards.html", context)


def _page_context(page: FunctionPage, opened: Collection[str], most: int | None) -> dict[str, Any]:
    panel = results_panel(page.candidates, page.standing_tests, page.cells)
    entries = implementation_entries(page, panel, opened, most=most)
    return {
        "page": page,
        "function": page.function,
        "panel": panel,
        "rows": PLACE_OF_ROWS,
        "log": log_entries(page, panel),
        "loading": loading_keys(page),
        "test_groups": test_groups(page, panel, opened),
        "implementation_cards": entries,
        "is_cut": len(entries) < len(page.published),
        "methods": _methods_of(page.function),
        "kind": kind_of(page.function),
        "words": shown(LOOKS),
        **deps_context(page.depends_on, page.depended_on_by, page.dependents),
    }


def deps_context(depends_on: Any, depended_on_by: Any, dependents: int) -> dict[str, Any]:
    """Return the context of the dependency panel, with the number of hidden entries."""
    return {
        "depends_on_shown": depends_on[:DEPS_SHOWN],
        "depends_on_more": max(0, len(depends_on) - DEPS_SHOWN),
        "depended_on_by_shown": depended_on_by[:DEPS_SHOWN],
        "depended_on_by_more": max(0, max(dependents, len(depended_on_by)) - DEPS_SHOWN),
    }


def _methods_of(function: Function) -> Sequence[Mapping[str, Any]]:
    """Return the public methods of a class's current implementation; empty for other kinds.

    Failures are not cached.
    """
    if not kind_of(function).has_methods or not function.elected_id:
        return ()
    elected = Implementation.objects.only("code", "source_sha256").get(pk=function.elected_id)
    key = (bytes(elected.source_sha256 or b""), function.name)
    known = _methods.get(key) if elected.source_sha256 else None
    if known is None:
        known = outline(elected.code, function.name, owner=f"class:{function.pk}")
        if known:
            _methods.put(key, known, _CHARACTERS_EACH * len(known))
    return known


def _show_missing(request: HttpRequest, name: str) -> HttpResponse:
    if not is_identifier(name):
        raise Http404(_("“%(name)s” is not a valid function name.") % {"name": name[:80]})
    if accepts_markdown(request):
        return markdown_response(missing_lines(missing_page(name)), status=404)
    page, uses = missing_page(name), usages_of(name)
    guess = next((use.call for use in uses if use.call), "")
    context = {
        "page": page,
        "uses": uses,
        "similar": names_like(name),
        "guess": guess,
        "is_watched": request.user.is_authenticated
        and NameWatch.objects.filter(user=request.user, name_key=name.lower()).exists(),
        "form": FunctionForm(initial={"name": name, "signature": guess}, kinds=kind_choices()),
        **deps_context((), page.depended_on_by, len(page.depended_on_by)),
    }
    return render(request, "functions/missing.html", context, status=404)


@signed_in_first
@require_http_methods(["GET", "HEAD", "POST"])
def new_function(request: HttpRequest) -> HttpResponse:
    """Define a function; a GET shows the form. With `then`, a first draft is started too."""
    asked = {"name": request.GET.get("name", "")[:80], "kind": request.GET.get("kind", "")}
    initial = {name: value for name, value in asked.items() if value}
    form = FunctionForm(request.POST or None, initial=initial, kinds=kind_choices())
    if request.method == "POST" and form.is_valid():
        try:
            function = define_function(actor=signed_in(request), **form.cleaned_data)
            if request.POST.get("then") in MODELS:
                return redirect(start_first_draft(request, function, request.POST["then"]))
            return redirect(function)
        except Refusal as refusal:
            form.add_refusal(refusal)
    context = {
        "form": form,
        "title": _("New function"),
        "lead": _("A name, a signature and a description. Tests and implementations follow."),
        "failed": _("The function was not defined."),
        "foot": _("You will own it."),
        "button": _("Define function"),
        "back": "/",
    }
    return render(request, "functions/function_form.html", context, status=_status(form))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def clone(request: HttpRequest, name: str) -> HttpResponse:
    """Clone a function under another name; a GET shows the form."""
    original = function_or_404(name)
    form = CloneForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            return redirect(
                clone_function(
                    actor=signed_in(request), original=original, name=form.cleaned_data["name"]
                )
            )
        except Refusal as refusal:
            form.add_refusal(refusal)
    context = {
        "form": form,
        "title": _("Clone %(name)s") % {"name": original.name},
        "lead": _(
            "A function like %(name)s under another name, with its tests that count "
            "and its implementations. Their titles name the originals and their authors."
        )
        % {"name": original.name},
        "failed": _("The function was not cloned."),
        "foot": _("You will own it."),
        "button": _("Clone"),
        "back": original.get_absolute_url(),
    }
    return render(request, "functions/function_form.html", context, status=_status(form))


def _status(form: RefusableForm) -> int:
    return 422 if form.is_bound and form.errors else 200


def function_to_change(request: HttpRequest, name: str) -> Function:
    """Return the function if the user may change it; the refusal names the owner."""
    function = function_or_404(name)
    if not may_moderate(request.user, function):
        raise PermissionDenied(
            _("Only the owner of %(name)s, %(owner)s, can do that.")
            % {"name": function.name, "owner": function.owner.get_username()}
        )
    return function


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit_function(request: HttpRequest, name: str) -> HttpResponse:
    """Edit a function's definition."""
    function = function_to_change(request, name)
    initial = {"signature": function.signature, "description": function.description}
    form = DefinitionForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            revise_function(actor=signed_in(request), function=function, **form.cleaned_data)
            return redirect(function)
        except Refusal as refusal:
            form.add_refusal(refusal)
    context = {
        "form": form,
        "title": _("Edit %(name)s") % {"name": function.name},
        "lead": _("Every change is kept as a revision."),
        "failed": _("The definition was not changed."),
        "foot": "",
        "button": _("Save"),
        "back": function.get_absolute_url(),
    }
    return render(request, "functions/function_form.html", context, status=_status(form))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, name: str) -> HttpResponse:
    """Delete a function; a GET shows its dependents."""
    function = function_to_change(request, name)
    refusal = None
    if request.method == "POST":
        try:
            delete_function(actor=signed_in(request), function=function)
            messages.success(request, _("%(name)s was deleted.") % {"name": function.name})
            return redirect("browse")
        except Refusal as error:
            refusal = error
    dependents = [link_to(other) for other in functions_naming(function)]
    context = {"function": function, "dependents": dependents, "refusal": refusal}
    return render(
        request, "functions/delete.html", context, status=refusal.status if refusal else 200
    )
