"""Work that must follow a transaction, written inside it."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from .batch import Batch
from .semaphore import Ticket


class FollowUp(models.Model):
    """A registered callable to run; the rows of one name and target are run together, once."""

    name = models.CharField(max_length=100)
    target = models.CharField(max_length=100)
    arguments = models.JSONField(default=dict)
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, null=True, related_name="follow_ups")
    # on whose behalf it is run: turns are fair among owners; null: on nobody's
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    # fair turn among owners, given when it is due or put off
    vtime = models.BigIntegerField(default=0, db_default=0)
    attempts = models.SmallIntegerField(default=0)
    error = models.TextField(blank=True, default="")
    # the semaphore's ticket that it waits for (it is due when that is handed on), then holds
    ticket = models.ForeignKey(
        Ticket, on_delete=models.CASCADE, null=True, related_name="follow_ups", db_index=False
    )
    due_at = models.DateTimeField(null=True, db_default=Now())  # null: parked
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [
            # running: what is due, in its turn
            models.Index(
                name="follow_up_turn", fields=["vtime", "id"], condition=Q(due_at__isnull=False)
            ),
            # giving an owner the next turn
            models.Index(
                name="follow_up_of_owner",
                fields=["owner", "vtime"],
                condition=Q(due_at__isnull=False),
            ),
            models.Index(name="follow_up_due", fields=["due_at", "id"]),  # looking what is late
            models.Index(
                name="follow_up_target", fields=["name", "target"]
            ),  # gathering the arrivals
            # looking whether a holder goes on
            models.Index(
                name="follow_up_ticket", fields=["ticket"], condition=Q(ticket__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.target}"
