"""Conditional requests (RFC 9110): `ETag`, `If-Match`, `If-None-Match`."""

import hashlib
import re
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import parse_etags
from django.utils.translation import gettext as _
from pydantic import BaseModel

from functions.errors import Conflict, Outdated
from functions.models import Function


class PreconditionRequired(Conflict):
    """The request must say which version it changes."""

    status = 428

    def __init__(self) -> None:
        message = _("Send If-Match with the ETag that you have read, so that nothing is lost.")
        super().__init__("precondition_required", message, field="If-Match")


def etag_of(row_id: int, version: int) -> str:
    """Return the entity tag of a row's version."""
    return f'"{row_id}-{version}"'


def etag_of_content(content: bytes) -> str:
    """Return the entity tag of a representation."""
    return f'"{hashlib.sha256(content).hexdigest()[:32]}"'


def definition_etag(function: Function, content: bytes) -> str:
    """Return the entity tag of a function: of its definition, and of all that is shown of it."""
    digest = hashlib.sha256(content).hexdigest()[:16]
    return f'"{function.pk}-{function.definition_digest}-{digest}"'


def expected_parts(request: HttpRequest, row_id: int | None) -> frozenset[str] | None:
    """Return what the tags of `If-Match` for this row name; None without the header, or for any.

    It is a draft's version, or the digest of a function's definition or of a profile. Use cases
    compare it with the locked row.
    """
    header = request.headers.get("If-Match")
    if header is None:
        return None
    # Compression makes tags weak on the way out.
    tags = [tag.removeprefix("W/") for tag in parse_etags(header)]
    if "*" in tags:
        return None
    found = [re.fullmatch(rf'"{row_id}-([0-9a-f]+)(?:-[0-9a-f]+)?"', tag) for tag in tags]
    return frozenset(each[1] for each in found if each)


def expected_version(
    request: HttpRequest, row_id: int, current: Callable[[], int], *, is_needed: bool = False
) -> int | None:
    """Return the version that `If-Match` names; None without one, or for any.

    Of several, the current one counts. Raises a Refusal if none is of this row, or if the header
    `is_needed` and missing.
    """
    header = request.headers.get("If-Match")
    if header is None:
        if is_needed:
            raise PreconditionRequired
        return None
    tags = [tag.removeprefix("W/") for tag in parse_etags(header)]
    if "*" in tags:
        return None
    found = [re.fullmatch(rf'"{row_id}-([0-9]{{1,9}})"', tag) for tag in tags]
    versions = {int(each[1]) for each in found if each}
    if len(versions) > 1:
        versions &= {current()}
    if not versions:
        raise Outdated
    return versions.pop()


def unchanged(request: HttpRequest, etag: str) -> HttpResponse | None:
    """Return 304 for a reading request whose `If-None-Match` has this tag."""
    response = get_conditional_response(request, etag=etag)
    if response is None or response.status_code != 304:
        return None
    response["ETag"] = etag
    return HttpResponse(status=304, headers={"ETag": etag})


def content_of(shown: BaseModel) -> bytes:
    """Return what an entity tag is made of."""
    return shown.model_dump_json().encode("utf-8", "surrogatepass")


def tagged(request: HttpRequest, response: HttpResponse, shown: BaseModel, etag: str) -> Any:
    """Return the answer with its ETag; 304 to a reader who has it already."""
    if request.method in ("GET", "HEAD") and (answer := unchanged(request, etag)):
        return answer
    response["ETag"] = etag
    return shown
