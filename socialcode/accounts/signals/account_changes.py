"""What follows changes of accounts, in whatever way they are made: they are logged.

Tokens end when the password changes, and former user names are kept.

A token is valid while its owner has the password under which it was made, as sessions are in
Django. Sessions and sockets are rechecked by `socialcode.accounts.sockets`.
"""

from collections.abc import Collection
from typing import Any

from django.contrib.auth.hashers import is_password_usable
from django.contrib.auth.models import User
from django.db.models.signals import post_delete, post_save, pre_save

from functions.models import FormerName
from socialcode.accounts.security.log import Event, log_event
from socialcode.accounts.tokens import end_tokens, keep_tokens

# Fields whose changes are logged; with their values, if these are no secrets.
SECRET_FIELDS = ("password", "email")
OPEN_FIELDS = ("username", "is_staff", "is_superuser")
FIELDS = (*SECRET_FIELDS, *OPEN_FIELDS)
# Where an account keeps its stored fields between the two signals.
FORMER = "_stored_before_change"


def register() -> None:
    """Connect the signals of accounts; called once, when all apps are loaded."""
    pre_save.connect(read_former, sender=User)
    post_save.connect(follow_change, sender=User)
    post_delete.connect(log_deletion, sender=User)


def read_former(
    *, instance: User, raw: bool, update_fields: Collection[str] | None, **_: Any
) -> None:
    """Read the fields as they are stored, if they may be changed."""
    read = FIELDS if update_fields is None else [name for name in FIELDS if name in update_fields]
    is_known = instance.pk is not None and not raw
    former = User.objects.filter(pk=instance.pk).values(*read).first() if is_known and read else {}
    setattr(instance, FORMER, former or {})


def follow_change(
    *,
    instance: User,
    created: bool,
    raw: bool,
    update_fields: Collection[str] | None,
    **_: Any,
) -> None:
    """End tokens after a change of the password, keep a former name, log what was changed."""
    former = instance.__dict__.pop(FORMER, {})
    if raw:
        return
    if created:
        log_event(Event.ACCOUNT_MADE, user=instance, is_staff=instance.is_staff)
        return
    changed = {name for name, value in former.items() if getattr(instance, name) != value}
    if "password" in changed:
        if is_upgrade(former["password"], instance, update_fields):
            changed.discard("password")
            keep_tokens(user=instance, former_hash=former["password"])
        else:
            log_event(Event.PASSWORD_CHANGED, user=instance)
            end_tokens(user=instance)
    if "username" in changed:
        FormerName.objects.create(user=instance, name=former["username"])
    if others := changed - {"password"}:
        values = {f"former_{name}": former[name] for name in OPEN_FIELDS if name in changed}
        values |= {name: getattr(instance, name) for name in OPEN_FIELDS if name in changed}
        values["fields"] = sorted(others)
        values.pop("username", None)  # in `user`
        log_event(Event.ACCOUNT_CHANGED, user=instance, **values)


def is_upgrade(former: str, user: User, update_fields: Collection[str] | None) -> bool:
    """Return whether Django has only hashed the same password anew, which it does at sign-in."""
    return (
        user._password is None  # type: ignore[attr-defined]  # noqa: SLF001 - tells Django itself
        and set(update_fields or ()) == {"password"}
        and is_password_usable(former)
        and is_password_usable(user.password)
    )


def log_deletion(*, instance: User, **_: Any) -> None:
    """Log that an account was deleted."""
    log_event(Event.ACCOUNT_DELETED, user=instance)
