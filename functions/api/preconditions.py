"""Conditional requests (RFC 9110): `ETag`, `If-Match`, `If-None-Match`."""

import hashlib
import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import parse_etags
from django.utils.translation import gettext as _

from functions.errors import Conflict, Outdated


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
    tags = parse_etags(header)
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
