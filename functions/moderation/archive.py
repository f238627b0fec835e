"""Archiving of functions, which can then be read and imported but not changed."""

from django.db import transaction
from django.utils import timezone

from functions.audit import check_reason, record_act
from functions.locks import lock_function, lock_name
from functions.models import AuditEntry, Function
from functions.permissions import require_moderator
from runner.registry import Actor


@transaction.atomic
def archive_function(*, actor: Actor, function: Function, reason: str = "") -> Function:
    """Archive a function: it takes no drafts, publications, votes or edits.

    Dependents still import its current implementation, and elections still follow its dependencies,
    so nothing has to be run.
    """
    return _archive(actor, function, reason, is_archived=True)


@transaction.atomic
def unarchive_function(*, actor: Actor, function: Function, reason: str = "") -> Function:
    """Take a function out of the archive."""
    return _archive(actor, function, reason, is_archived=False)


def _archive(actor: Actor, function: Function, reason: str, *, is_archived: bool) -> Function:
    reason = check_reason(reason)
    locked = lock_function(function.pk)
    moderator = require_moderator(actor, locked)
    # Drafts are created under this lock.
    lock_name(locked.name)
    if (locked.archived_at is not None) == is_archived:
        return locked
    locked.archived_at = timezone.now() if is_archived else None
    locked.save(update_fields=["archived_at"])
    act = AuditEntry.Act.ARCHIVED if is_archived else AuditEntry.Act.UNARCHIVED
    record_act(moderator, act, function=locked, reason=reason)
    return locked
