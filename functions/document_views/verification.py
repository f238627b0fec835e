"""Compares document views with their sources, in one snapshot and without locks."""

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from django.db.models import TextField
from django.db.models.functions import Cast

from functions.document_views.contributions import Contribution, contribution_of
from functions.document_views.definition import Definition, parse_definition
from functions.document_views.evaluation import evaluate, exact
from functions.document_views.sources import all_records
from functions.models import (
    DocumentView,
    DocumentViewChange,
    DocumentViewEntry,
    DocumentViewGroup,
)

_Entries = dict[str, Contribution]


def find_wrong_views(name: str = "") -> Iterator[str]:
    """Yield a sentence for each difference, of all built views or the one of this name.

    Call it in a snapshot. Changes that have not been applied yet are no difference.
    """
    views = DocumentView.objects.exclude(built_at=None).order_by("pk")
    for view in views.filter(name__iexact=name) if name else views:
        definition = parse_definition(view.definition)
        sides = [_read_entries(view, side) for side in range(len(definition.sides))]
        for side, entries in enumerate(sides):
            yield from _wrong_entries(view, definition, side, entries)
        yield from _wrong_groups(view, evaluate(definition, sides))


def read_groups(view: DocumentView) -> dict[str, Any]:
    """Return the values of the view's groups with exact decimals, by their JSON text."""
    rows = DocumentViewGroup.objects.filter(view=view.pk)
    texts = rows.annotate(text=Cast("result", TextField())).values_list("key", "text")
    return {
        key: json.loads(text, parse_float=Decimal, parse_int=Decimal)
        for key, text in texts.iterator()
    }


def _read_entries(view: DocumentView, side: int) -> _Entries:
    rows = DocumentViewEntry.objects.filter(view=view.pk, side=side)
    columns = rows.values_list("record", "key", "group_key", "fields")
    return {
        record: Contribution(key, group, tuple(fields or ()))
        for record, key, group, fields in columns.iterator()
    }


def _wrong_entries(
    view: DocumentView, definition: Definition, side: int, entries: _Entries
) -> Iterator[str]:
    """Yield records whose contribution, with changes that wait, isn't that of their value."""
    applied = dict(entries)
    waiting = DocumentViewChange.objects.filter(view=view.pk, side=side).order_by("pk")
    for record, key, group, fields in waiting.values_list("record", "key", "group_key", "fields"):
        applied.pop(record, None)
        if fields is not None:
            applied[record] = Contribution(key, group, tuple(fields))
    source = view.joined_source if side else view.source
    for record, value in all_records(source):
        expected = contribution_of(definition, side, record, value)
        counted = applied.pop(record, None)
        if counted != expected:
            yield f"view {view}: {source} {record} counts as {counted}, expected {expected}"
    for lost in applied:
        yield f"view {view}: {source} {lost} is counted but does not exist"


def _wrong_groups(view: DocumentView, expected: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield groups that aren't what the contributions come to."""
    stored = read_groups(view)
    for key in sorted(stored.keys() | expected.keys()):
        if stored.get(key) != exact(expected.get(key)):
            yield f"view {view}: group {key} is {stored.get(key)}, expected {expected.get(key)}"
