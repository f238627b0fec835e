"""Adds, replaces, merges and deletes items.

Each write locks the collection, so that its counts are exact and its events in order, and publishes
one event in its transaction.
"""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Sum
from django.utils import timezone
from django.utils.translation import gettext as _

from functions.collections.rules import readable_items, require_adder, require_changer
from functions.collections.schema import check_item
from functions.document_views.changes import Change, record_changes
from functions.errors import Conflict, Outdated, Refusal, no_such
from functions.json_data.merge import merge
from functions.json_data.values import are_equal, check_value, size_of
from functions.locks import lock_collection
from functions.models import Collection, Item
from runner.pipelines.outbox import append_event
from runner.registry import Actor

MAX_ITEM_BYTES = 64 * 1024


@transaction.atomic
def add_item(*, actor: Actor, collection: Collection, value: Any) -> Item:
    """Add an item, whose author is the actor."""
    value, size = _checked(value)
    locked = lock_collection(collection.pk)
    author = require_adder(actor, locked)
    check_item(locked, value)
    _check_room(locked, size, count=1)
    item = Item.objects.create(collection=locked, author=author, value=value, bytes=size)
    _count(locked, items=1, size=size)
    _publish(item, None, value)
    return item


def replace_item(
    *, actor: Actor, collection: Collection, item_id: int, value: Any, expected_version: int | None
) -> Item:
    """Replace an item's value."""
    return _change(actor, collection, item_id, expected_version, lambda _former: value)


def merge_item(
    *, actor: Actor, collection: Collection, item_id: int, patch: Any, expected_version: int | None
) -> Item:
    """Change an item's value by a merge patch (RFC 7396)."""
    return _change(
        actor,
        collection,
        item_id,
        expected_version,
        lambda former: merge(former, patch, field="value"),
    )


@transaction.atomic
def delete_item(
    *, actor: Actor, collection: Collection, item_id: int, expected_version: int | None
) -> None:
    """Delete an item."""
    locked, item = _locked(actor, collection, item_id, expected_version)
    former, size = item.value, item.bytes
    _count(locked, items=-1, size=-size)
    Item.objects.filter(pk=item.pk).delete()
    item.version += 1
    _publish(item, former, None)


@transaction.atomic
def _change(
    actor: Actor,
    collection: Collection,
    item_id: int,
    expected_version: int | None,
    value_after: Callable[[Any], Any],
) -> Item:
    locked, item = _locked(actor, collection, item_id, expected_version)
    former = item.value
    value, size = _checked(value_after(former))
    if are_equal(value, former):
        return item
    check_item(locked, value)
    _check_room(locked, size - item.bytes, count=0)
    _count(locked, items=0, size=size - item.bytes)
    item.value, item.bytes = value, size
    item.version += 1
    item.changed_at = timezone.now()
    item.save(update_fields=["value", "bytes", "version", "changed_at"])
    _publish(item, former, value)
    return item


def _locked(
    actor: Actor, collection: Collection, item_id: int, expected_version: int | None
) -> tuple[Collection, Item]:
    """Lock a collection, and return it and an item that the actor may change."""
    locked = lock_collection(collection.pk)
    item = readable_items(actor, locked).filter(pk=item_id).first()
    if item is None:
        raise no_such("item")
    require_changer(actor, locked, item)
    if expected_version not in (None, item.version):
        raise Outdated
    item.collection = locked
    return locked, item


def _checked(value: Any) -> tuple[Any, int]:
    """Return an item's value as it is stored, and its bytes. Raises a Refusal if it can't be."""
    if not isinstance(value, dict):
        raise Refusal("invalid_value", _("An item is a JSON object, {...}."), field="value")
    stored = check_value(value, field="value", max_bytes=MAX_ITEM_BYTES)
    return stored, size_of(stored)


def _check_room(collection: Collection, more_bytes: int, *, count: int) -> None:
    most = settings.ITEMS_PER_COLLECTION
    if collection.item_count + count > most:
        message = _("This collection has %(limit)s items, as many as it may; delete some first.")
        raise Conflict("too_many_items", message % {"limit": f"{most:,}"})
    if more_bytes <= 0:
        return
    owned = Collection.objects.filter(owner=collection.owner_id)
    used = owned.aggregate(total=Sum("item_bytes"))["total"] or 0
    if used + more_bytes > settings.COLLECTION_BYTES_PER_USER:
        message = _(
            "The collections of this owner have %(limit)s bytes, as many as they may; delete items "
            "first."
        )
        message %= {"limit": f"{settings.COLLECTION_BYTES_PER_USER:,}"}
        raise Conflict("too_many_bytes", message)


def _count(collection: Collection, *, items: int, size: int) -> None:
    collection.item_count += items
    collection.item_bytes += size
    collection.changed_at = timezone.now()
    collection.save(update_fields=["item_count", "item_bytes", "changed_at"])


def _publish(item: Item, before: Any | None, after: Any | None) -> None:
    """Publish a change of an item, also to views; its value is null once it is deleted."""
    change = "added" if before is None else "deleted" if after is None else "changed"
    payload = {
        "id": item.pk,
        "version": item.version,
        "change": change,
        "value": after,
    }
    append_event(item.collection.topic, "item.changed", payload)
    record_changes(f"collection:{item.collection_id}", [Change(str(item.pk), before, after)])
