"""Pages of items: read, added, changed and deleted as JSON text."""

from collections.abc import Mapping

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from functions.collections.forms import ItemForm
from functions.collections.items import add_item, delete_item, replace_item
from functions.collections.queries import collection_or_404
from functions.collections.rules import (
    may_change,
    readable_items,
    require_adder,
    require_changer,
)
from functions.collections.schema import shown_schema
from functions.errors import Refusal, no_such
from functions.forms import RefusableForm
from functions.json_data.values import parse_json, pretty
from functions.models import Collection, Item
from functions.read_models.cursors import MAX_ID
from functions.views.intents import ask_to_sign_in
from functions.views.responses import answer_refusals, signed_in_first


@signed_in_first
@require_http_methods(["GET", "HEAD", "POST"])
@answer_refusals
def new_item(request: HttpRequest, name: str) -> HttpResponse:
    """Show the form of a new item; a POST adds it."""
    collection = collection_or_404(request.user, name)
    require_adder(request.user, collection)
    form = ItemForm(
        request.POST if request.method == "POST" else None,
        initial={"value": pretty(_draft_of(shown_schema(collection)))},
    )
    if request.method == "POST" and form.is_valid():
        try:
            value = parse_json(form.cleaned_data["value"], field="value")
            add_item(actor=request.user, collection=collection, value=value)
            messages.success(request, _("The item is added."))
            return redirect(collection)
        except Refusal as refusal:
            form.add_refusal(refusal)
    context = {
        "title": _("New item of %(name)s") % {"name": collection.name},
        "lead": "",
        "failed": _("It was not added."),
        "button": _("Add"),
        "back": collection.get_absolute_url(),
    }
    return _page(request, "form", form, context)


@require_http_methods(["GET", "HEAD", "POST"])
@answer_refusals
def show_item(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    """Show an item; who may change it, by a form."""
    collection, item = _item_or_404(request, name, pk)
    if request.method == "POST":
        if not request.user.is_authenticated:
            return ask_to_sign_in(request)
        require_changer(request.user, collection, item)
    is_form = may_change(request.user, collection, item)
    form = ItemForm(
        request.POST if request.method == "POST" else None, initial=ItemForm.initial_of(item)
    )
    if request.method == "POST" and form.is_valid():
        try:
            replace_item(
                actor=request.user,
                collection=collection,
                item_id=item.pk,
                value=parse_json(form.cleaned_data["value"], field="value"),
                expected_version=form.cleaned_data["version"],
            )
            messages.success(request, _("The item is saved."))
            return redirect(item)
        except Refusal as refusal:
            form.add_refusal(refusal)
    context = {
        "collection": collection,
        "item": item,
        "is_form": is_form,
        "text": pretty(item.value),
        "resource_url": f"/r/{collection.name}/{item.pk}/",
    }
    return _page(request, "item", form, context)


@signed_in_first
@require_http_methods(["GET", "HEAD", "POST"])
@answer_refusals
def remove_item(request: HttpRequest, name: str, pk: int) -> HttpResponse:
    """Delete an item; a GET asks first."""
    collection, item = _item_or_404(request, name, pk)
    require_changer(request.user, collection, item)
    if request.method == "POST":
        delete_item(
            actor=request.user, collection=collection, item_id=item.pk, expected_version=None
        )
        messages.success(request, _("The item is deleted."))
        return redirect(collection)
    context = {
        "title": _("Delete item %(item)s?") % {"item": item.pk},
        "lead": _("This can’t be undone."),
        "button": _("Delete the item"),
        "back": reverse("collection-item", args=[collection.name, item.pk]),
    }
    return _page(request, "form", RefusableForm(), context)


def _item_or_404(request: HttpRequest, name: str, pk: int) -> tuple[Collection, Item]:
    collection = collection_or_404(request.user, name)
    items = readable_items(request.user, collection).select_related("author")
    item = items.filter(pk=pk).first() if pk <= MAX_ID else None
    if item is None:
        raise no_such("item")
    item.collection = collection
    return collection, item


def _draft_of(schema: object) -> dict[str, object]:
    """Return an object with the members that a schema requires, to be filled in."""
    required = schema.get("required", []) if isinstance(schema, dict) else []
    return dict.fromkeys(required, "")


def _page(
    request: HttpRequest, template: str, form: RefusableForm, context: Mapping[str, object]
) -> HttpResponse:
    status = 422 if form.is_bound and form.errors else 200
    shown = {"form": form, **context}
    return render(request, f"functions/collections/{template}.html", shown, status=status)
