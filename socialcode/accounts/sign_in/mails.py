"""Mails about accounts, in place of django-allauth's templates."""

import smtplib
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import structlog
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

log = structlog.get_logger(__name__)


class Text(NamedTuple):
    """A mail's subject and text, and its link: a key of the context, or a page's name."""

    subject: str
    text: str
    link: str


_CONFIRMATION = Text(
    gettext_noop("Social Code: confirm your e-mail address"),
    gettext_noop(
        "This address was given for the account %(username)s. If that was you, confirm it:"
    ),
    "activate_url",
)
# By the name of allauth's template. Strangers can have these sent, so they are limited.
REQUESTED = {
    "email_confirmation": _CONFIRMATION,
    "email_confirmation_signup": _CONFIRMATION,
    "password_reset_key": Text(
        gettext_noop("Social Code: a new password"),
        gettext_noop(
            "Somebody asked for a new password for the account %(username)s. If that was you,"
            " choose one:"
        ),
        "password_reset_url",
    ),
    "unknown_account": Text(
        gettext_noop("Social Code: no account with this address"),
        gettext_noop(
            "Somebody asked for a new password with this address, but no account has it. If that"
            " was you, try another address, or create an account:"
        ),
        "account_signup",
    ),
    "account_already_exists": Text(
        gettext_noop("Social Code: you have an account"),
        gettext_noop(
            "Somebody tried to create an account with this address, which has one already. If that"
            " was you, and you forgot the password, choose a new one:"
        ),
        "account_reset_password",
    ),
}
_CHANGE = gettext_noop("Social Code: your account was changed")
# What has been done to an account.
CHANGES = {
    "password_changed": gettext_noop("The password of %(username)s was changed."),
    "password_reset": gettext_noop("The password of %(username)s was changed by a link in a mail."),
    "password_set": gettext_noop("%(username)s has a password now."),
    "username_changed": gettext_noop("The user name %(former_name)s was changed to %(username)s."),
    "email_changed": gettext_noop(
        "The address of %(username)s was changed from %(from_email)s to %(to_email)s."
    ),
    "account_connected": gettext_noop(
        "An account at %(provider)s can sign in as %(username)s now."
    ),
    "account_disconnected": gettext_noop(
        "An account at %(provider)s no longer signs in as %(username)s."
    ),
    "totp_activated": gettext_noop("%(username)s signs in with codes of an app now."),
    "totp_deactivated": gettext_noop("%(username)s signs in without codes of an app now."),
    "webauthn_added": gettext_noop("%(username)s has a new passkey."),
    "webauthn_removed": gettext_noop("%(username)s has a passkey less."),
    "recovery_codes_generated": gettext_noop("%(username)s has new recovery codes."),
    "email_deleted": gettext_noop("%(deleted_email)s was removed from the account %(username)s."),
}
TEXTS = {
    **REQUESTED,
    **{name: Text(_CHANGE, text, "account_reset_password") for name, text in CHANGES.items()},
}


def name_of(template_prefix: str) -> str:
    """Return the name of a mail in the tables."""
    return PurePosixPath(template_prefix).name


def send_account_mail(name: str, address: str, context: Mapping[str, Any]) -> bool:
    """Send a mail; return whether the mail server took it. A failure is logged."""
    subject, text, link = TEXTS[name]
    shown = {
        "text": _(text) % context,
        "link": context.get(link) or f"{settings.PUBLIC_URL}{reverse(link)}",
        "is_change": name in CHANGES,
        "ip": context.get("ip", ""),
    }
    message = EmailMultiAlternatives(
        _(subject),
        render_to_string("mail/account.txt", shown),
        to=[address],
        headers={"Auto-Submitted": "auto-generated"},
    )
    message.attach_alternative(render_to_string("mail/account.html", shown), "text/html")
    try:
        message.send()
    except (smtplib.SMTPException, OSError):
        log.exception("account_mail_failed", mail=name)
        return False
    return True
