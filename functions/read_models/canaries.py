"""One's registered projects, and what differs from their locks now."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from django.db.models import Count, F, Q

from functions.canaries.changes import LockChange, changes_of, with_state
from functions.models import Canary, LockedRelease, Release
from functions.read_models.cursors import decode_place, encode_cursor
from functions.read_models.snapshot import snapshot
from runner.registry import Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryRow:
    """A registered project with the number of its locked releases, and of those that differ now."""

    canary: Canary
    locked: int
    differing: int
    releases: tuple[Release, ...] = ()  # by name; not in lists


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryPage:
    """A page of projects, the newest first; `next` is the cursor of the next page, or empty."""

    rows: tuple[CanaryRow, ...]
    next: str


def canary_page(actor: Actor, *, cursor: str = "", limit: int = 50) -> CanaryPage:
    """Return the projects that the actor has registered. Raises BadCursor."""
    with snapshot():
        found = Canary.objects.filter(owner=actor.pk).order_by("-pk")
        if cursor:
            found = found.filter(pk__lt=decode_place(cursor, 1)[0])
        canaries = list(found[: limit + 1])
        rows = _rows(canaries[:limit])
    more = encode_cursor(canaries[limit - 1].pk) if len(canaries) > limit else ""
    return CanaryPage(rows=tuple(rows), next=more)


def canary_row(canary: Canary) -> CanaryRow:
    """Return a project with its counts and its lock."""
    with snapshot():
        (row,) = _rows([canary])
        releases = tuple(locked.release for locked in _locked_releases(canary))
    return replace(row, releases=releases)


def canary_of(actor: Actor, canary_id: int) -> Canary | None:
    """Return the project if the actor has registered it."""
    return Canary.objects.select_related("webhook").filter(pk=canary_id, owner=actor.pk).first()


def canary_changes(canary: Canary) -> list[LockChange]:
    """Return what differs now from a project's lock, by name."""
    with snapshot():
        return changes_of(_locked_releases(canary))


def _rows(canaries: Collection[Canary]) -> list[CanaryRow]:
    counts: Mapping[int, tuple[int, int]] = {
        pk: (locked, differing)
        for pk, locked, differing in with_state(LockedRelease.objects.filter(canary__in=canaries))
        .values("canary")
        .annotate(
            locked=Count("pk"), differing=Count("pk", filter=~Q(current=F("release__number")))
        )
        .values_list("canary", "locked", "differing")
    }
    return [
        CanaryRow(canary=canary, locked=locked, differing=differing)
        for canary in canaries
        for locked, differing in [counts.get(canary.pk, (0, 0))]
    ]


def _locked_releases(canary: Canary) -> list[LockedRelease]:
    return list(canary.locked.select_related("release").order_by("name_key"))
