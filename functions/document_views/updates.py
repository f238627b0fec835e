"""Keeps views up to date: applies stored changes in batches, by one process at a time.

Writers only append changes; the joiner of their process applies all that have arrived for a view
in one transaction, with one event. What a dead process has left is applied by the sweeper.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import TextField
from django.db.models.functions import Cast, Now

from functions.document_views.definition import Definition, definition_from_text
from functions.document_views.statements import PASS, REFRESH, TAKE
from functions.models import DocumentView, DocumentViewChange
from runner.pipelines.fork_join import Joiner, try_lock_target
from runner.pipelines.outbox import append_event

LOCK = "document_view"
CHANGED = "view.changed"
MAX_CHANGES = 5_000  # applied in one transaction
_STALE_AFTER = timedelta(seconds=2)
_MAX_STALE_VIEWS = 100


class Applied(NamedTuple):
    """What a batch did: how many changes it had, and which groups it has changed."""

    changes: int
    groups: list[str]


def apply_changes(view_id: int) -> bool:
    """Apply the view's changes; false if another session is doing it."""
    while True:
        with transaction.atomic():
            if not try_lock_target(LOCK, view_id):
                return False
            definition = definition_of(view_id)
            if definition is None:
                DocumentViewChange.objects.filter(view=view_id).delete()
                return True
            applied = _apply(view_id, definition, TAKE, most=MAX_CHANGES)
            if applied.groups:
                publish(view_id, applied)
        if applied.changes < MAX_CHANGES:
            return True


joiner = Joiner[int](apply_changes)


def apply_contributions(
    view_id: int, definition: Definition, rows: Sequence[dict[str, Any]]
) -> Applied:
    """Apply these contributions, by column; the caller holds the view's lock."""
    return _apply(view_id, definition, PASS, rows=json.dumps(rows))


def definition_of(view_id: int) -> Definition | None:
    """Return the view's definition, None if it doesn't exist."""
    texts = DocumentView.objects.annotate(text=Cast("definition", TextField()))
    text = texts.filter(pk=view_id).values_list("text", flat=True).first()
    return None if text is None else definition_from_text(text)


def publish(view_id: int, applied: Applied) -> None:
    """Note and publish that the view has changed, once for a batch."""
    DocumentView.objects.filter(pk=view_id).update(changed_at=Now())
    told = {"groups": len(applied.groups), "changes": applied.changes}
    append_event(DocumentView(pk=view_id).topic, CHANGED, told)


def sweep_changes(_cursor: int) -> int:
    """Apply what has waited for long, some views at a time; called by the sweeper."""
    waiting = DocumentViewChange.objects.filter(arrived_at__lt=Now() - _STALE_AFTER)
    for view_id in list(waiting.values_list("view", flat=True).distinct()[:_MAX_STALE_VIEWS]):
        apply_changes(view_id)
    return 0


def _apply(
    view_id: int, definition: Definition, statements: dict[bool, str], **given: Any
) -> Applied:
    parameters = {"view": view_id, **_parameters(definition), **given}
    with connection.cursor() as cursor:
        cursor.execute(statements[definition.is_join], parameters)
        applied = Applied(*cursor.fetchone())
        if applied.groups:
            cursor.execute(REFRESH, {**parameters, "keys": applied.groups})
    return applied


def _parameters(definition: Definition) -> dict[str, Any]:
    """Return what the statements need to know of a definition."""
    kinds = {value.name: value.kind for value in definition.values}
    ranked = [value for value in definition.values if value.kind not in {"count", "sum"}]
    sums = [
        {"name": value.name, "position": value.position}
        for value in definition.values
        if value.kind == "sum"
    ]
    return {
        "is_join": definition.is_join,
        "counts": [name for name, kind in kinds.items() if kind == "count"],
        "sums": json.dumps(sums),
        "ranked": sorted({value.position for value in ranked}),
        "values": json.dumps(
            [{**asdict(value), **_place(definition, value.show)} for value in ranked]
        ),
    }


def _place(definition: Definition, position: int | None) -> dict[str, int | None]:
    """Return the side that has this position of a row, and the position within the side."""
    first = len(definition.sides[0].paths)
    is_second = position is not None and position >= first
    return {
        "show_side": int(is_second),
        "show": position - first if position is not None and is_second else position,
    }
