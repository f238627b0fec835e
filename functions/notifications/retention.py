"""Retention of notifications; called by the sweeper."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.db.models.functions import Now

from functions.models import Notice, Notification

BATCH_SIZE = 5_000


def remove_notifications(_cursor: int) -> int:
    """Remove old notifications, and notices without any. Returns 1 if there are more, else 0."""
    read_before = Now() - timedelta(days=settings.KEEP_NOTIFICATIONS_DAYS)
    delivered_before = Now() - timedelta(days=settings.KEEP_UNREAD_NOTIFICATIONS_DAYS)
    oldest = Notification.objects.order_by("pk")[:BATCH_SIZE].values("pk")
    old = (
        Notification.objects.filter(read_at__lt=read_before),
        # Ids grow with age, so the oldest rows suffice: the index on ids finds them.
        Notification.objects.filter(pk__in=oldest, created_at__lt=delivered_before),
        Notice.objects.filter(created_at__lt=read_before, notifications=None),
    )
    return int(any(_remove_some(rows) for rows in old))


def _remove_some(rows: QuerySet[Any]) -> bool:
    found = list(rows.values_list("pk", flat=True)[:BATCH_SIZE])
    rows.model.objects.filter(pk__in=found).delete()
    return len(found) == BATCH_SIZE
