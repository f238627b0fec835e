"""Rechecks a user's sockets when a session ends or the account changes."""

from collections.abc import Collection
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.signals import post_delete, post_save

from runner.events.wakeups import recheck_user
from socialcode.accounts.sessions import Session

# Fields written at sign-in, which don't affect permissions.
HARMLESS_FIELDS = frozenset({"last_login"})


def register() -> None:
    """Connect the signals of sessions and accounts; called once, when all apps are loaded."""
    # The deletion of the session is used, because Django sends its signal of signing out before the
    # session is deleted, and none when a browser signs in as another user.
    post_delete.connect(recheck_after_session, sender=Session)
    post_save.connect(recheck_after_change, sender=User)
    post_delete.connect(recheck_after_deletion, sender=User)


def recheck_after_session(*, instance: Session, using: str, **_: Any) -> None:
    """Recheck the sockets of the user whose session has ended."""
    if instance.user_id is not None:
        _recheck_when_committed(instance.user_id, using)


def recheck_after_change(
    *,
    instance: User,
    created: bool,
    update_fields: Collection[str] | None,
    using: str,
    **_: Any,
) -> None:
    """Recheck the user's sockets after a suspension or a new password."""
    is_harmless = update_fields is not None and HARMLESS_FIELDS.issuperset(update_fields)
    if not created and not is_harmless:
        _recheck_when_committed(instance.pk, using)


def recheck_after_deletion(*, instance: User, using: str, **_: Any) -> None:
    """Recheck the sockets of a deleted user."""
    _recheck_when_committed(instance.pk, using)


def _recheck_when_committed(user_id: int, using: str) -> None:
    transaction.on_commit(partial(recheck_user, user_id), using=using)
