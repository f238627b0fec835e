"""Fills views from their sources: a new one page by page, beside the writers; an old one at once.

While a page is read and applied, the view's lock keeps changes from being applied. So they come
after the page, which is older or has seen them already.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection, transaction
from django.db.models.functions import Now

from functions.document_views.contributions import contribution_of, to_columns
from functions.document_views.definition import Definition
from functions.document_views.sources import PAGE_SIZE, Record, read_records
from functions.document_views.updates import (
    LOCK,
    Applied,
    apply_contributions,
    definition_of,
    publish,
)
from functions.models import (
    DocumentView,
    DocumentViewEntry,
    DocumentViewGroup,
    DocumentViewRank,
)
from runner.models import FanOut
from runner.pipelines.fan_out import FanOutCancelled, RetryLater, fan_out
from runner.pipelines.fork_join import lock_all_targets, try_lock_target
from runner.registry import Page

RECORDS = "functions.view_records"
FILL = "functions.fill_view"
_RETRY_SECONDS = 0.2
# Transactions that may not have seen what is committed by now, besides this one.
_BARRIER = "select pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
_IS_PAST = """
    select not exists (select from pg_snapshot_xip(pg_current_snapshot()) as xid
                       where xid::text::bigint < %s)
"""


def enqueue_build(view: DocumentView) -> None:
    """Have a new view filled, after the caller's transaction."""
    arguments = {"view": view.pk}
    fan_out(
        f"view:{view.pk}",
        source=RECORDS,
        step=FILL,
        arguments=arguments,
        page=PAGE_SIZE,
        owner_id=view.owner_id,
    )


def read_view_records(arguments: Mapping[str, Any], cursor: Any, limit: int) -> Page:
    """Return the next records of the view's sources, each with its side, and lock the view.

    The first page is empty. The second one waits until every transaction that doesn't know the view
    has ended, because its changes aren't stored for the view and might not be seen yet.
    """
    if cursor is None:
        return Page([], {"barrier": read_barrier(), "side": 0, "after": ""})
    view = DocumentView.objects.filter(pk=arguments["view"]).first()
    if view is None:
        raise FanOutCancelled
    if not is_past(cursor["barrier"]) or not try_lock_target(LOCK, view.pk):
        raise RetryLater(_RETRY_SECONDS)
    side, sources = cursor["side"], _sources(view)
    records = read_records(sources[side], cursor["after"], limit)
    items = [(side, record) for record in records]
    if len(records) == limit:
        return Page(items, {**cursor, "after": records[-1].id})
    is_last = side + 1 == len(sources)
    return Page(items, None if is_last else {**cursor, "side": side + 1, "after": ""})


def fill(items: Sequence[tuple[int, Record]], run: FanOut) -> None:
    """Apply a page of records to the view."""
    view_id = run.arguments["view"]
    definition = definition_of(view_id)
    if definition is None:
        raise FanOutCancelled
    applied = _fill(view_id, definition, items)
    if applied.groups:
        publish(view_id, applied)


def finish(run: FanOut) -> None:
    """Mark the view as built."""
    DocumentView.objects.filter(pk=run.arguments["view"]).update(built_at=Now())
    publish(run.arguments["view"], Applied(0, []))


def rebuild(view: DocumentView) -> None:
    """Compute the view from scratch; its readers see the former groups until the end."""
    barrier = read_barrier()
    while not is_past(barrier):
        time.sleep(_RETRY_SECONDS)
    with transaction.atomic():
        lock_all_targets(LOCK)
        definition = definition_of(view.pk)
        if definition is None:
            return
        for rows in (DocumentViewEntry, DocumentViewRank, DocumentViewGroup):
            rows.objects.filter(view=view.pk).delete()
        for side, source in enumerate(_sources(view)):
            page = read_records(source, "")
            while page:
                _fill(view.pk, definition, [(side, record) for record in page])
                page = read_records(source, page[-1].id)
        DocumentView.objects.filter(pk=view.pk).update(built_at=Now())
        publish(view.pk, Applied(0, []))


def _fill(view_id: int, definition: Definition, items: Sequence[tuple[int, Record]]) -> Applied:
    rows = [
        to_columns(side, record.id, contribution)
        for side, record in items
        if (contribution := contribution_of(definition, side, record.id, record.value)) is not None
    ]
    return apply_contributions(view_id, definition, rows)


def _sources(view: DocumentView) -> list[str]:
    return [view.source, view.joined_source] if view.joined_source else [view.source]


def read_barrier() -> int:
    """Return an id of transactions: who may not see what is committed by now has a lower one."""
    with connection.cursor() as cursor:
        cursor.execute(_BARRIER)
        return int(cursor.fetchone()[0])


def is_past(barrier: int) -> bool:
    """Return whether all transactions with lower ids have ended, except the current one."""
    with connection.cursor() as cursor:
        cursor.execute(_IS_PAST, [barrier])
        return bool(cursor.fetchone()[0])
