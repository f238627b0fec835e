"""Read models of one work, of a function's works and of a user's drafts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from functions.models import Function, Implementation, Test, Work
from functions.read_models.cursors import (
    MAX_ID,
    BadCursor,
    decode_cursor,
    decode_place,
    encode_cursor,
    moment,
    since_epoch_us,
)
from functions.read_models.draft import work_card
from functions.read_models.links import links_of_works
from functions.read_models.snapshot import snapshot
from functions.read_models.works import (
    ImplementationCard,
    TestCard,
    implementation_card,
    test_card,
    visible,
)
from runner.registry import Actor

Card = ImplementationCard | TestCard
# Published works go with a deleted function; drafts stay visible to their authors.
AT_HAND = Q(function__deleted_at=None) | Q(state=Work.State.DRAFT)
_MODELS: tuple[type[Any], ...] = (Test, Implementation)  # of one instant: the later kind first
Place = tuple[datetime, int, int]  # when, the kind's rank, the row


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkPage:
    """A page of works, newest first; `next` is the next page's cursor, or empty."""

    rows: tuple[Card, ...]
    next: str


def work_of_id(model: type[Any], pk: int, actor: Actor) -> Card | None:
    """Return a work for this reader; None if it doesn't exist or is somebody else's draft."""
    if not 0 <= pk <= MAX_ID:
        return None
    with snapshot():
        found = visible(model.objects.filter(AT_HAND, pk=pk), actor.pk)
        work = found.select_related("function").first()
        return work_card(work, actor) if work else None


def works_of_function(
    function: Function,
    model: type[Any],
    actor: Actor,
    *,
    state: str = "",
    author: str = "",
    cursor: str = "",
    limit: int = 50,
) -> WorkPage:
    """Return a function's works that this reader may see, newest first. Raises BadCursor."""
    with snapshot():
        works: QuerySet[Any] = visible(model.objects.filter(function=function), actor.pk)
        works = works.filter(state=state) if state else works
        works = works.filter(author__username__iexact=author) if author else works
        works = works.filter(pk__lt=decode_place(cursor, 1)[0]) if cursor else works
        rows = list(works.select_related("function").order_by("-pk")[: limit + 1])
        return WorkPage(
            rows=_cards(rows[:limit], actor),
            next=encode_cursor(rows[limit - 1].pk) if len(rows) > limit else "",
        )


def drafts_of(actor: Actor, *, cursor: str = "", limit: int = 50) -> WorkPage:
    """Return this user's drafts of all functions, newest first. Raises BadCursor."""
    place = _read(cursor) if cursor else None
    with snapshot():
        rows = [row for model in _MODELS for row in _drafts(model, actor, place)[: limit + 1]]
        rows.sort(key=_place, reverse=True)
        return WorkPage(
            rows=_cards(rows[:limit], actor),
            next=_write(rows[limit - 1]) if len(rows) > limit else "",
        )


def _drafts(model: type[Any], actor: Actor, place: Place | None) -> QuerySet[Any]:
    own = model.objects.filter(author_id=actor.pk, state=Work.State.DRAFT)
    works: QuerySet[Any] = visible(own, actor.pk).select_related("function")
    works = works.order_by("-created_at", "-pk")
    if place is None:
        return works
    at, rank, pk = place
    own_rank = _rank(model)
    if own_rank > rank:
        return works.filter(created_at__lt=at)
    works = works.filter(created_at__lte=at)
    return works if own_rank < rank else works.filter(Q(created_at__lt=at) | Q(pk__lt=pk))


def _cards(works: Sequence[Any], actor: Actor) -> tuple[Card, ...]:
    links, test_links = links_of_works(
        implementations=[work.pk for work in works if work.noun == Implementation.noun],
        tests=[work.pk for work in works if work.noun == Test.noun],
    )
    return tuple(
        implementation_card(work, work.function, actor, links.get(work.pk, ()))
        if work.noun == Implementation.noun
        else test_card(work, work.function, actor, test_links.get(work.pk, ()))
        for work in works
    )


def _rank(model: type[Any]) -> int:
    return len(_MODELS) - _MODELS.index(model)


def _place(work: Any) -> Place:
    return work.created_at, _rank(type(work)), work.pk


def _write(work: Any) -> str:
    at, rank, pk = _place(work)
    return encode_cursor(since_epoch_us(at), rank, pk)


def _read(cursor: str) -> Place:
    us, rank, pk = decode_cursor(cursor, int, int, int)
    if not (0 <= us <= MAX_ID and 0 <= rank <= len(_MODELS) and 0 <= pk <= MAX_ID):
        raise BadCursor("the cursor's position is out of range")
    return moment(us), rank, pk
