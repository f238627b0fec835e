"""Builds the files of releases, after the elections that have recorded them."""

import hashlib
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import DatabaseError, transaction
from django.urls import reverse
from django.utils import timezone

from functions.analysis.client import distribution_files
from functions.errors import Refusal, TooOften, Unavailable
from functions.export.bundle import Piece, TestPiece, libraries_of
from functions.export.distribution import Distribution, Requirement
from functions.export.sdist import distribution_sdist
from functions.export.wheel import distribution_wheel
from functions.models import Cell, Dependency, Release, ReleaseFile, Test, Work
from functions.read_models.exports import exported_piece, exported_test
from runner.programs.program import source_hash
from runner.programs.sources import read_sources

log = logging.getLogger(__name__)

BUILT_AT_ONCE = 20
RETRIED_DAYS = 7
OWNER = "releases"  # of the analyses


class SourceGone(Exception):
    """The module of a release isn't stored any more."""


def build_releases(_cursor: int) -> int:
    """Build releases that have no files yet, the oldest first; called by the sweeper.

    Returns 1 if there may be more, else 0.
    """
    unbuilt = Release.objects.filter(built_at=None, build_error="").order_by("pk")
    ids = list(unbuilt.values_list("pk", flat=True)[:BUILT_AT_ONCE])
    try:
        for pk in ids:
            build_release(pk)
    except (TooOften, Unavailable):
        return 0  # source can't be analysed now
    return int(len(ids) == BUILT_AT_ONCE)


def retry_releases(_cursor: int) -> int:
    """Have releases of the last days built that failed: a machine may have been too busy."""
    since = timezone.now() - timedelta(days=RETRIED_DAYS)
    failed = Release.objects.filter(built_at=None, created_at__gte=since)
    failed.exclude(build_error="").update(build_error="")
    return 0


def build_release(release_id: int) -> None:
    """Build a release's files and store them, once. Raises Unavailable and TooOften for now."""
    release = Release.objects.select_related("function__owner", "implementation__author").get(
        pk=release_id
    )
    try:
        distribution = _load(release)
    except (Unavailable, TooOften):
        raise
    except DatabaseError:
        raise
    except Exception as fault:
        # One that can't be built must not keep others from it.
        if not isinstance(fault, Refusal | SourceGone):
            log.exception("%s can't be built", release)
        Release.objects.filter(pk=release_id).update(build_error=str(fault)[:300] or repr(fault))
        return
    wheel_name, wheel = distribution_wheel(distribution)
    sdist_name, sdist = distribution_sdist(distribution)
    with transaction.atomic():
        locked = Release.objects.select_for_update(no_key=True).get(pk=release_id)
        if locked.built_at is not None:
            return
        ReleaseFile.objects.bulk_create(
            [
                _file(locked, wheel_name, wheel, distribution.metadata),
                _file(locked, sdist_name, sdist),
            ]
        )
        locked.built_at = timezone.now()
        locked.save(update_fields=["built_at"])


def _file(release: Release, filename: str, content: bytes, metadata: str = "") -> ReleaseFile:
    return ReleaseFile(
        release=release,
        filename=filename,
        sha256=hashlib.sha256(content).hexdigest(),
        size=len(content),
        content=content,
        metadata=metadata,
        metadata_sha256=hashlib.sha256(metadata.encode()).hexdigest() if metadata else "",
    )


