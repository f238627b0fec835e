"""Differences between locked releases and those that are current now."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.models import F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import MD5, Coalesce
from django.urls import reverse

from functions.models import Election, Function, LockedRelease, Release
from functions.names import name_key


class Difference(StrEnum):
    """The difference between the current release of a name and the locked one."""

    OWN = "own"  # another implementation of the function itself, or another text of it
    THROUGH_OTHERS = "through_others"  # only what it uses differs
    GONE = "gone"  # no release is current


@dataclass(frozen=True, slots=True, kw_only=True)
class LockChange:
    """A locked release and the current one of the same name.

    `through` are the functions of the lock whose own change reaches it. `elected_at`, `cause` and
    `by` are of the function's last election since the locked release, if it had one.
    """

    name: str
    locked: Release
    current: Release | None
    difference: Difference
    through: tuple[str, ...]
    cause: str
    by: str
    elected_at: datetime | None

    @property
    def former(self) -> int:
        return self.locked.number

    @property
    def latter(self) -> int | None:
        return self.current.number if self.current else None

    @property
    def yanked(self) -> str:
        return self.locked.yanked

    @property
    def at(self) -> datetime | None:
        """The time since which it differs."""
        return self.current.created_at if self.current else self.locked.yanked_at

    @property
    def diff_url(self) -> str:
        """The page that compares the implementations; empty if they don't differ, or can't be."""
        locked, current = self.locked, self.current
        if current is None or current.function_id != locked.function_id:
            return ""
        if current.implementation_id == locked.implementation_id:
            return ""
        page = reverse("difference", args=["implementation", current.implementation_id])
        return f"{page}?against={locked.implementation_id}"


def with_state(rows: QuerySet[LockedRelease]) -> QuerySet[LockedRelease]:
    """Annotate locked releases with the present state of their names.

    `current` is the number of the current release (0: none), and `cause` a hash of the cause of the
    election that is under way (empty: none is).
    """
    latest = Release.objects.filter(name_key=OuterRef("name_key"), yanked="").order_by("-number")
    undecided = Function.objects.filter(
        Q(judging=True) | Q(proposed__isnull=False), name_key=OuterRef("name_key"), deleted_at=None
    )
    return rows.annotate(
        current=Coalesce(Subquery(latest.values("number")[:1]), 0),
        cause=Coalesce(Subquery(undecided.values(hash=MD5("due_to"))[:1]), Value("")),
    )


def not_told(rows: QuerySet[LockedRelease]) -> QuerySet[LockedRelease]:
    """Return the locked releases whose canary was told another state than the present one."""
    return with_state(rows).filter(
        ~Q(current=F("told_number"))
        | ~Q(release__yanked=F("told_yanked"))
        | ~Q(cause=F("told_cause"))
    )


def changes_of(rows: Collection[LockedRelease]) -> list[LockChange]:
    """Return what differs now in the locked releases of one canary, by name."""
    current = _current_releases(row.name_key for row in rows)
    differing = {
        row.name_key: (row.release, current.get(row.name_key))
        for row in rows
        if (now := current.get(row.name_key)) is None or now.pk != row.release_id
    }
    own = {key for key, (locked, now) in differing.items() if now is None or _is_own(locked, now)}
    edges = {key: _needs(locked, now) for key, (locked, now) in differing.items()}
    elections = _elections(differing.values())
    names = {row.name_key: row.release.name for row in rows}
    return [
        _change(
            locked,
            now,
            is_own=key in own,
            through=sorted(names[one] for one in _reach(key, edges) & own),
            election=elections.get(_function_of(locked, now)),
        )
        for key, (locked, now) in sorted(differing.items())
    ]


def _change(
    locked: Release,
    now: Release | None,
    *,
    is_own: bool,
    through: Sequence[str],
    election: Election | None,
) -> LockChange:
    if now is None:
        difference = Difference.GONE
    else:
        difference = Difference.OWN if is_own else Difference.THROUGH_OTHERS
    return LockChange(
        name=locked.name,
        locked=locked,
        current=now,
        difference=difference,
        through=tuple(through),
        cause=election.cause if election else "",
        by=election.by.get_username() if election and election.by else "",
        elected_at=election.created_at if election else None,
    )


def _current_releases(keys: Iterable[str]) -> dict[str, Release]:
    rows = Release.objects.filter(name_key__in=list(keys), yanked="")
    latest = rows.order_by("name_key", "-number").distinct("name_key")
    return {release.name_key: release for release in latest}


def _function_of(locked: Release, now: Release | None) -> int:
    """Return the function that has the name now, or had it last."""
    return (now or locked).function_id


def _is_own(locked: Release, now: Release) -> bool:
    return (locked.implementation_id, bytes(locked.source_sha256)) != (
        now.implementation_id,
        bytes(now.source_sha256),
    )


def _needs(*releases: Release | None) -> set[str]:
    return {name_key(name) for release in releases if release for name, _number in release.requires}


def _reach(key: str, edges: Mapping[str, Collection[str]]) -> set[str]:
    """Return the differing names that this one needs, directly or not."""
    found: set[str] = set()
    ahead = [key]
    while ahead:
        for other in edges.get(ahead.pop(), ()):
            if other in edges and other not in found and other != key:
                found.add(other)
                ahead.append(other)
    return found


def _elections(pairs: Iterable[tuple[Release, Release | None]]) -> dict[int, Election]:
    """Return the last election of each function since its locked release."""
    since = {_function_of(locked, now): locked.created_at for locked, now in pairs}
    rows: QuerySet[Any] = Election.objects.filter(function__in=since).select_related("by")
    last = rows.order_by("function", "-pk").distinct("function")
    return {one.function_id: one for one in last if one.created_at > since[one.function_id]}
