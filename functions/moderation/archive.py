"""Archiving: a function stays as it is, to be read and imported, and takes nothing new."""

from django.db import transaction
from django.utils import timezone

from functions.audit import check_reason, record_act
from functions.locks import lock_function, lock_name
from functions.models import AuditEntry, Function
from functions.permissions import require_moderator
from runner.registry import Actor


@transaction.atomic
def archive_function(*, actor: Actor, function: Function, reason: str = "") -> Function:
    """Let the function take no drafts, publications, votes and edits any more.

    Its current implementation stays what others import, and is elected again if what it depends on
    changes; so nothing is run because of this.
    """
    return _archive(actor, function, reason, is_archived=True)


@transaction.atomic
def unarchive_function(*, actor: Actor, function: Function, reason: str = "") -> Function:
    """Let the function take everything again."""
    return _archive(actor, function, reason, is_archived=False)


def _archive(actor: Actor, function: Function, reason: str, *, is_archived: bool) -> Function:
    reason = check_reason(reason)
    locked = lock_function(function.pk)
    moderator = require_moderator(actor, locked)
    # Drafts are begun under this lock.
    lock_name(locked.name)
    if (locked.archived_at is not None) == is_archived:
        return locked
    locked.archived_at = timezone.now() if is_archived else None
    locked.save(update_fields=["archived_at"])
    act = AuditEntry.Act.ARCHIVED if is_archived else AuditEntry.Act.UNARCHIVED
    record_act(moderator, act, function=locked, reason=reason)
    return locked
