"""A source of records to make views of: rows in a table of the test's own."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models.functions import Now

from functions.document_views.changes import Change, record_changes
from functions.document_views.contributions import contribution_of
from functions.document_views.definition import parse_definition
from functions.document_views.evaluation import evaluate, exact
from functions.document_views.sources import Record, all_records, register_source
from functions.models import DocumentView
from tests.support.works import account

KIND = "test"
SOURCE = "test:numbers"
OTHER_SOURCE = "test:others"

_TABLE = """
    create table if not exists test_records (
        source text, id text collate "C", value jsonb, primary key (source, id))
"""
_PUT = """
    insert into test_records as r values (%s, %s, %s)
    on conflict (source, id) do update set value = excluded.value
    returning old.value
"""
_PAGE = """
    select id, value from test_records where source = %s and id > %s order by id limit %s
"""


@contextmanager
def record_table() -> Iterator[None]:
    """Have the table."""
    with connection.cursor() as cursor:
        cursor.execute(_TABLE)
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("drop table test_records")


def read_page(source: str, after: str, limit: int) -> list[Record]:
    """Return the next records."""
    with connection.cursor() as cursor:
        cursor.execute(_PAGE, [source, after, limit])
        return [Record(record, json.loads(value)) for record, value in cursor]


register_source(KIND, read_page)


def put(record: str, value: Any, *, source: str = SOURCE) -> None:
    """Write a record, or remove it if there is no value, and have the views follow."""
    with transaction.atomic(), connection.cursor() as cursor:
        if value is None:
            cursor.execute(
                "delete from test_records where source = %s and id = %s returning value",
                [source, record],
            )
        else:
            cursor.execute(_PUT, [source, record, json.dumps(value)])
        row = cursor.fetchone()
        before = json.loads(row[0]) if row and row[0] is not None else None
        record_changes(source, [Change(record, before, value)])


def make_view(definition: Any, *, name: str = "Sums", owner: User | None = None) -> DocumentView:
    """Return a view of sources that are empty by now, as one that is filled."""
    sides = parse_definition(definition).sides
    return DocumentView.objects.create(
        name=name,
        owner=owner or account("olga"),
        definition=definition,
        source=sides[0].source,
        joined_source=sides[1].source if sides[1:] else "",
        built_at=Now(),
    )


def expected_groups(view: DocumentView) -> dict[str, Any]:
    """Return the groups that the view must have, computed from its records."""
    definition = parse_definition(view.definition)
    sides = [
        {
            record.id: contribution
            for record in all_records(side.source)
            if (contribution := contribution_of(definition, number, *record)) is not None
        }
        for number, side in enumerate(definition.sides)
    ]
    return cast("dict[str, Any]", exact(evaluate(definition, sides)))
