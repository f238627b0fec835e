"""Undefined names that published code uses."""

from dataclasses import dataclass

from django.db.models import Count, Min, Q
from django.db.models.functions import Coalesce

from functions.models import Dependency, Work
from functions.read_models.cursors import MAX_ID, BadCursor, decode_cursor, encode_cursor

MAX_NAMES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedName:
    """A name in its first spelling, with the number of functions that use it."""

    name: str
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedPage:
    """A page of undefined names, most used first."""

    rows: tuple[WantedName, ...]
    next: str | None


def wanted_names(*, cursor: str = "", limit: int = 50) -> WantedPage:
    """Return undefined names, most used first. Raises BadCursor."""
    function = Coalesce("implementation__function", "test__function")
    rows = (
        Dependency.objects.filter(published("implementation") | published("test"), target=None)
        .values("name_key")
        .annotate(waiting=Count(function, distinct=True), spelled=Min("name"))
        .order_by("-waiting", "name_key")
    )
    if cursor:
        waiting, key = decode_cursor(cursor, int, str)
        if not (0 <= waiting <= MAX_ID and key.isidentifier()):
            raise BadCursor("the cursor's position is out of range")
        rows = rows.filter(Q(waiting__lt=waiting) | Q(waiting=waiting, name_key__gt=key))
    page = list(rows[: limit + 1])
    last = page[limit - 1] if len(page) > limit else None
    return WantedPage(
        rows=tuple(WantedName(name=row["spelled"], waiting=row["waiting"]) for row in page[:limit]),
        next=encode_cursor(last["waiting"], last["name_key"]) if last else None,
    )


def published(noun: str) -> Q:
    """Return the condition that a dependency is of a published work of this noun."""
    return Q(**{f"{noun}__state": Work.State.PUBLISHED, f"{noun}__function__deleted_at": None})