def _load(release: Release) -> Distribution:
    """Return a release with the text of its files."""
    used = _pieces(_releases_of(release.requires))
    [piece] = _pieces([release])
    piece = replace(piece, uses=tuple(each.name for each in used))
    tests, by_tests = _load_tests(release)
    used_by_tests = _pieces(by_tests.values())
    files = distribution_files(
        {
            "piece": asdict(piece),
            "used": [asdict(each) for each in used],
            "tests": [asdict(test) for test in tests],
            "used_by_tests": [asdict(each) for each in used_by_tests],
            "circle": sorted({*release.circle} - {release.name}),
        },
        owner=OWNER,
    )
    site = settings.PUBLIC_URL
    return Distribution(
        piece=piece,
        number=release.number,
        requires=tuple(Requirement(name=name, number=number) for name, number in release.requires),
        libraries=tuple(libraries_of([piece])),
        test_requires=(
            "pytest",
            *libraries_of(tests),
            *(
                Requirement(name=each.name, number=each.number).specifier
                for each in by_tests.values()
            ),
        ),
        tests=tuple(tests),
        files=files,
        address=f"{site}{reverse('function', args=[release.name])}",
        results=_results(release, tests, site),
    )


def _releases_of(requires: Iterable[tuple[str, int]]) -> list[Release]:
    """Return these releases, in this order."""
    wanted = [(name, number) for name, number in requires]
    rows = Release.objects.filter(name__in=[name for name, _ in wanted]).select_related(
        "function__owner", "implementation__author"
    )
    found = {(row.name, row.number): row for row in rows}
    return [found[one] for one in wanted]


def _pieces(releases: Iterable[Release]) -> list[Piece]:
    rows = list(releases)
    own = {bytes(source_hash(row.implementation.module_source)) for row in rows}
    revised = [
        bytes(row.source_sha256).hex() for row in rows if bytes(row.source_sha256) not in own
    ]
    texts = read_sources(revised) if revised else {}
    return [_piece(row, texts) for row in rows]


def _piece(release: Release, texts: Mapping[str, str]) -> Piece:
    work = release.implementation
    code = work.module_source
    if source_hash(code) != bytes(release.source_sha256):
        code = texts.get(bytes(release.source_sha256).hex(), "")
        if not code:
            raise SourceGone("its source is not stored any more")
    piece = exported_piece(release.function, work, code=code, uses=())
    return replace(piece, name=release.name)  # the function may have been renamed since


def _load_tests(release: Release) -> tuple[list[TestPiece], dict[int, Release]]:
    """Return the tests that count, and the releases of what they use, by function.

    Tests that use what has no release are left out.
    """
    tests = (
        Test.objects.filter(
            function=release.function,
            state=Work.State.PUBLISHED,
            counts=True,
            language=Work.Language.PYTHON,
        )
        .select_related("author", "function")
        .order_by("number")
    )
    rows = Dependency.objects.filter(test__in=tests).exclude(name_key=release.name_key)
    links: dict[int, list[tuple[str, int | None]]] = {}
    for test, name, target in rows.values_list("test", "name", "target"):
        links.setdefault(test, []).append((name, target))
    targets = {target for each in links.values() for _, target in each if target}
    latest = {
        row.function_id: row
        for row in Release.objects.filter(function__in=targets, yanked="")
        .select_related("function__owner", "implementation__author")
        .order_by("function", "-number")
        .distinct("function")
    }
    taken = [
        test for test in tests if all(target in latest for _, target in links.get(test.pk, ()))
    ]
    pieces = [
        replace(
            exported_test(test, uses=tuple(sorted(name for name, _ in links.get(test.pk, ())))),
            function=release.name,
        )
        for test in taken
    ]
    needed = {target for test in taken for _, target in links.get(test.pk, ()) if target}
    return pieces, {pk: latest[pk] for pk in sorted(needed, key=lambda pk: latest[pk].name)}


def _results(release: Release, tests: Sequence[TestPiece], site: str) -> dict[str, str]:
    """Return the addresses of the records of what the implementation has passed."""
    cells = Cell.objects.filter(
        implementation=release.implementation,
        test__function=release.function,
        test__number__in=[test.number for test in tests],
        verdict="passed",
    ).exclude(result_key=None)
    rows: Iterable[tuple[Any, Any]] = cells.order_by("test__number").values_list(
        "test__number", "result_key"
    )
    return {
        f"T{number}": f"{site}{reverse('result', args=[bytes(key).hex()])}" for number, key in rows
    }
