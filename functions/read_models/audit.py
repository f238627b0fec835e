"""Read models of the audit log: the whole log is for staff, a function's is public."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from functions.models import AuditEntry, Comment, Function
from functions.names import name_key
from functions.people.former_names import user_once_named
from functions.read_models.cursors import decode_place, encode_cursor


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """An act: actor, act, item, person concerned, reason and time."""

    id: int
    at: datetime
    actor: str
    act: str
    words: str
    function: str
    is_deleted: bool  # whether the function is
    kind: str
    label: str
    url: str  # of the work or comment concerned; empty if deleted, or if it is neither
    person: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage:
    """A page of the log, newest first; `next` is the next page's cursor."""

    rows: tuple[AuditRow, ...]
    next: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Filters of acts; empty ones don't apply."""

    act: str = ""
    actor: str = ""
    person: str = ""
    function: str = ""


def has_log(name: str) -> bool:
    """Return whether a function of this name exists or existed; its log is public."""
    return Function.objects.filter(name_key=name_key(name)).exists()


def audit_log(filters: AuditFilter, *, cursor: str = "", limit: int = 50) -> AuditPage:
    """Return a page of acts. The caller checks permissions. Raises BadCursor."""
    found = list(_after(_found(filters), cursor)[: limit + 1])
    more = encode_cursor(found[limit - 1].pk) if len(found) > limit else ""
    return AuditPage(rows=tuple(map(_row, found[:limit])), next=more)


def _found(filters: AuditFilter) -> QuerySet[AuditEntry]:
    found = AuditEntry.objects.select_related("actor", "person", "function").order_by("-pk")
    if filters.act:
        found = found.filter(act=filters.act)
    # Filter by ids, as the indexes start with them.
    if filters.actor:
        found = found.filter(actor__in=_users(filters.actor))
    if filters.person:
        found = found.filter(person__in=_users(filters.person))
    if filters.function:
        # Including deleted functions of the same name.
        namesakes = Function.objects.filter(name_key=name_key(filters.function))
        found = found.filter(function__in=list(namesakes.values_list("pk", flat=True)))
    return found


def _users(name: str) -> Sequence[int]:
    found = list(User.objects.filter(username__iexact=name).values_list("pk", flat=True))
    former = None if found else user_once_named(name)
    return [former.pk] if former else found


def _after(found: QuerySet[AuditEntry], cursor: str) -> QuerySet[AuditEntry]:
    if not cursor:
        return found
    (last,) = decode_place(cursor, 1)
    return found.filter(pk__lt=last)


def _row(entry: AuditEntry) -> AuditRow:
    function = entry.function
    return AuditRow(
        id=entry.pk,
        at=entry.created_at,
        actor=entry.actor.get_username(),
        act=entry.act,
        words=_(entry.get_act_display()),
        function=function.name if function else "",
        is_deleted=function is not None and function.deleted_at is not None,
        kind=entry.kind,
        label=entry.label,
        url=_url(entry),
        person=entry.person.get_username() if entry.person else "",
        reason=entry.reason,
    )


def _url(entry: AuditEntry) -> str:
    if entry.function is None or entry.function.deleted_at is not None or entry.item_id is None:
        return ""
    if entry.kind == Comment.noun:
        return reverse("comment", args=[entry.item_id])
    return f"{entry.function.get_absolute_url()}#{entry.label.replace('#', 'I')}"
