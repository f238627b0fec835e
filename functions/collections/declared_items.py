"""Items of the collections that pages and functions declare, as they get them."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl

from functions.collections.queries import collection_or_404, item_page
from functions.collections.rules import may_read_all
from functions.errors import Forbidden, Refusal
from functions.errors import gettext as _
from functions.json_data.query import parse_query
from functions.kinds import kind_of_work
from functions.kinds.collection_reads import CollectionRead
from functions.models import Collection, Implementation
from runner.registry import Actor

MAX_READS = 10
# Published code doesn't change.
MAX_CACHED = 1_000


@lru_cache(maxsize=MAX_CACHED)
def reads_of(implementation_id: int) -> tuple[CollectionRead, ...]:
    """Return what a published implementation declares."""
    work = Implementation.objects.select_related("function").get(pk=implementation_id)
    return tuple(kind_of_work(work).find_reads(work.code))


def read_items(
    actor: Actor, function: str, reads: Sequence[CollectionRead]
) -> dict[str, list[dict[str, Any]]]:
    """Return the items that the actor may read, by variable: the first page of each query.

    A page or function gets only collections that everyone may read or whose owner has listed it.
    Otherwise a page could be written to pass on what its visitors alone may read.

    Each item has the members `id`, `version`, `author` and `value`. Raises a Refusal that names the
    declaration.
    """
    if len(reads) > MAX_READS:
        message = _("A page or function reads at most %(limit)s collections.") % {
            "limit": MAX_READS
        }
        raise Refusal("too_many_collections", message)
    return {read.variable: _read(actor, function, read) for read in reads}


def followed_collections(actor: Actor, reads: Iterable[CollectionRead]) -> list[Collection]:
    """Return the collections of which the actor may follow all changes."""
    found = {}
    for read in reads:
        try:
            collection = collection_or_404(actor, read.collection)
        except Refusal:
            continue
        if may_read_all(actor, collection):
            found[collection.pk] = collection
    return list(found.values())


def _read(actor: Actor, function: str, read: CollectionRead) -> list[dict[str, Any]]:
    try:
        collection = collection_or_404(actor, read.collection)
        if not (collection.is_public or collection.lists(function)):
            message = _("Its owner has not listed %(name)s.") % {"name": function}
            raise Forbidden("page_not_allowed", message)
        query = parse_query(parse_qsl(read.query, keep_blank_values=True))
        rows = item_page(actor, collection, query).rows
    except Refusal as refusal:
        refusal.message = f"{read.collection}: {refusal.message}"
        raise
    return [
        {"id": row.id, "version": row.version, "author": row.author, "value": row.value}
        for row in rows
    ]
