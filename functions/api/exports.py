"""Endpoints of a function's exports."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Router
from pydantic import Field

from functions.api.problems import refusals
from functions.api.schemas import Answer
from functions.export import Piece, Release, TestPiece, package_name
from functions.read_models import function_or_404
from functions.read_models.exports import downloads
from functions.read_models.not_found import or_404
from functions.views.exports import file_response, release_for

router = Router(tags=["functions"])


class ExportFile(Answer):
    """A file of an export."""

    filename: str
    what: str
    url: str = Field(description="its address, relative to the site's")


class CreditShown(Answer):
    """An exported work and its author."""

    function: str
    number: int
    title: str
    author: str


class ExportShown(Answer):
    """An exported function; the same version always has the same bytes."""

    name: str
    version: str
    package: str = Field(description="the name to import")
    digest: str = Field(description="of the whole export; the files' ETag")
    files: list[ExportFile]
    implementations: list[CreditShown] = Field(description="dependencies first")
    tests: list[CreditShown]


@router.get(
    "/{name}/export/",
    response={200: ExportShown, **refusals(404, 409, 413, 429)},
    summary="List the files of an export",
)
def read_export(request: HttpRequest, name: str) -> ExportShown:
    """Return the files of an implemented function's export and the authors of its works."""
    release = release_for(request, function_or_404(name))
    bundle = release.bundle
    return ExportShown(
        name=bundle.name,
        version=release.version,
        package=package_name(bundle.name),
        digest=release.digest,
        files=_files(release),
        implementations=[_credit(piece.name, piece) for piece in (*bundle.pieces, *bundle.extras)],
        tests=[_credit(test.function, test) for test in bundle.tests],
    )


@router.get(
    "/{name}/export/{filename}",
    response={200: None, **refusals(404, 409, 413, 429)},
    summary="Download a file of an export",
)
def read_export_file(request: HttpRequest, name: str, filename: str) -> HttpResponse:
    """Return a file's bytes, or 304 if its ETag is the one in If-None-Match."""
    release = release_for(request, function_or_404(name))
    found = or_404(next((one for one in downloads(release) if one.filename == filename), None))
    return file_response(request, release.digest, found)


def _files(release: Release) -> list[ExportFile]:
    name = release.bundle.name
    return [
        ExportFile(
            filename=one.filename, what=one.what, url=reverse("download", args=[name, one.filename])
        )
        for one in downloads(release)
    ]


def _credit(function: str, work: Piece | TestPiece) -> CreditShown:
    return CreditShown(function=function, number=work.number, title=work.title, author=work.author)
