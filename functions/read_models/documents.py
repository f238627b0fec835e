"""Documents as they are read: the current one, its versions, and its author's revisions."""

from dataclasses import dataclass
from typing import Any

from functions.document_revisions.edits import current_document
from functions.document_revisions.etags import etag_of
from functions.document_revisions.versions import Version, versions_of
from functions.errors import NotFound
from functions.errors import gettext as _
from functions.kinds.document_source import parse_document
from functions.models import Document, DocumentRevision, Function, Implementation
from functions.read_models.function import function_or_404
from runner.registry import Actor

MAX_REVISIONS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRead:
    """The current document, as written or with its links expanded, and its tag."""

    value: Any
    etag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The versions of the current document, and what its reader tried to change."""

    function: Function
    work: Implementation
    is_author: bool
    versions: list[Version]
    revisions: list[DocumentRevision]  # the reader's own that aren't shown, the newest first


def document_or_404(name: str) -> Function:
    """Return the function of this name if it is a document. Raises Http404 or NotFound."""
    function = function_or_404(name)
    if function.kind != "document":
        message = _("%(name)s is no document.") % {"name": function.name}
        raise NotFound("not_found", message)
    return function


def read_document(function: Function, *, is_expanded: bool) -> DocumentRead:
    """Return the current document. Raises NotFound if there is none."""
    work = current_document(function)
    value = parse_document(work.code)
    if not is_expanded:
        return DocumentRead(value=value, etag=etag_of(value))
    row = Document.objects.filter(function=function).first()
    expanded = row.expanded if row else value
    return DocumentRead(value=expanded, etag=etag_of(value, expanded))


def history_of(function: Function, *, reader: Actor) -> History:
    """Return the history of the current document. Raises NotFound if there is none."""
    work = current_document(function)
    own = work.revisions.exclude(state=DocumentRevision.State.SHOWN).order_by("-pk")
    is_author = work.author_id == reader.pk
    return History(
        function=function,
        work=work,
        is_author=is_author,
        versions=versions_of(work),
        revisions=list(own.select_related("failing__function")[:MAX_REVISIONS])
        if is_author
        else [],
    )
