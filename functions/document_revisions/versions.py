"""The versions of a published document: the newest is the work's, deltas lead to the others."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from functions.errors import NotFound
from functions.errors import gettext as _
from functions.json_data.deltas import Change, describe_delta, restore
from functions.json_data.values import canonical
from functions.kinds.document_source import parse_document
from functions.models import DocumentRevision, Implementation

State = DocumentRevision.State
MAX_SHOWN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version, who made it and when; `changes` are those from the version before."""

    number: int
    editor: str
    created_at: datetime | None
    restores: int | None = None
    changes: Sequence[Change] = ()


def hash_of(value: Any) -> bytes:
    """Return the hash of a document's value, which its formatting doesn't change."""
    return hashlib.sha256(canonical(value).encode()).digest()


def newest_number(work: Implementation) -> int:
    """Return the number of the version that the work has."""
    numbers = work.revisions.filter(state=State.SHOWN).order_by("-number")
    return numbers.values_list("number", flat=True).first() or 1


def version_value(work: Implementation, number: int) -> Any:
    """Return the value of a version. Raises NotFound if there is no such version."""
    newest = newest_number(work)
    if not 1 <= number <= newest:
        message = _("There is no version %(number)s; the newest is %(newest)s.")
        raise NotFound("not_found", message % {"number": number, "newest": newest})
    later = work.revisions.filter(state=State.SHOWN, number__gt=number).order_by("number")
    deltas = [delta or [] for delta in later.values_list("delta", flat=True)]
    return restore(parse_document(work.code), deltas)


def versions_of(work: Implementation) -> list[Version]:
    """Return the newest versions of a work, the last one first."""
    shown = (
        work.revisions.filter(state=State.SHOWN)
        .select_related("editor")
        .order_by("-number")[: MAX_SHOWN + 1]
    )
    found = [
        Version(
            number=row.number or 0,
            editor=row.editor.get_username(),
            created_at=row.created_at,
            restores=row.restores,
            changes=describe_delta(row.delta or []),
        )
        for row in shown
    ]
    first = Version(number=1, editor=work.author.get_username(), created_at=work.published_at)
    return [*found, first][:MAX_SHOWN]
