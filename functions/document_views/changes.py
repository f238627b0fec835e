"""Stores changes of records for the views over them, in the transactions that make them."""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from django.db import connection, transaction

from functions.document_views.contributions import contribution_of, to_columns
from functions.document_views.definition import Definition, definition_from_text
from functions.document_views.updates import joiner

# Ids of views are never used again, and definitions never change.
_VIEWS = """
    select id, definition::text, source = %(source)s, joined_source = %(source)s
    from functions_documentview where source = %(source)s or joined_source = %(source)s order by id
"""
# Nothing is stored unless the views are those that are known here. The rows are one JSON document,
# because psycopg escapes arrays element by element.
_APPEND = """
    with known as materialized (
        select %(known)s::bigint[] = array(
            select id from functions_documentview
            where source = %(source)s or joined_source = %(source)s order by id) as is_current
    ), stored as (
        insert into functions_documentviewchange (view_id, side, record, key, group_key, fields)
        select view_id, side, record, key, group_key, fields
        from known cross join jsonb_to_recordset(%(rows)s) as rows (
            view_id bigint, side smallint, record text, key text, group_key text, fields jsonb)
        where is_current
    )
    select is_current from known
"""
_MAX_KNOWN = 10_000  # sources


class Change(NamedTuple):
    """A record's JSON value before and after; None where it doesn't exist."""

    record: str
    before: Any | None
    after: Any | None


def record_changes(source: str, changes: Sequence[Change]) -> None:
    """Have the views over this source follow these changes, soon after the transaction.

    Call it in the transaction that changes the records, after their rows are written, as the locks
    on these keep the changes of each record in order. It locks nothing itself.
    """
    if not changes:
        return
    with connection.cursor() as cursor:
        is_current = False
        while not is_current:
            views = _known.get(source)
            if views is None:
                views = _read_views(cursor, source)
            rows = list(_rows(views, changes))
            known = sorted({view.id for view in views})
            given: dict[str, Any] = {"source": source, "known": known, "rows": json.dumps(rows)}
            cursor.execute(_APPEND, given)
            (is_current,) = cursor.fetchone()
            if not is_current:
                _known.pop(source, None)
    for view_id in sorted({row["view_id"] for row in rows}):
        transaction.on_commit(partial(joiner.notify, view_id))


class _View(NamedTuple):
    """A view, and as which of its sides it reads the source."""

    id: int
    side: int
    definition: Definition


# The views over each source, as of the last change; if they are others, no change is stored.
_known: dict[str, list[_View]] = {}


def _read_views(cursor: Any, source: str) -> list[_View]:
    cursor.execute(_VIEWS, {"source": source})
    views = [
        _View(view_id, side, definition_from_text(text))
        for view_id, text, *is_of_side in cursor
        for side, is_source in enumerate(is_of_side)
        if is_source
    ]
    if len(_known) >= _MAX_KNOWN:
        _known.clear()
    _known[source] = views
    return views


def _rows(views: Sequence[_View], changes: Sequence[Change]) -> Iterator[dict[str, Any]]:
    for view in views:
        for record, before, after in changes:
            former = contribution_of(view.definition, view.side, record, before)
            new = contribution_of(view.definition, view.side, record, after)
            if new != former:
                yield {"view_id": view.id, **to_columns(view.side, record, new)}
