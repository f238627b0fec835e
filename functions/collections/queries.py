"""Collections and their items, as far as somebody may read them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import connection

from functions.collections.rules import may_read_all, readable_items, require_reader
from functions.errors import no_such
from functions.json_data.query import Query, encode_cursor
from functions.json_data.query_sql import render
from functions.models import Collection, Item
from functions.names import name_key
from runner.registry import Actor

MAX_ID = 2**63 - 1

_ITEMS = """
    SELECT i.id, i.version, u.username, i.created_at, i.changed_at, i.value::text,
        ({position})::text
    FROM functions_item i JOIN auth_user u ON u.id = i.author_id
    WHERE i.collection_id = %(collection)s AND {author} AND {where}
    ORDER BY {order_by} LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRow:
    """An item; `author` is a user name."""

    id: int
    version: int
    author: str
    created_at: datetime
    changed_at: datetime
    value: Any


@dataclass(frozen=True, slots=True)
class ItemPage:
    """A page of items; `next` is the cursor of the next page."""

    rows: tuple[ItemRow, ...]
    next: str | None


def collection_or_404(actor: Actor, name: str) -> Collection:
    """Return the collection of this name, if the actor may read of it."""
    rows = Collection.objects.select_related("owner").filter(name_key=name_key(name))
    found = rows.first()
    if found is None:
        raise no_such("collection")
    require_reader(actor, found)
    return found


def item_page(actor: Actor, collection: Collection, query: Query) -> ItemPage:
    """Return the items that match the query and that the actor may read, in its order."""
    require_reader(actor, collection)
    rendered = render(query, column="i.value", id_column="i.id")
    statement = _ITEMS.format(
        position=rendered.position,
        author="TRUE" if may_read_all(actor, collection) else "i.author_id = %(reader)s",
        where=rendered.where,
        order_by=rendered.order_by,
    )
    given = {"collection": collection.pk, "reader": actor.pk, "limit": query.limit + 1}
    with connection.cursor() as cursor:
        cursor.execute(statement, {**rendered.parameters, **given})
        found = cursor.fetchall()
    page = tuple(_rows(found[: query.limit]))
    has_more = len(found) > query.limit
    last = json.loads(found[query.limit - 1][-1]) if has_more else None
    return ItemPage(page, encode_cursor(query, last) if last else None)


def item_or_404(actor: Actor, collection: Collection, item_id: int) -> ItemRow:
    """Return an item that the actor may read."""
    items = readable_items(actor, collection).select_related("author")
    item = items.filter(pk=item_id).first() if item_id <= MAX_ID else None
    if item is None:
        raise no_such("item")
    return item_row(item)


def item_row(item: Item) -> ItemRow:
    """Return an item with its author's name."""
    author: User = item.author
    return ItemRow(
        id=item.pk,
        version=item.version,
        author=author.get_username(),
        created_at=item.created_at,
        changed_at=item.changed_at,
        value=item.value,
    )


def _rows(found: list[tuple[Any, ...]]) -> Iterator[ItemRow]:
    for pk, version, author, created_at, changed_at, value, _position in found:
        yield ItemRow(
            id=pk,
            version=version,
            author=author,
            created_at=created_at,
            changed_at=changed_at,
            value=json.loads(value),
        )
