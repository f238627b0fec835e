"""Document views and pages of their groups, in any order of their values."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from django.db import connection
from django.db.models.functions import Lower

from functions.document_views.definition import Definition, parse_definition
from functions.document_views.sources import may_read
from functions.models import DocumentView, DocumentViewChange
from functions.read_models.cursors import BadCursor, decode_cursor, encode_cursor
from functions.read_models.snapshot import snapshot
from runner.events.topics import Head, head
from runner.registry import Actor

GROUP = "group"
SORTED_KINDS = ("count", "sum", "min", "max")
MAX_PENDING = 1_000  # counted
# `sort` is an expression of ours, `%(name)s` a value's name.
_GROUPS = """
    select key, {sort}::text, count, result from functions_documentviewgroup
    where view_id = %(view)s and (%(after)s::jsonb is null
        or ({sort}, key) {beyond} (%(after)s::jsonb, %(key)s collate "C"))
    order by {sort} {direction}, key {direction} limit %(limit)s
"""
_NUMBER = re.compile(r"-?\d{1,700}(\.\d{1,700})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """A group, the number of its rows, and its values by name."""

    group: Any
    count: int
    values: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewPage:
    """A view with a page of its groups; `next` is the next page's cursor, or empty."""

    view: DocumentView
    definition: Definition
    rows: tuple[GroupRow, ...]
    next: str
    pending: int  # changes that are not applied yet, up to a limit
    order: str
    position: Head


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewList:
    """A page of views by name; `next` is the next page's cursor, or empty."""

    rows: tuple[DocumentView, ...]
    next: str


def orders_of(definition: Definition) -> list[str]:
    """Return the names by which groups can be ordered, each also with a minus, for descending."""
    return [GROUP, *(one.name for one in definition.values if one.kind in SORTED_KINDS)]


def view_page(view: DocumentView, *, order: str, cursor: str = "", limit: int = 50) -> ViewPage:
    """Return the groups after the cursor; an unknown order is the default. Raises BadCursor."""
    definition = parse_definition(view.as_written)
    if order.removeprefix("-") not in orders_of(definition):
        order = default_order(definition)
    with snapshot():
        position = head(view.topic)
        groups, following = _groups(view, order, cursor, limit)
        changes = DocumentViewChange.objects.filter(view=view.pk)[:MAX_PENDING]
        return ViewPage(
            view=view,
            definition=definition,
            rows=groups,
            next=following,
            pending=changes.count(),
            order=order,
            position=position,
        )


def default_order(definition: Definition) -> str:
    """Return the order by the first value that has one, the largest first."""
    names = orders_of(definition)
    return f"-{names[1]}" if names[1:] else GROUP


def readable_views(actor: Actor, *, cursor: str = "", limit: int = 50) -> ViewList:
    """Return the views that the actor may read; a page may have fewer. Raises BadCursor."""
    views = DocumentView.objects.annotate(name_key=Lower("name")).order_by("name_key")
    if cursor:
        (after,) = decode_cursor(cursor, str)
        if not after.isascii() or not after.isidentifier():
            raise BadCursor("the cursor's position is out of range")
        views = views.filter(name_key__gt=after)
    found = list(views.select_related("owner")[: limit + 1])
    is_readable = _permission(actor)
    shown = [
        view
        for view in found[:limit]
        if all(map(is_readable, filter(None, (view.source, view.joined_source))))
    ]
    more = encode_cursor(found[limit - 1].name.lower()) if len(found) > limit else ""
    return ViewList(rows=tuple(shown), next=more)


def _permission(actor: Actor) -> Callable[[str], bool]:
    return cache(lambda source: may_read(actor, source))


def _groups(
    view: DocumentView, order: str, cursor: str, limit: int
) -> tuple[tuple[GroupRow, ...], str]:
    name = order.removeprefix("-")
    is_descending = order.startswith("-")
    after, key = _place(cursor) if cursor else (None, "")
    statement = _GROUPS.format(
        sort="key::jsonb" if name == GROUP else "(result -> %(name)s)",
        beyond="<" if is_descending else ">",
        direction="desc" if is_descending else "asc",
    )
    given: dict[str, Any] = {
        "view": view.pk,
        "name": name,
        "after": after,
        "key": key,
        "limit": limit + 1,
    }
    with connection.cursor() as executed:
        executed.execute(statement, given)
        found: Sequence[tuple[str, str, int, str]] = executed.fetchall()
    rows = tuple(
        GroupRow(group=json.loads(key), count=count, values=json.loads(result))
        for key, _, count, result in found[:limit]
    )
    last = found[limit - 1] if len(found) > limit else None
    return rows, encode_cursor(last[1], last[0]) if last else ""


def _place(cursor: str) -> tuple[str, str]:
    """Return the JSON text of the last sorted value, and the last key."""
    after, key = decode_cursor(cursor, str, str)
    if "\0" in key or not _is_scalar(after):
        raise BadCursor("the cursor's position is out of range")
    return after, key


def _is_scalar(text: str) -> bool:
    """Return whether this is a JSON scalar that PostgreSQL can store."""
    if _NUMBER.fullmatch(text) or text in {"null", "true", "false"}:
        return True
    try:
        value = json.loads(text)
        return isinstance(value, str) and "\0" not in value and bool(value.encode() or True)
    except ValueError:
        return False


def state_of(view: DocumentView) -> str:
    """Return `building` until the view has all records of its sources, then `ready`."""
    return "building" if view.built_at is None else "ready"


def fresh_at(view: DocumentView) -> datetime | None:
    """Return when the view last changed, or when it was built."""
    return max(filter(None, (view.changed_at, view.built_at)), default=None)
