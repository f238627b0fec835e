"""Current documents, expanded, as records of document views; a record's id is the function's."""

from collections.abc import Collection

from functions.document_views.changes import Change, record_changes
from functions.document_views.sources import Record, register_source
from functions.models import Document
from runner.registry import Actor

SOURCE = "documents"


def read_page(source: str, after: str, limit: int) -> list[Record]:  # noqa: ARG001 - there is one
    """Return the next documents after this id."""
    rows = Document.objects.filter(pk__gt=int(after or 0)).order_by("pk")
    return [Record(str(pk), value) for pk, value in rows.values_list("pk", "expanded")[:limit]]


def resolve(_actor: Actor, stated: str) -> str | None:
    """Return the source, if this is its name."""
    return SOURCE if stated == SOURCE else None


def remove_documents(function_ids: Collection[int]) -> None:
    """Remove the documents of these functions, also from views."""
    gone = Document.objects.filter(pk__in=function_ids)
    removed = list(gone.select_for_update().order_by("pk").values_list("pk", "expanded"))
    gone.delete()
    record_changes(SOURCE, [Change(str(pk), before, None) for pk, before in removed])


def register() -> None:
    """Let document views be made of documents."""
    register_source(SOURCE, read_page, resolve=resolve)
