"""What of the product is kept for a while only, and removed by the sweepers."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.db.models.functions import Now

from functions.models import Notice, Notification

AT_ONCE = 5_000


def remove_notifications(_cursor: int) -> int:
    """Remove what was read long ago or told longer ago, and idle notices; 1: there is more."""
    read_before = Now() - timedelta(days=settings.KEEP_NOTIFICATIONS_DAYS)
    told_before = Now() - timedelta(days=settings.KEEP_UNREAD_NOTIFICATIONS_DAYS)
    oldest = Notification.objects.order_by("pk")[:AT_ONCE].values("pk")
    old = (
        Notification.objects.filter(read_at__lt=read_before),
        # Rows are as old as their ids: the first that is young enough ends it.
        Notification.objects.filter(pk__in=oldest, created_at__lt=told_before),
        Notice.objects.filter(created_at__lt=read_before, notifications=None),
    )
    return int(any(_remove_some(rows) for rows in old))


def _remove_some(rows: QuerySet[Any]) -> bool:
    found = list(rows.values_list("pk", flat=True)[:AT_ONCE])
    rows.model.objects.filter(pk__in=found).delete()
    return len(found) == AT_ONCE
