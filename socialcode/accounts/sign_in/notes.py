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
    "account_connected": gettext_noop("That account can sign in as you now."),
    "account_connected_other": gettext_noop("That account signs in as somebody else already."),
    "account_connected_updated": gettext_noop("That account signs in as you already."),
    "account_disconnected": gettext_noop("That account no longer signs in as you."),
    "totp_activated": gettext_noop("Codes of the app are asked for from now on."),
    "totp_deactivated": gettext_noop("Codes of the app are no longer asked for."),
    "webauthn_added": gettext_noop("The passkey was added."),
    "webauthn_removed": gettext_noop("The passkey was removed."),
}


def note_of(template: str, context: Mapping[str, object]) -> str:
    """Return the note in place of a template; empty if nothing is said."""
    note = NOTES.get(PurePosixPath(template).stem)
    return _(note) % context if note else ""
