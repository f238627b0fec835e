"""Pages of document views: the list, the form of a new one, and each with its groups."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from functions.document_views.ownership import (
    MAX_DEFINITION_LENGTH,
    create_view,
    delete_view,
    find_view,
    may_delete_view,
    require_deletable,
)
from functions.errors import Refusal
from functions.forms import RefusableForm
from functions.json_data.values import parse_json
from functions.names import MAX_NAME_LENGTH
from functions.read_models.document_views import (
    GROUP,
    GroupRow,
    ViewPage,
    fresh_at,
    orders_of,
    readable_views,
    view_page,
)
from functions.views.responses import answer_refusals, signed_in

EXAMPLE = {
    "from": "documents",
    "where": {"kind": "recipe"},
    "group_by": "cuisine",
    "values": {
        "n": "count",
        "minutes": {"sum": "minutes"},
        "quickest": {"min": "minutes"},
        "best": {"top": 3, "by": "rating", "show": "title"},
    },
}


class DocumentViewForm(RefusableForm):
    """A new view's name and definition."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=MAX_NAME_LENGTH,
        widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false"}),
    )
    definition = forms.CharField(
        label=gettext_lazy("Definition"),
        max_length=MAX_DEFINITION_LENGTH,
        widget=forms.Textarea({"rows": 16, "class": "code", "spellcheck": "false"}),
        help_text=gettext_lazy("A JSON object: from where, which records, grouped by what."),
    )

    def parsed(self) -> Any:
        """Return the definition; refused, with the line, if it is no JSON."""
        return parse_json(self.cleaned_data["definition"], field="definition")


@require_safe
def list_views(request: HttpRequest) -> HttpResponse:
    """List the views that the reader may read."""
    cursor = request.GET.get("cursor", "")
    page = readable_views(request.user, cursor=cursor)
    context = {
        "rows": [{"view": view, "fresh_at": fresh_at(view)} for view in page.rows],
        "cursor": cursor,
        "next_url": f"?{urlencode({'cursor': page.next})}" if page.next else "",
    }
    return render(request, "functions/document_views.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_view(request: HttpRequest) -> HttpResponse:
    """Create a view; a GET shows the form."""
    initial = {"definition": json.dumps(EXAMPLE, indent=2)}
    form = DocumentViewForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            name, definition = form.cleaned_data["name"], form.parsed()
            view = create_view(actor=signed_in(request), name=name, definition=definition)
            return redirect(view)
        except Refusal as refusal:
            form.add_refusal(refusal)
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "functions/document_view_form.html", {"form": form}, status=status)


@require_safe
@answer_refusals
def show_view(request: HttpRequest, name: str) -> HttpResponse:
    """Show a view's groups, its definition and how fresh they are."""
    view = find_view(request.user, name)
    cursor = request.GET.get("cursor", "")
    page = view_page(view, order=request.GET.get("order", ""), cursor=cursor)
    context = {
        "view": view,
        "page": page,
        "columns": list(_columns(page)),
        "rows": [_shown(page, row) for row in page.rows],
        "fresh_at": fresh_at(view),
        "definition": json.dumps(view.as_written, indent=2, ensure_ascii=False),
        "may_delete": may_delete_view(request.user, view),
        "cursor": cursor,
        "first_url": f"?{urlencode({'order': page.order})}",
        "next_url": f"?{urlencode({'order': page.order, 'cursor': page.next})}",
    }
    return render(request, "functions/document_view.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@answer_refusals
def delete(request: HttpRequest, name: str) -> HttpResponse:
    """Delete a view; a GET asks first."""
    view = find_view(request.user, name)
    require_deletable(request.user, view)
    if request.method != "POST":
        return render(request, "functions/document_view_deletion.html", {"view": view})
    delete_view(actor=request.user, view=view)
    messages.success(request, _("The view is deleted."))
    return redirect("document-views")


def _columns(page: ViewPage) -> Iterator[dict[str, Any]]:
    """Yield the group's column and those of values, each with a link to sort by it."""
    sortable = orders_of(page.definition)
    for name in (GROUP, *(value.name for value in page.definition.values)):
        # The first press shows the largest first, and groups in ascending order.
        orders = [name, f"-{name}"] if name == GROUP else [f"-{name}", name]
        following = orders[1] if page.order == orders[0] else orders[0]
        is_sorted = page.order.removeprefix("-") == name
        yield {
            "title": _group_title(page) if name == GROUP else name,
            "is_number": name in sortable and name != GROUP,
            "url": f"?{urlencode({'order': following})}" if name in sortable else "",
            "sort": ("descending" if page.order[0] == "-" else "ascending") if is_sorted else "",
        }


def _group_title(page: ViewPage) -> str:
    return str(page.view.definition.get("group_by") or _("all records"))


def _shown(page: ViewPage, row: GroupRow) -> dict[str, Any]:
    """Return what a row of the table shows; the bar is of the value that sorts, if it has one."""
    largest = _largest(page)
    measure = _measure(page)
    amount = row.values.get(measure, 0) if measure else 0
    is_amount = isinstance(amount, int | float) and largest > 0 and amount > 0
    return {
        "group": _text(row.group),
        "is_none": row.group is None,
        "width": f"{100 * amount / largest:.1f}%" if is_amount else "",
        "cells": [
            {
                "title": value.name,
                "is_number": value.kind not in ("latest", "top"),
                "lines": _lines(row.values.get(value.name)),
            }
            for value in page.definition.values
        ],
    }


def _measure(page: ViewPage) -> str:
    """Return the name of the value that the bars show."""
    name = page.order.removeprefix("-")
    names = orders_of(page.definition)[1:]
    return name if name in names else next(iter(names), "")


def _largest(page: ViewPage) -> float:
    measure = _measure(page)
    amounts = (row.values.get(measure) for row in page.rows)
    return max((each for each in amounts if isinstance(each, int | float)), default=0)


def _lines(value: Any) -> Sequence[str]:
    """Return the lines of a cell: one of a plain value, one for each record of others."""
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        return [_text(value)] if value is not None else []
    return [f"{_text(each.get('show', each['id']))}: {_text(each['value'])}" for each in value]


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return value if isinstance(value, str) else json.dumps(value)
