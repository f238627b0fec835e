"""A document as its page shows it: its expanded value, and where its links lead."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from functions.json_data.values import pretty
from functions.kinds.document_source import Link, find_links, parse_document
from functions.models import Document, Function
from functions.names import name_key
from functions.read_models.links import FunctionLink, links_named

MAX_CHARACTERS = 40_000  # of the text shown; the API has all of it


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedDocument:
    """What a document links at a path, and at so many other places."""

    link: FunctionLink
    transform: FunctionLink | None
    path: str
    others: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPanel:
    """The current value of a document."""

    text: str  # expanded, as JSON; only its beginning if `is_cut`
    is_cut: bool
    size: int  # of the expanded JSON, in characters
    changed_at: datetime
    links: tuple[LinkedDocument, ...]
    known: tuple[FunctionLink, ...]  # all that the text may name


def document_panel(function: Function) -> DocumentPanel | None:
    """Return the current value of a document, or None."""
    found = Document.objects.filter(function=function).select_related("implementation")
    document = found.first()
    if document is None:
        return None
    text = pretty(_ordered_as(parse_document(document.implementation.code), document.expanded))
    links = list(find_links(document.value))
    named = [*links, *find_links(document.expanded)]
    known = links_named({name for link in named for name in (link.key, link.transform) if name})
    return DocumentPanel(
        text=text[:MAX_CHARACTERS],
        is_cut=len(text) > MAX_CHARACTERS,
        size=document.size,
        changed_at=document.changed_at,
        links=tuple(_linked(places, known) for places in _by_target(links)),
        known=tuple(known.values()),
    )


def _ordered_as(written: Any, expanded: Any) -> Any:
    """Return an expanded value with members in the order written, which jsonb loses."""
    if isinstance(written, dict) and isinstance(expanded, dict):
        names = [*(name for name in written if name in expanded), *expanded]
        return {name: _ordered_as(written.get(name), expanded[name]) for name in names}
    if isinstance(written, list) and isinstance(expanded, list) and len(written) == len(expanded):
        return [_ordered_as(*pair) for pair in zip(written, expanded, strict=True)]
    return expanded


def _by_target(links: Sequence[Link]) -> list[list[Link]]:
    found: dict[tuple[str, str], list[Link]] = {}
    for link in links:
        found.setdefault((name_key(link.key), name_key(link.transform)), []).append(link)
    return list(found.values())


def _linked(places: Sequence[Link], known: dict[str, FunctionLink]) -> LinkedDocument:
    first = places[0]
    return LinkedDocument(
        link=known[name_key(first.key)],
        transform=known[name_key(first.transform)] if first.transform else None,
        path=".".join(map(str, first.path)),
        others=len(places) - 1,
    )
