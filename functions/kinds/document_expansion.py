"""Keeps current documents with their links expanded, as their elections change."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import F

from functions.document_views.changes import Change, record_changes
from functions.kinds.document_records import SOURCE, remove_documents
from functions.kinds.document_source import (
    TOO_LARGE,
    Link,
    depth_of,
    find_links,
    missing_link,
    parse_document,
    replace_links,
)
from functions.models import Cell, Dependency, Document, Function
from functions.names import name_key
from runner.models import Result

# Of an expanded document. Otherwise a few short documents that link each other many times could
# fill the disk.
MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 90

_WRITE = """
    INSERT INTO functions_document AS present
        (function_id, implementation_id, value, expanded, size, depth, changed_at)
    SELECT function_id, implementation_id, value, expanded, size, depth, now()
    FROM jsonb_to_recordset(%s) AS given (
        function_id bigint, implementation_id bigint, value jsonb, expanded jsonb,
        size integer, depth integer
    )
    ON CONFLICT (function_id) DO UPDATE SET
        implementation_id = excluded.implementation_id, value = excluded.value,
        expanded = excluded.expanded, size = excluded.size, depth = excluded.depth,
        changed_at = excluded.changed_at
    WHERE (present.implementation_id, present.expanded)
        IS DISTINCT FROM (excluded.implementation_id, excluded.expanded)
    RETURNING new.function_id, old.expanded, new.expanded
"""


@dataclass(frozen=True, slots=True)
class Expanded:
    """An expanded value with its size in characters of JSON, and its depth."""

    value: Any
    size: int
    depth: int


def update_documents(function_ids: Sequence[int]) -> None:
    """Write the current documents of these functions, and remove those that have none.

    Called in the transaction that has written their elections, when the documents that they link
    are written.
    """
    functions = Function.objects.filter(pk__in=function_ids, deleted_at=None, elected__isnull=False)
    elected = {row.pk: row for row in functions.select_related("elected")}
    remove_documents(set(function_ids) - elected.keys())
    codes = {row.elected_id: row.elected.code for row in elected.values() if row.elected}
    values = {pk: parse_document(code) for pk, code in codes.items() if pk}
    expanded = _expand_all(values)
    rows = [
        {
            "function_id": row.pk,
            "implementation_id": row.elected_id,
            "value": values[row.elected_id],
            "expanded": found.value,
            "size": found.size,
            "depth": found.depth,
        }
        for row in elected.values()
        if row.elected_id and (found := expanded.get(row.elected_id))
    ]
    if rows:
        with connection.cursor() as cursor:
            cursor.execute(_WRITE, [json.dumps(rows)])
            written = cursor.fetchall()
        record_changes(
            SOURCE,
            [
                Change(str(pk), json.loads(before) if before else None, json.loads(after))
                for pk, before, after in written
            ],
        )


def find_stale(function_ids: Sequence[int]) -> Iterator[str]:
    """Yield the names of those whose stored document isn't what their election gives."""
    functions = Function.objects.filter(pk__in=function_ids, deleted_at=None, elected__isnull=False)
    found = list(functions.select_related("elected").order_by("name"))
    values = {row.elected.pk: parse_document(row.elected.code) for row in found if row.elected}
    expanded = _expand_all(values)
    stored = Document.objects.in_bulk(function_ids)
    expected = {
        row.pk: (row.elected_id, each.value)
        for row in found
        if (each := expanded.get(row.elected_id or 0))
    }
    actual = {pk: (row.implementation_id, row.expanded) for pk, row in stored.items()}
    names = dict(Function.objects.filter(pk__in=function_ids).values_list("pk", "name"))
    without = {row.pk for row in found}
    for pk in sorted(function_ids, key=names.__getitem__):
        is_stale = expected[pk] != actual.get(pk) if pk in expected else pk not in without
        if is_stale and (pk in expected or pk in actual):
            yield names[pk]


def _expand_all(values: Mapping[int, Any]) -> dict[int, Expanded]:
    """Return documents expanded, by implementation.

    Transforms are applied in the sandbox, where their documents are loaded; those whose present
    result isn't there are left out.
    """
    links = {pk: list(find_links(value)) for pk, value in values.items()}
    transformed = {pk for pk, each in links.items() if any(link.transform for link in each)}
    executed = _results_of(transformed)
    linked = _linked_documents(values.keys() - transformed)
    return {pk: measure(value) for pk, value in executed.items()} | {
        pk: expand(values[pk], links[pk], linked.get(pk, {})) for pk in values.keys() - transformed
    }


def expand(value: Any, links: Sequence[Link], linked: Mapping[str, Expanded]) -> Expanded:
    """Return a document with untransformed links expanded; `linked` is by name key.

    If that would be too large, none is.
    """
    found = [(link, linked.get(name_key(link.key))) for link in links if not link.transform]
    size = sum(each.size for _link, each in found if each)
    depth = max((each.depth + len(link.path) for link, each in found if each), default=0)
    is_too_large = size > MAX_CHARACTERS or depth > MAX_DEPTH
    replacements = {link: missing_link(link) for link in links} | {
        link: {"key": link.key, TOO_LARGE: True} if is_too_large else each.value
        for link, each in found
        if each
    }
    return measure(replace_links(value, replacements))


def measure(value: Any) -> Expanded:
    """Return a value with its size and depth."""
    return Expanded(value, len(json.dumps(value)), depth_of(value))


def _results_of(implementations: Collection[int]) -> dict[int, Any]:
    """Return the values that these had when they were loaded in the sandbox."""
    if not implementations:
        return {}
    cells = Cell.objects.filter(
        implementation__in=implementations, test=None, verdict="passed", result_key=F("key")
    )
    keys = {bytes(key): pk for pk, key in cells.values_list("implementation", "result_key") if key}
    results = Result.objects.filter(execution__key__in=list(keys), value__isnull=False)
    rows = results.values_list("execution__key", "value")
    return {keys[bytes(key)]: value for key, value in rows}


def _linked_documents(implementations: Collection[int]) -> dict[int, dict[str, Expanded]]:
    """Return the current documents that these link, by name key."""
    rows = Dependency.objects.filter(
        implementation__in=implementations, target__isnull=False, is_optional=True
    )
    named = list(rows.values_list("implementation", "name_key", "target"))
    documents = Document.objects.in_bulk({target for _pk, _key, target in named if target})
    expanded = {pk: Expanded(row.expanded, row.size, row.depth) for pk, row in documents.items()}
    linked: dict[int, dict[str, Expanded]] = {}
    for pk, key, target in named:
        if pk and target in expanded:
            linked.setdefault(pk, {})[key] = expanded[target]
    return linked
