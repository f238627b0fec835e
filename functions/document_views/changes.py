"""Stores changes of records for the views over them, in the transactions that make them."""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from django.db import connection, transaction

from functions.document_views.contributions import contribution_of, to_columns
from functions.document_views.definition import definition_from_text
from functions.document_views.updates import joiner

_VIEWS = """
    select id, definition::text, source = %(source)s, joined_source = %(source)s
    from functions_documentview where source = %(source)s or joined_source = %(source)s
"""
# One JSON document, because psycopg escapes arrays element by element.
_APPEND = """
    insert into functions_documentviewchange (view_id, side, record, key, group_key, fields)
    select view_id, side, record, key, group_key, fields from jsonb_to_recordset(%s)
    as rows (view_id bigint, side smallint, record text, key text, group_key text, fields jsonb)
"""


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
    rows = list(_rows(source, changes)) if changes else []
    if not rows:
        return
    with connection.cursor() as cursor:
        cursor.execute(_APPEND, [json.dumps(rows)])
    for view_id in sorted({row["view_id"] for row in rows}):
        transaction.on_commit(partial(joiner.notify, view_id))


def _rows(source: str, changes: Sequence[Change]) -> Iterator[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(_VIEWS, {"source": source})
        views = cursor.fetchall()
    for view_id, stated, *is_of_side in views:
        definition = definition_from_text(stated)
        for side in (side for side, is_source in enumerate(is_of_side) if is_source):
            for record, before, after in changes:
                former = contribution_of(definition, side, record, before)
                new = contribution_of(definition, side, record, after)
                if new != former:
                    yield {"view_id": view_id, **to_columns(side, record, new)}
