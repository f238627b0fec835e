"""Read models of a user's flags, and of staff's queue."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from functions.models import Flag
from functions.moderation.flags import find_items
from functions.read_models.cursors import decode_place, encode_cursor
from runner.registry import Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagRow:
    """A flag with its resolution.

    `function` is empty for a profile, `url` if the item was deleted.
    """

    id: int
    kind: str
    function: str
    label: str
    url: str
    flagger: str
    reason: str
    state: str
    words: str
    resolver: str
    note: str
    created_at: datetime
    resolved_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagPage:
    """A page of flags; `next` is the next page's cursor, or empty."""

    rows: tuple[FlagRow, ...]
    next: str


def own_flags(actor: Actor, *, cursor: str = "", limit: int = 50) -> FlagPage:
    """Return the flags of this user, newest first. Raises BadCursor."""
    return _page(Flag.objects.filter(flagger=actor.pk), cursor, limit)


def flag_queue(*, state: str = "", cursor: str = "", limit: int = 50) -> FlagPage:
    """Return everybody's flags, newest first. The caller checks permissions. Raises BadCursor."""
    found = Flag.objects.filter(state=state) if state else Flag.objects.all()
    return _page(found, cursor, limit)


def flag_rows(flags: Sequence[Flag]) -> tuple[FlagRow, ...]:
    """Return the rows of these flags, in one query for each kind of item."""
    items = find_items({(flag.kind, flag.item_id) for flag in flags})
    return tuple(
        FlagRow(
            id=flag.pk,
            kind=flag.kind,
            function=flag.function.name if flag.function else "",
            label=flag.label,
            url=item.url if (item := items.get((flag.kind, flag.item_id))) else "",
            flagger=flag.flagger.get_username(),
            reason=flag.reason,
            state=flag.state,
            words=flag.get_state_display(),
            resolver=flag.resolver.get_username() if flag.resolver else "",
            note=flag.note,
            created_at=flag.created_at,
            resolved_at=flag.resolved_at,
        )
        for flag in flags
    )


def _page(flags: QuerySet[Flag], cursor: str, limit: int) -> FlagPage:
    found = flags.select_related("function", "flagger", "resolver").order_by("-pk")
    if cursor:
        (last,) = decode_place(cursor, 1)
        found = found.filter(pk__lt=last)
    rows = list(found[: limit + 1])
    more = encode_cursor(rows[limit - 1].pk) if len(rows) > limit else ""
    return FlagPage(rows=flag_rows(rows[:limit]), next=more)
