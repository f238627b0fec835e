"""Lists of collections."""

from dataclasses import dataclass

from django.db.models import Q

from functions.collections.rules import readable_collections
from functions.models import Collection
from functions.read_models.cursors import decode_place, encode_cursor, moment, since_epoch_us
from runner.registry import Actor


@dataclass(frozen=True, slots=True)
class CollectionPage:
    """A page of collections; `next` is the cursor of the next page."""

    rows: tuple[Collection, ...]
    next: str | None


def list_collections(
    actor: Actor, *, q: str = "", owner: str = "", cursor: str = "", limit: int = 50
) -> CollectionPage:
    """Return collections that the actor may read, changed last first. Raises BadCursor."""
    rows = readable_collections(actor).order_by("-changed_at", "-id")
    if q:
        rows = rows.filter(Q(name__icontains=q) | Q(description__icontains=q))
    if owner:
        rows = rows.filter(owner__username=owner)
    if cursor:
        us, last_id = decode_place(cursor, 2)
        at = moment(us)
        rows = rows.filter(Q(changed_at__lt=at) | Q(changed_at=at, id__lt=last_id))
    found = tuple(rows[: limit + 1])
    last = found[limit - 1] if len(found) > limit else None
    next_page = encode_cursor(since_epoch_us(last.changed_at), last.pk) if last else None
    return CollectionPage(found[:limit], next_page)
