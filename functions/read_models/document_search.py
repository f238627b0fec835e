"""Lists of current documents, found by their values in the query language."""

import json
from dataclasses import dataclass
from typing import Any

from django.db import connection

from functions.json_data.query import Query, encode_cursor
from functions.json_data.query_sql import render

_FOUND = """
    SELECT f.name, d.expanded, {position}
    FROM functions_document d JOIN functions_function f ON f.id = d.function_id
    WHERE f.deleted_at IS NULL AND {where}
    ORDER BY {order_by} LIMIT %(at_most)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDocument:
    """A current document, expanded."""

    name: str
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDocuments:
    """A page of documents; `next` is the cursor of the next page."""

    rows: tuple[FoundDocument, ...]
    next: str | None


def search_documents(query: Query) -> FoundDocuments:
    """Return the documents that a query describes."""
    parts = render(query, column="d.expanded", id_column="d.function_id")
    sql = _FOUND.format(position=parts.position, where=parts.where, order_by=parts.order_by)
    with connection.cursor() as cursor:
        cursor.execute(sql, {**parts.parameters, "at_most": query.limit + 1})
        found = cursor.fetchall()
    page = found[: query.limit]
    more = encode_cursor(query, _json(page[-1][2])) if len(found) > query.limit else None
    rows = (FoundDocument(name=name, value=_json(value)) for name, value, _position in page)
    return FoundDocuments(rows=tuple(rows), next=more)


def _json(value: Any) -> Any:
    """Return a jsonb value, which Django's cursors return as text."""
    return json.loads(value) if isinstance(value, str) else value
