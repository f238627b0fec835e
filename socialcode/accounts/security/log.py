"""The security log: a line for each event that concerns accounts and what they may do.

Lines never contain passwords, tokens or codes. Events are documented in
docs/operations.md.
"""

from enum import StrEnum
from functools import partial

import structlog
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.crypto import salted_hmac

from socialcode.accounts.security.origin import origin

log = structlog.get_logger("security")
DIGEST_LENGTH = 12


class Event(StrEnum):
    """What has happened, or was refused."""

    ACCOUNT_MADE = "account_made"
    ACCOUNT_CHANGED = "account_changed"
    ACCOUNT_DELETED = "account_deleted"
    SIGN_IN = "sign_in"
    SIGN_OUT = "sign_out"
    SESSION_ENDED = "session_ended"
    PASSWORD_CHANGED = "password_changed"  # noqa: S105 - no password
    FACTOR_ADDED = "factor_added"
    FACTOR_REMOVED = "factor_removed"
    PROVIDER_LINKED = "provider_linked"
    PROVIDER_UNLINKED = "provider_unlinked"
    EMAIL_ADDED = "email_added"
    EMAIL_CONFIRMED = "email_confirmed"
    EMAIL_REMOVED = "email_removed"
    TOKEN_MADE = "token_made"  # noqa: S105 - no password
    TOKEN_REVOKED = "token_revoked"  # noqa: S105 - no password
    TOKEN_ENDED = "token_ended"  # noqa: S105 - no password
    TOKEN_USE = "token_use"  # noqa: S105 - no password
    SUSPENDED = "suspended"
    SUSPENSION_LIFTED = "suspension_lifted"
    ADMIN_ADDED = "admin_added"
    ADMIN_CHANGED = "admin_changed"
    ADMIN_DELETED = "admin_deleted"


def log_event(event: Event, *, user: User | None, how: str = "", **details: object) -> None:
    """Log an event that concerns a user, once the current transaction is committed."""
    line = _line(user, how) | details
    transaction.on_commit(partial(log.info, event.value, outcome="success", **line))


def log_refusal(
    event: Event, reason: str, *, user: User | None, name: str = "", how: str = ""
) -> None:
    """Log what was refused. A `name` without an account is logged as a digest.

    It might be a password, typed into the wrong field.
    """
    line = _line(user, how)
    if user is None and name:
        digest = salted_hmac(__name__, name.encode("utf-8", "surrogatepass"), algorithm="sha256")
        line["name_digest"] = digest.hexdigest()[:DIGEST_LENGTH]
    log.warning(event.value, outcome="refused", reason=reason, **line)


def _line(user: User | None, how: str) -> dict[str, object]:
    """Return the fields of all lines; `by` is who did it to somebody else."""
    current = origin.get()
    line: dict[str, object] = {
        "user": user and user.get_username(),
        "user_id": user and user.pk,
        "address": current.address,
        "how": how or current.how,
    }
    actor = current.actor()
    if actor is not None and (user is None or actor.pk != user.pk):
        line |= {"by": actor.get_username(), "by_id": actor.pk}
    return line
