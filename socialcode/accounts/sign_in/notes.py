"""Notes on pages about accounts, in place of django-allauth's templates."""

from collections.abc import Mapping
from pathlib import PurePosixPath

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

# By the name of allauth's template; what isn't here isn't said.
NOTES = {
    "password_changed": gettext_noop(
        "The password was changed. All other sessions and tokens have ended."
    ),
    "password_set": gettext_noop("The account has a password now."),
    "email_confirmation_sent": gettext_noop(
        "A mail was sent to %(email)s. Follow the link in it to confirm the address."
    ),
    "email_confirmed": gettext_noop("%(email)s is confirmed."),
    "email_confirmation_failed": gettext_noop(
        "%(email)s could not be confirmed, because another account has it."
    ),
    "email_deleted": gettext_noop("%(email)s was removed."),
}


def note_of(template: str, context: Mapping[str, object]) -> str:
    """Return the note in place of a template; empty if nothing is said."""
    note = NOTES.get(PurePosixPath(template).stem)
    return _(note) % context if note else ""
