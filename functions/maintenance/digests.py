"""Digests: daily or weekly e-mails of unread notifications.

A period is claimed and committed before its mail is sent, so at most one mail is sent for it, also
after crashes and by concurrent senders. The sent position is stored afterwards; the next digest
repeats the content of a lost mail.
"""

import logging
from collections.abc import Iterator
from datetime import date, timedelta

from django.core.mail import get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import override

from functions.models import Digest, Notification
from functions.notifications.delivery import hold_users
from functions.notifications.digests import UNSUBSCRIBE, language_of, link_of, send_mail
from functions.read_models.notifications import notification_rows

log = logging.getLogger(__name__)

MAX_ROWS = 100  # in a mail
PAGE_SIZE = 500


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
    context: dict[str, object] = {
        "rows": notification_rows(found[:MAX_ROWS]),
        "has_more": len(found) > MAX_ROWS,
        "link": link_of(digest, UNSUBSCRIBE),
    }
    with override(language_of(digest.user)):
        context["frequency"] = digest.get_frequency_display().lower()
        send_mail(digest, "digest", context, mail=mail)
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
    unchanged = Digest.objects.filter(
        pk=digest.pk, frequency=digest.frequency, address=digest.address
    ).exclude(confirmed_at=None)
    free = unchanged.filter(Q(period=None) | Q(period__lt=begin))
    return found if found and free.update(period=begin) else []
