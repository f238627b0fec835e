"""Deleted accounts, to whom work that stays is credited; `socialcode.accounts` deletes them."""

from django.db import IntegrityError

# Begins their user names. Nobody else's can have spaces.
DELETED_USER = "deleted user "
# What the database calls its refusal to write anything more in their name.
_CONSTRAINT = "account_not_deleted"


def is_deleted_name(username: str) -> bool:
    """Return whether this is the user name of a deleted account."""
    return username.startswith(DELETED_USER)


def is_of_deleted_account(error: BaseException) -> bool:
    """Return whether this was refused because the account was deleted in the meantime."""
    details = getattr(error.__cause__, "diag", None) if isinstance(error, IntegrityError) else None
    return getattr(details, "constraint_name", None) == _CONSTRAINT
