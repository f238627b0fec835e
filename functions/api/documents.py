"""Endpoints of documents: read and changed by name, with their versions."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Header, Query, Router, Schema, Status
from ninja.errors import HttpError
from pydantic import Field

from functions.api.authentication import SOMEBODY
from functions.api.bodies import read_nothing
from functions.api.problems import refusals
from functions.api.schemas import Answer, IdOrNull, path
from functions.document_revisions.edits import (
    Edit,
    current_document,
    patch_document,
    put_document,
    restore_version,
)
from functions.document_revisions.etags import parse_etags
from functions.document_revisions.versions import version_value
from functions.json_data.query import parse_query
from functions.json_data.values import parse_json
from functions.read_models.document_search import FoundDocuments, search_documents
from functions.read_models.documents import (
    History,
    document_or_404,
    history_of,
    read_document,
)

router = Router(tags=["documents"])
_FAILURES = (400, 401, 403, 404, 409, 412, 413, 422, 429)
IfMatch = Annotated[
    str,
    Header("", alias="If-Match", description="ETags of what you have read, or *"),
]
IfNoneMatch = Annotated[
    str, Header("", alias="If-None-Match", description="ETags of what you have already")
]


class Reading(Schema):
    """How a document is read."""

    expand: bool = Field(True, description="0: as written, with links instead of what they lead to")


class Writing(Schema):
    """How a change by somebody else than the current author is kept."""

    publish: bool = Field(True, description="0: a competing work stays a draft of yours")


class DocumentFound(Answer):
    """A document that fits, with its links expanded."""

    name: str
    value: Any


class DocumentsFound(Answer):
    """A page of documents; `next` is the cursor of the next page."""

    items: list[DocumentFound] = Field(validation_alias="rows")
    next: str | None


class DocumentChangeShown(Answer):
    """The result of a change of one document."""

    document: str = path("function", "name")
    work: int = path("work", "pk")
    state: str = Field(description="pending: a revision; published or draft: a competing work")
    revision: IdOrNull
    batch: int | None = Field(validation_alias="batch_id")


class DocumentChanged(Answer):
    """Accepted; `batch` is the first run that decides about it, null for a draft."""

    batch: int | None
    changes: list[DocumentChangeShown]


class FieldChange(Answer):
    """A change from the version before."""

    kind: str = Field(description="added, removed or changed")
    path: str
    before: Any
    after: Any


class VersionShown(Answer):
    """A version of the current document."""

    number: int
    editor: str
    created_at: datetime | None
    restores: int | None = Field(description="the version that it brought back")
    changes: list[FieldChange]


class DocumentRevisionShown(Answer):
    """A revision of yours that is being judged, or was refused."""

    id: int
    state: str = Field(description="pending or refused")
    reason: str
    failing: IdOrNull = Field(description="the test that it doesn't pass")
    batch: int | None = Field(validation_alias="batch_id")
    created_at: datetime


class HistoryShown(Answer):
    """The versions of the current document, newest first; and your revisions that aren't shown."""

    versions: list[VersionShown]
    revisions: list[DocumentRevisionShown]


@router.get("/", response={200: DocumentsFound, **refusals(400)}, summary="Query documents")
def query(request: HttpRequest) -> FoundDocuments:
    """Return current documents whose values fit, as `?address.zipcode=54321&order=-age`."""
    parameters = [(name, value) for name, values in request.GET.lists() for value in values]
    return search_documents(parse_query(parameters))


@router.get(
    "/{name}/", response={200: Any, 304: None, **refusals(400, 404)}, summary="Read a document"
)
def read(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    name: str,
    query: Query[Reading],
    if_none_match: IfNoneMatch,
) -> HttpResponse:
    """Return the current document, with its links expanded; its ETag says which version it is."""
    found = read_document(document_or_404(name), is_expanded=query.expand)
    answer: HttpResponse
    if found.etag in parse_etags(if_none_match):
        answer = HttpResponse(status=304)
    else:
        answer = JsonResponse(found.value, safe=False, json_dumps_params={"ensure_ascii": False})
    answer["ETag"] = found.etag
    return answer


@router.put(
    "/{name}/",
    auth=SOMEBODY,
    response={202: DocumentChanged, **refusals(*_FAILURES)},
    summary="Replace a document",
)
def replace(
    request: HttpRequest, name: str, query: Query[Writing], if_match: IfMatch
) -> Status[DocumentChanged]:
    """Replace the document by the body.

    The author of the current one revises it: the revision is shown once it passed every test that
    counts. Anybody else writes a competing work.
    """
    edits = put_document(
        actor=request.user,
        function=document_or_404(name),
        code=_body(request),
        tags=parse_etags(if_match),
        is_published=query.publish,
    )
    return _changed(edits)


@router.patch(
    "/{name}/",
    auth=SOMEBODY,
    response={202: DocumentChanged, **refusals(*_FAILURES)},
    summary="Change a document",
)
def change(
    request: HttpRequest, name: str, query: Query[Writing], if_match: IfMatch
) -> Status[DocumentChanged]:
    """Merge the body into the document (RFC 7396), as when it is replaced.

    What lies behind a link is changed in the linked document, by its author.
    """
    edits = patch_document(
        actor=request.user,
        function=document_or_404(name),
        patch=parse_json(_body(request), field="value"),
        tags=parse_etags(if_match),
        is_published=query.publish,
    )
    return _changed(edits)


@router.get(
    "/{name}/versions/",
    response={200: HistoryShown, **refusals(404)},
    summary="List the versions of a document",
)
def list_versions(request: HttpRequest, name: str) -> History:
    """Return the versions of the current document, each with its changes."""
    return history_of(document_or_404(name), reader=request.user)


@router.get(
    "/{name}/versions/{int:number}/",
    response={200: Any, **refusals(404)},
    summary="Read a version of a document",
)
def read_version(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    name: str,
    number: int,
) -> HttpResponse:
    """Return a version of the current document as it was written."""
    value = version_value(current_document(document_or_404(name)), number)
    return JsonResponse(value, safe=False, json_dumps_params={"ensure_ascii": False})


@router.post(
    "/{name}/versions/{int:number}/restore/",
    auth=SOMEBODY,
    response={202: DocumentChanged, **refusals(400, 401, 403, 404, 409, 413, 422, 429)},
    summary="Restore a version of a document",
)
def restore(request: HttpRequest, name: str, number: int) -> Status[DocumentChanged]:
    """Bring a former version of your document back, by a revision."""
    read_nothing(request)
    edit = restore_version(actor=request.user, function=document_or_404(name), number=number)
    return _changed([edit])


def _body(request: HttpRequest) -> str:
    try:
        return request.body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise HttpError(400, "The body is not UTF-8.") from error


def _changed(edits: Sequence[Edit]) -> Status[DocumentChanged]:
    batches = [edit.batch_id for edit in edits if edit.batch_id]
    changes = [DocumentChangeShown.model_validate(edit) for edit in edits]
    return Status(202, DocumentChanged(batch=batches[0] if batches else None, changes=changes))
