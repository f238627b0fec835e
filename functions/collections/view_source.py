"""Collections as sources of document views: `collection:<id>`, which people write by name."""

from functions.collections.rules import may_read_all
from functions.document_views.sources import Record, register_source
from functions.models import Collection, Item
from functions.names import name_key
from runner.registry import Actor

KIND = "collection"
MAX_DIGITS = 18


def read_page(source: str, after: str, limit: int) -> list[Record]:
    """Return the next items of a collection, in the order of their ids."""
    items = Item.objects.filter(collection=_id_in(source), pk__gt=int(after or 0))
    rows = items.order_by("pk").values_list("pk", "value")[:limit]
    return [Record(str(pk), value) for pk, value in rows]


def resolve(_actor: Actor, stated: str) -> str | None:
    """Return the source of a collection that is named as `collection:<name or id>`."""
    word = stated.partition(":")[2]
    found = Collection.objects.filter(name_key=name_key(word))
    if _is_id(word):
        found = Collection.objects.filter(pk=word)
    pk = found.values_list("pk", flat=True).first()
    return None if pk is None else f"{KIND}:{pk}"


def may_read(actor: Actor, source: str) -> bool:
    """Return whether the actor may read all items."""
    collection = Collection.objects.filter(pk=_id_in(source)).first()
    return collection is not None and may_read_all(actor, collection)


def _id_in(source: str) -> int:
    word = source.partition(":")[2]
    return int(word) if _is_id(word) else 0


def _is_id(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) <= MAX_DIGITS


def register() -> None:
    """Let document views be made of collections."""
    register_source(KIND, read_page, resolve=resolve, may_read=may_read)
