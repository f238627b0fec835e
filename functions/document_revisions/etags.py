"""Entity tags of documents, by which a client says which version it has read."""

from typing import Any

from functions.document_revisions.versions import hash_of
from functions.errors import Outdated

ANY = "*"
_LENGTH = 16


def etag_of(value: Any, expanded: Any = None) -> str:
    """Return the tag of a document as written; with `expanded`, of that with its links."""
    parts = [value] if expanded is None else [value, expanded]
    return '"' + "-".join(hash_of(part).hex()[:_LENGTH] for part in parts) + '"'


def parse_etags(header: str) -> frozenset[str]:
    """Return the tags of an If-Match or If-None-Match header; none if there is no such header."""
    tags = (tag.strip().removeprefix("W/") for tag in header.split(","))
    return frozenset(tag for tag in tags if tag)


def require_match(tags: frozenset[str], *current: str) -> None:
    """Refuse the change of a document that is none of those that the client has read."""
    if tags and ANY not in tags and tags.isdisjoint(current):
        raise Outdated
