"""Releases as the package index shows them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max

from functions.errors import no_such
from functions.export.distribution import distribution_name, function_of_project
from functions.models import Function, Release, ReleaseFile
from functions.read_models.cursors import decode_place, encode_cursor


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexFile:
    """A file of a project; `metadata_sha256` is empty unless it is a wheel."""

    filename: str
    version: str
    sha256: str
    size: int
    created_at: datetime
    yanked: str  # the reason; empty if it isn't
    metadata_sha256: str


def newest_project() -> int:
    """Return a number that changes with each new project, and with nothing else."""
    # Releases are never deleted, so the last first release tells whether there is a new name.
    return Release.objects.filter(number=1).aggregate(last=Max("pk"))["last"] or 0


def project_names(newest: int) -> list[str]:
    """Return the names of all projects until this one, in order."""
    names = Release.objects.filter(number=1, pk__lte=newest).values_list("name_key", flat=True)
    return sorted(map(distribution_name, names))


def files_of(project: str) -> list[IndexFile]:
    """Return the files of a project, the oldest release first. Raises NotFound."""
    releases = Release.objects.filter(name_key=function_of_project(project))
    if not releases.exists():
        raise no_such("project")
    rows = ReleaseFile.objects.filter(release__in=releases).order_by("release__number", "filename")
    return list(_shown(rows.select_related("release").defer("content", "metadata")))


@dataclass(frozen=True, slots=True)
class ReleasePage:
    """A page of releases, the newest first; `next` is the next page's cursor, or empty."""

    rows: tuple[Release, ...]
    next: str


def release_page(function: Function, *, cursor: str = "", limit: int = 20) -> ReleasePage:
    """Return a function's releases with their implementations. Raises BadCursor."""
    rows = function.releases.select_related("implementation__author").order_by("-number")
    rows = rows.defer("implementation__code", "implementation__generated")
    if cursor:
        rows = rows.filter(number__lt=decode_place(cursor, 1)[0])
    found = tuple(rows[: limit + 1])
    following = encode_cursor(found[limit - 1].number) if len(found) > limit else ""
    return ReleasePage(found[:limit], following)


def _shown(rows: Iterable[ReleaseFile]) -> Iterator[IndexFile]:
    for row in rows:
        release = row.release
        yield IndexFile(
            filename=row.filename,
            version=str(release.number),
            sha256=row.sha256,
            size=row.size,
            created_at=release.created_at,
            yanked=str(Release.Yanked(release.yanked).label) if release.yanked else "",
            metadata_sha256=row.metadata_sha256,
        )
