"""Pages of collections: the list, a collection as a table, its settings."""

from collections.abc import Mapping

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from functions.collections.definition import (
    Settings,
    change_collection,
    create_collection,
    delete_collection,
)
from functions.collections.forms import CollectionForm, SettingsForm
from functions.collections.queries import ItemPage, collection_or_404, item_page
from functions.collections.rules import may_add, may_manage, may_read_all, require_manager
from functions.collections.schema import shown_schema
from functions.errors import Refusal
from functions.forms import RefusableForm
from functions.json_data.query import Query, parse_query
from functions.read_models.collections import list_collections
from functions.views.collection_query import (
    OPERATORS,
    built,
    cells,
    chips,
    columns,
    parameters_of,
)
from functions.views.responses import answer_refusals, signed_in, signed_in_first
from runner.events.topics import head

LISTED = 50


@require_safe
def show_collections(request: HttpRequest) -> HttpResponse:
    """List the collections that the reader may read."""
    q, cursor = request.GET.get("q", "")[:200].replace("\0", ""), request.GET.get("cursor", "")
    page = list_collections(request.user, q=q, cursor=cursor, limit=LISTED)
    context = {
        "rows": page.rows,
        "q": q,
        "cursor": cursor,
        "first_url": f"?{urlencode({'q': q} if q else {})}",
        "next_url": f"?{urlencode({'q': q, 'cursor': page.next})}" if page.next else "",
    }
    return render(request, "functions/collections/list.html", context)


@signed_in_first
@require_http_methods(["GET", "HEAD", "POST"])
def new_collection(request: HttpRequest) -> HttpResponse:
    """Show the form of a new collection; a POST creates it."""
    defaults = Settings()
    initial = CollectionForm.initial_of(defaults) | {"name": request.GET.get("name", "")[:80]}
    form = CollectionForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            name, settings = form.cleaned_data["name"], form.changed(defaults)
            made = create_collection(actor=signed_in(request), name=name, settings=settings)
            return redirect(made)
        except Refusal as refusal:
            form.add_refusal(refusal)
    context = {
        "title": _("New collection"),
        "lead": _("A set of JSON objects with an address of its own, for pages and programs."),
        "failed": _("It was not created."),
        "button": _("Create"),
        "back": reverse("collections"),
    }
    return _form_page(request, form, context)


@require_safe
@answer_refusals
def show_collection(request: HttpRequest, name: str) -> HttpResponse:
    """Show a collection's items as a table, by the query of the address."""
    collection = collection_or_404(request.user, name)
    refusal, status = None, 200
    query, parameters = Query(), request.GET
    try:
        if address := built(parameters):
            return redirect(f"{collection.get_absolute_url()}{address}")
        query = parse_query(parameters_of(parameters))
    except Refusal as found:
        refusal, status = found, found.status
    # The position first, so that no change is missed.
    position = head(collection.topic) if may_read_all(request.user, collection) else None
    page = ItemPage((), None) if refusal else item_page(request.user, collection, query)
    shown = columns(shown_schema(collection), page.rows, parameters)
    following = parameters.copy()
    following["cursor"] = page.next or ""
    context = {
        "collection": collection,
        "position": position,
        "refusal": refusal,
        "columns": shown,
        "rows": [{"item": row, "cells": cells(row, shown)} for row in page.rows],
        "chips": chips(parameters),
        "operators": [(each.value, _(label)) for each, label in OPERATORS.items()],
        "builder": {each: parameters.get(f"_{each}", "") for each in ("path", "operator", "value")},
        "kept": [each for each in parameters_of(parameters) if not each[0].startswith("_")],
        "is_first": "cursor" not in parameters,
        "is_filtered": bool(chips(parameters)),
        "first_url": _without_cursor(request),
        "next_url": f"?{following.urlencode()}" if page.next else "",
        "resource_url": f"/r/{collection.name}/",
        "may_add": may_add(request.user, collection),
        "may_manage": may_manage(request.user, collection),
    }
    return render(request, "functions/collections/collection.html", context, status=status)


@signed_in_first
@require_http_methods(["GET", "HEAD", "POST"])
@answer_refusals
def change(request: HttpRequest, name: str) -> HttpResponse:
    """Show and change a collection's settings, for its owner."""
    collection = collection_or_404(request.user, name)
    require_manager(request.user, collection)
    former = Settings.of(collection)
    initial = SettingsForm.initial_of(former)
    form = SettingsForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            settings = form.changed(former)
            change_collection(actor=request.user, collection=collection, settings=settings)
            messages.success(request, _("The settings are saved."))
            return redirect(collection)
        except Refusal as refusal:
            form.add_refusal(refusal)
    context = {
        "title": _("Settings of %(name)s") % {"name": collection.name},
        "lead": _("Items that are there stay as they are; they must fit when they are changed."),
        "failed": _("Nothing was changed."),
        "button": _("Save"),
        "back": collection.get_absolute_url(),
        "delete_url": reverse("delete-collection", args=[collection.name]),
    }
    return _form_page(request, form, context)


@signed_in_first
@require_http_methods(["GET", "HEAD", "POST"])
@answer_refusals
def delete(request: HttpRequest, name: str) -> HttpResponse:
    """Delete a collection; a GET asks first."""
    collection = collection_or_404(request.user, name)
    require_manager(request.user, collection)
    if request.method == "POST":
        delete_collection(actor=request.user, collection=collection)
        messages.success(request, _("The collection is deleted."))
        return redirect("collections")
    context = {
        "title": _("Delete %(name)s?") % {"name": collection.name},
        "lead": _("All of its items are deleted with it. This can’t be undone."),
        "button": _("Delete the collection"),
        "back": collection.get_absolute_url(),
    }
    return _form_page(request, RefusableForm(), context)


def _form_page(
    request: HttpRequest, form: RefusableForm, context: Mapping[str, str]
) -> HttpResponse:
    status = 422 if form.is_bound and form.errors else 200
    shown = {"form": form, **context}
    return render(request, "functions/collections/form.html", shown, status=status)


def _without_cursor(request: HttpRequest) -> str:
    query = request.GET.copy()
    query.pop("cursor", None)
    return f"?{query.urlencode()}"
