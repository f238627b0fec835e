"""Stored templates of documents, in the order of their names."""

from dataclasses import dataclass

from functions.models import DocumentTemplate
from functions.names import name_key
from functions.read_models.cursors import decode_cursor, encode_cursor


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateList:
    """A page of templates; `next` is the cursor of the next page."""

    rows: tuple[DocumentTemplate, ...]
    next: str | None


def list_templates(*, cursor: str = "", limit: int = 50) -> TemplateList:
    """Return templates, with their owners, by name. Raises BadCursor."""
    found = DocumentTemplate.objects.select_related("owner").order_by("name_key")
    if cursor:
        (last,) = decode_cursor(cursor, str)
        found = found.filter(name_key__gt=last.replace("\0", ""))
    rows = tuple(found[: limit + 1])
    more = encode_cursor(rows[limit - 1].name_key) if len(rows) > limit else None
    return TemplateList(rows=rows[:limit], next=more)


def template_named(name: str) -> DocumentTemplate | None:
    """Return the template of this name in any spelling."""
    found = DocumentTemplate.objects.select_related("owner")
    return found.filter(name_key=name_key(name).replace("\0", "")).first()
