"""Follow-ups: work that must follow a transaction, stored inside it."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from .batch import Batch
from .semaphore import Ticket


class FollowUp(models.Model):
    """A call of a registered follow-up; the rows of one name and target are run in one call."""

    name = models.CharField(max_length=100)
    target = models.CharField(max_length=100)
    arguments = models.JSONField(default=dict)
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, null=True, related_name="follow_ups")
    # the user for whom it counts in fair queueing; null: nobody
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    # virtual time (fair queueing), set when it becomes due or is rescheduled
    vtime = models.BigIntegerField(default=0, db_default=0)
    attempts = models.SmallIntegerField(default=0)
    error = models.TextField(blank=True, default="")
    # the ticket that it waits for (it becomes due when that is granted), then holds
    ticket = models.ForeignKey(
        Ticket, on_delete=models.CASCADE, null=True, related_name="follow_ups", db_index=False
    )
    due_at = models.DateTimeField(null=True, db_default=Now())  # null: parked
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [
            # runs: due rows in order
            models.Index(
                name="follow_up_turn", fields=["vtime", "id"], condition=Q(due_at__isnull=False)
            ),
            # an owner's next virtual time
            models.Index(
                name="follow_up_of_owner",
                fields=["owner", "vtime"],
                condition=Q(due_at__isnull=False),
            ),
            models.Index(name="follow_up_due", fields=["due_at", "id"]),  # health: late rows
            models.Index(
                name="follow_up_target", fields=["name", "target"]
            ),  # runs: all rows of a target
            # semaphores: whether a holder has a continuation
            models.Index(
                name="follow_up_ticket", fields=["ticket"], condition=Q(ticket__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.target}"
