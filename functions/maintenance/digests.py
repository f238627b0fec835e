"""Digests: daily or weekly e-mails of unread notifications.

A period is claimed and committed before its mail is sent, so at most one mail is sent for it, also
after crashes and by concurrent senders. The sent position is stored afterwards; the next digest
repeats the content of a lost mail.
"""

import logging
from collections.abc import Iterator
from datetime import date, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.core.exceptions import ValidationError
from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from functions.errors import Refusal, TooOften
from functions.models import Digest, Notification
from functions.notifications.delivery import hold_users
from functions.permissions import require_account
from functions.read_models.notifications import notification_rows
from functions.request_limits import CONFIRMATIONS
from runner.registry import Actor

log = logging.getLogger(__name__)

MAX_ROWS = 100  # in a mail
PAGE_SIZE = 500
_SALT = "functions.digests"
UNSUBSCRIBE, CONFIRM = "unsubscribe", "confirm"


def choose_digest(*, actor: Actor, frequency: str, address: str) -> Digest:
    """Set a user's frequency and address of digests.

    A new address gets a confirmation mail first, and digests only after it is confirmed.
    """
    user = require_account(actor)
    if frequency not in Digest.Frequency.values:
        choices = ", ".join(Digest.Frequency.values)
        raise Refusal("invalid_frequency", f"It is one of {choices}.", field="frequency")
    _check_address(address, is_needed=frequency != Digest.Frequency.OFF)
    digest, _ = Digest.objects.get_or_create(user=user)
    is_same = digest.address == address
    digest.frequency, digest.address = frequency, address
    digest.confirmed_at = digest.confirmed_at if is_same else None
    must_ask = frequency != Digest.Frequency.OFF and digest.confirmed_at is None
    if must_ask and not CONFIRMATIONS.count(f"user {user.pk}"):
        message = "Too many addresses were asked. Try again later."
        raise TooOften(message, retry_after_seconds=CONFIRMATIONS.retry_after_seconds())
    digest.save(update_fields=["frequency", "address", "confirmed_at"])
    if must_ask:
        _send(digest, "confirm", {"link": link_of(digest, CONFIRM)})
    return digest


def _check_address(address: str, *, is_needed: bool) -> None:
    if not address and not is_needed:
        return
    try:
        validate_email(address)
    except ValidationError:
        message = "This is no e-mail address."
        raise Refusal("invalid_address", message, field="address") from None


def link_of(digest: Digest, act: str) -> str:
    """Return the signed URL to confirm or unsubscribe without signing in."""
    token = signing.dumps([digest.user_id, digest.address], salt=f"{_SALT}.{act}")
    return f"{settings.PUBLIC_URL}{reverse(f'{act}-digest', args=[token])}"


def digest_of_link(token: str, act: str) -> Digest | None:
    """Return the digest of a link; None if it is invalid or the address has changed."""
    try:
        user_id, address = signing.loads(token, salt=f"{_SALT}.{act}")
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return Digest.objects.filter(user=user_id, address=address).first()


def confirm(digest: Digest) -> None:
    """Confirm the digest's address."""
    Digest.objects.filter(pk=digest.pk, address=digest.address, confirmed_at=None).update(
        confirmed_at=timezone.now()
    )


def unsubscribe(digest: Digest) -> None:
    """Turn digests to this address off."""
    Digest.objects.filter(pk=digest.pk, address=digest.address).update(
        frequency=Digest.Frequency.OFF
    )


def start_of_period(frequency: str, today: date) -> date:
    """Return the first day of the current period; weeks start on Mondays."""
    is_weekly = frequency == Digest.Frequency.WEEKLY
    return today - timedelta(days=today.weekday()) if is_weekly else today


def send_digests(today: date | None = None) -> int:
    """Send all due digests, each at most once; return the number sent.

    Raises OSError, without claiming a period, if the mail server can't be reached.
    """
    day = today or timezone.now().date()
    sent = 0
    with get_connection() as mail:
        for digest in _due(day):
            try:
                sent += _send_due(digest, day, mail)
            except Exception:
                # It may have been sent or not; the next digest repeats its content.
                log.exception("digest of user %s was not sent", digest.pk)
    return sent


def _due(day: date) -> Iterator[Digest]:
    confirmed = Digest.objects.filter(user__is_active=True).exclude(confirmed_at=None)
    for frequency in (Digest.Frequency.DAILY, Digest.Frequency.WEEKLY):
        begin = start_of_period(frequency, day)
        due = confirmed.filter(Q(period=None) | Q(period__lt=begin), frequency=frequency)
        rows = due.select_related("user").order_by("pk")
        last = 0
        while page := list(rows.filter(pk__gt=last)[:PAGE_SIZE]):
            yield from page
            last = page[-1].pk


def _send_due(digest: Digest, day: date, mail: BaseEmailBackend) -> bool:
    """Send a digest unless it is empty or its period is claimed; return whether it was sent."""
    found = _claim_period(digest, start_of_period(digest.frequency, day))
    if not found:
        return False
    context = {
        "rows": notification_rows(found[:MAX_ROWS]),
        "has_more": len(found) > MAX_ROWS,
        "link": link_of(digest, UNSUBSCRIBE),
        "frequency": digest.get_frequency_display().lower(),
    }
    _send(digest, "digest", context, mail=mail)
    Digest.objects.filter(pk=digest.pk).update(sent_up_to=found[0].pk)
    return True


@transaction.atomic
def _claim_period(digest: Digest, begin: date) -> list[Notification]:
    """Claim the period and return the digest's notifications; empty if there are none to send.

    The user's row is locked as during delivery, so later notifications have greater ids.
    """
    hold_users([digest.user_id])
    unread = Notification.objects.filter(user=digest.user_id, read_at=None)
    new = unread.filter(pk__gt=digest.sent_up_to).order_by("-pk")
    found = list(new.select_related("notice__function", "notice__actor")[: MAX_ROWS + 1])
    wanted = Digest.objects.filter(
        pk=digest.pk, frequency=digest.frequency, address=digest.address
    ).exclude(confirmed_at=None)
    free = wanted.filter(Q(period=None) | Q(period__lt=begin))
    return found if found and free.update(period=begin) else []


def _send(
    digest: Digest, name: str, context: dict[str, object], *, mail: BaseEmailBackend | None = None
) -> None:
    """Send a mail as text and HTML. The first line of the text template is the subject."""
    user: User = digest.user
    everything = {**context, "site": settings.PUBLIC_URL, "username": user.get_username()}
    text = render_to_string(f"mail/{name}.txt", everything)
    subject, _, body = text.partition("\n")
    message = EmailMultiAlternatives(
        subject,
        body.lstrip("\n"),
        to=[digest.address],
        headers={
            "List-Unsubscribe": f"<{link_of(digest, UNSUBSCRIBE)}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            "Auto-Submitted": "auto-generated",
        },
        connection=mail,
    )
    message.attach_alternative(render_to_string(f"mail/{name}.html", everything), "text/html")
    message.send()
