"""Logs changes of what users sign in with: second factors, providers, mail addresses.

They are django-allauth's rows, followed wherever they are written: on pages, in the administration,
or by commands.
"""

from collections.abc import Collection
from typing import Any, NamedTuple

from django.apps import apps
from django.contrib.auth.models import User
from django.db.models import Model
from django.db.models.signals import post_delete, post_save

from socialcode.accounts.security.log import Event, log_event


class Followed(NamedTuple):
    """The events of a model's rows, and the fields that are logged with them."""

    added: Event
    removed: Event
    fields: tuple[str, ...] = ()


FOLLOWED = {
    "mfa.Authenticator": Followed(Event.FACTOR_ADDED, Event.FACTOR_REMOVED, ("type",)),
    "socialaccount.SocialAccount": Followed(
        Event.PROVIDER_LINKED, Event.PROVIDER_UNLINKED, ("provider",)
    ),
    "account.EmailAddress": Followed(Event.EMAIL_ADDED, Event.EMAIL_REMOVED, ("verified",)),
}


def register() -> None:
    """Connect the signals; called once, when all apps are loaded."""
    for name in FOLLOWED:
        if name.partition(".")[0] not in apps.app_configs:
            continue
        post_save.connect(log_saved, sender=name)
        post_delete.connect(log_removed, sender=name)


def log_saved(
    *, instance: Model, created: bool, update_fields: Collection[str] | None, **_: Any
) -> None:
    """Log a new row, and the confirmation of an address."""
    followed = FOLLOWED[instance._meta.label]  # noqa: SLF001 - Django's documented interface
    if created:
        _log(followed.added, instance, followed)
    elif "verified" in followed.fields and set(update_fields or ()) == {"verified"}:
        _log(Event.EMAIL_CONFIRMED, instance, followed)


def log_removed(*, instance: Model, **_: Any) -> None:
    """Log that a row was removed."""
    followed = FOLLOWED[instance._meta.label]  # noqa: SLF001 - Django's documented interface
    _log(followed.removed, instance, followed)


def _log(event: Event, row: Any, followed: Followed) -> None:
    # Removed together with its user, a row can't load them any more.
    user = User.objects.filter(pk=row.user_id).first()
    details = {name: getattr(row, name) for name in followed.fields}
    log_event(event, user=user, row=row.pk, **details)
