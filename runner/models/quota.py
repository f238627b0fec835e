"""What accounts use of limited resources, day by day, and staff's exceptions to the limits."""

from django.conf import settings
from django.db import models
from django.utils import timezone


class ResourceUse(models.Model):
    """How much of a resource an account has used on a day, in UTC.

    The sum over all slots. Slot 0 is written by requests, in turn; workers write others, each
    mostly its own, so that they don't wait for one another. Written by `runner.quotas` and
    by the statement that records results.
    """

    pk = models.CompositePrimaryKey("user_id", "day", "resource", "slot")
    # Without a constraint: results are recorded also for accounts that were deleted.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.DO_NOTHING,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    day = models.DateField()
    resource = models.CharField(max_length=16)
    slot = models.SmallIntegerField(default=0)
    amount = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.user_id} {self.day} {self.resource}: {self.amount}"


class QuotaOverride(models.Model):
    """A limit of one account that replaces the site's, set by staff; in the resource's unit."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    resource = models.CharField(max_length=16)
    limit = models.BigIntegerField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(name="quota_override_once", fields=["user", "resource"]),
            models.CheckConstraint(
                name="quota_override_not_negative", condition=models.Q(limit__gte=0)
            ),
        ]
        indexes = [models.Index(name="quota_override_of", fields=["resource"])]  # sockets

    def __str__(self) -> str:
        return f"{self.user_id} {self.resource}: {self.limit}"
