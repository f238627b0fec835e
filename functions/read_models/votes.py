"""Read models of a user's own votes and their history; only for this user."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet

from functions.models import Comment, Vote, VoteChange
from functions.read_models.cursors import decode_place, encode_cursor

_ITEMS = ("implementation", "test", "comment")
_LONG_TEXTS = ("implementation__code", "test__code", "comment__text")


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteRow:
    """A vote on an item, or a change of it; `former` is 0 for a vote itself."""

    kind: str
    item_id: int
    function: str
    label: str
    url: str  # empty if the item is deleted or hidden
    former: int
    value: int
    apart: bool  # counted apart, as an agent's
    at: datetime | None  # None: changed last before there was a history


@dataclass(frozen=True, slots=True, kw_only=True)
class VotePage:
    """A page of votes or changes, newest first; `next` is the next page's cursor, or empty."""

    rows: tuple[VoteRow, ...]
    next: str


def own_votes(user: User, *, cursor: str = "", limit: int = 50) -> VotePage:
    """Return this user's present votes, the last cast first. Raises BadCursor."""
    votes = Vote.objects.filter(voter=user).exclude(value=0)
    votes = votes.select_related(*(f"{item}__function" for item in _ITEMS)).defer(*_LONG_TEXTS)
    return _page(votes, cursor, limit, lambda vote: _row(vote, 0, vote.value, vote.changed_at))


def own_vote_changes(user: User, *, cursor: str = "", limit: int = 50) -> VotePage:
    """Return all changes of this user's votes, the latest first. Raises BadCursor."""
    changes = VoteChange.objects.filter(voter=user)
    changes = changes.select_related(*(f"vote__{item}__function" for item in _ITEMS))
    changes = changes.defer(*(f"vote__{text}" for text in _LONG_TEXTS))
    return _page(
        changes,
        cursor,
        limit,
        lambda one: _row(one.vote, one.former, one.value, one.changed_at),
    )


def _page(
    found: QuerySet[Any], cursor: str, limit: int, row_of: Callable[[Any], VoteRow]
) -> VotePage:
    if cursor:
        found = found.filter(pk__lt=decode_place(cursor, 1)[0])
    rows: Sequence[Any] = list(found.order_by("-pk")[: limit + 1])
    more = encode_cursor(rows[limit - 1].pk) if len(rows) > limit else ""
    return VotePage(rows=tuple(map(row_of, rows[:limit])), next=more)


def _row(vote: Vote, former: int, value: int, at: datetime | None) -> VoteRow:
    item = vote.implementation or vote.test or vote.comment
    if item is None:  # the database refuses such votes
        raise TypeError("a vote is on an item")
    is_comment = isinstance(item, Comment)
    is_gone = item.function.deleted_at is not None or (
        isinstance(item, Comment) and (item.deleted_at or item.hidden_at) is not None
    )
    return VoteRow(
        kind=item.noun,
        item_id=item.pk,
        function=item.function.name,
        label="" if is_comment else str(item),
        url="" if is_gone else item.get_absolute_url(),
        former=former,
        value=value,
        apart=vote.apart,
        at=at,
    )
