"""Endpoint of results."""

from datetime import datetime
from typing import Annotated

from django.http import HttpRequest
from ninja import Router

from functions.api.problems import refusals
from functions.api.schemas import Answer, LogLineShown, convert
from functions.read_models import ResultPage, result_page
from functions.read_models.not_found import or_404

router = Router(tags=["results"])

StoredLine = Annotated[
    LogLineShown, convert(lambda line: dict(zip(LogLineShown.model_fields, line, strict=True)))
]


class ModuleNamed(Answer):
    """A module of the program and the SHA-256 of its text with line feeds as line ends."""

    name: str
    sha256: str


class ResultShown(Answer):
    """A program's result."""

    key: str
    verdict: str
    message: str
    module: str
    line: int | None
    log: list[StoredLine]
    truncated: bool
    cpu_us: int
    wall_us: int
    peak_bytes: int
    attempt: int
    modules: list[ModuleNamed]
    created_at: datetime


@router.get("/{key}/", response={200: ResultShown, **refusals(404)}, summary="Read a result")
def read_result(request: HttpRequest, key: str) -> ResultPage:
    """Return the record of the program with this key, 64 hexadecimal digits."""
    return or_404(result_page(key, request.user))
