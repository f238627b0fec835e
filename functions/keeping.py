"""What of the product is kept for a while only, and removed by the sweepers."""

from datetime import timedelta

from django.conf import settings
from django.db.models.functions import Now

from functions.models import Notice, Notification

AT_ONCE = 5_000


def remove_notifications(_cursor: int) -> int:
    """Remove what was read long ago, and old notices that nobody has; 1 where there is more."""
    cutoff = Now() - timedelta(days=settings.KEEP_NOTIFICATIONS_DAYS)
    read = Notification.objects.filter(read_at__lt=cutoff).values_list("pk", flat=True)
    found = list(read[:AT_ONCE])
    Notification.objects.filter(pk__in=found).delete()
    if len(found) == AT_ONCE:
        return 1
    old = Notice.objects.filter(created_at__lt=cutoff, notifications=None)
    idle = list(old.values_list("pk", flat=True)[:AT_ONCE])
    Notice.objects.filter(pk__in=idle).delete()
    return int(len(idle) == AT_ONCE)
