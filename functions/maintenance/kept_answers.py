"""Kept answers of the API: looked up, stored, and removed after a day."""

from datetime import timedelta

from django.db import connection
from django.db.models.functions import Now

from functions.models import KeptAnswer

KEPT = timedelta(days=1)
_REMOVED_AT_ONCE = 1_000
_LOCK = "SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 2))"


def lock_key(user_id: int, key: str) -> bool:
    """Lock a user's key until the transaction ends; return whether nobody else holds it."""
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, [f"answer {user_id} {key}"])
        return bool(cursor.fetchone()[0])


def kept_answer(user_id: int, key: str) -> KeptAnswer | None:
    """Return the answer that is kept under a user's key; the caller holds its lock."""
    of_key = KeptAnswer.objects.filter(user=user_id, key=key)
    of_key.filter(created_at__lt=Now() - KEPT).delete()
    return of_key.first()


def remove_old_answers(_cursor: int) -> int:
    """Remove answers that are kept no longer; called by the sweeper.

    Returns 1 if there may be more, else 0.
    """
    # Ids grow with age, so the oldest rows suffice: the index on ids finds them.
    oldest = KeptAnswer.objects.order_by("pk")[:_REMOVED_AT_ONCE].values("pk")
    removed, _ = KeptAnswer.objects.filter(pk__in=oldest, created_at__lt=Now() - KEPT).delete()
    return int(removed == _REMOVED_AT_ONCE)
