"""What the package index says of releases."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max

from functions.errors import no_such
from functions.export.distribution import distribution_name
from functions.models import Function, Release, ReleaseFile
from functions.names import is_identifier
from functions.read_models.cursors import decode_place, encode_cursor

_RUNS = re.compile(r"[-_.]+")
_ENCODED = re.compile(r"0-((?:[0-9a-f]{2})+)")


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


def normalise(project: str) -> str:
    """Return the name of a project as installers normalise it."""
    return _RUNS.sub("-", project).lower()


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
    releases = Release.objects.filter(name_key=_name_key(project))
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


def _name_key(project: str) -> str:
    """Return the key of a function's name; that of none if there can't be one."""
    rest = project.removeprefix("sc-")
    if rest == project:
        return ""
    encoded = _ENCODED.fullmatch(rest)
    key = (
        bytes.fromhex(encoded[1]).decode("ascii", "replace") if encoded else rest.replace("-", "_")
    )
    return key if is_identifier(key) else ""
