"""The history of votes; `cast` writes it."""

from datetime import timedelta

from django.conf import settings
from django.db.models.functions import Now

from functions.models import VoteChange

_REMOVED_AT_ONCE = 5_000


def remove_old_changes(_cursor: int) -> int:
    """Remove changes that are kept no longer; called by the sweeper.

    Returns 1 if there may be more, else 0.
    """
    # Ids grow with age, so the oldest rows suffice: the index on ids finds them.
    oldest = VoteChange.objects.order_by("pk")[:_REMOVED_AT_ONCE].values("pk")
    before = Now() - timedelta(days=settings.KEEP_VOTE_HISTORY_DAYS)
    removed, _ = VoteChange.objects.filter(pk__in=oldest, changed_at__lt=before).delete()
    return int(removed == _REMOVED_AT_ONCE)
