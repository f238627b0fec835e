"""Tickets of semaphores; a semaphore without open tickets doesn't exist."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class TicketState(models.IntegerChoices):
    """The state of a ticket; a database trigger rejects changes of ended ones."""

    WAITING = 0, "waiting"
    HELD = 1, "held"
    RETURNED = 2, "returned"  # by its holder
    LOST = 3, "lost"  # its holder is gone, or the hold above it has ended


OPEN_TICKETS = (TicketState.WAITING, TicketState.HELD)
ENDED_TICKETS = (TicketState.RETURNED, TicketState.LOST)


class Ticket(models.Model):
    """A request for a semaphore: waiting, then held, then ended. Its id is the fencing token."""

    name = models.CharField(max_length=100, unique=True)  # identifies repeated requests
    key = models.CharField(max_length=100)
    capacity = models.IntegerField()  # equal in all open tickets of a key
    holder = models.CharField(max_length=100)
    state = models.SmallIntegerField(choices=TicketState.choices)
    # the hold with whose end this ticket is lost
    under = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, related_name="+", db_index=False
    )
    # the user for whom steps count in fair queueing
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    leased_until = models.DateTimeField(null=True)  # renewed by a process, not by continuations
    reported_at = models.DateTimeField(null=True)  # when it was found in a deadlock
    created_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="ticket_leased_only_while_held",
                condition=Q(leased_until__isnull=True) | Q(state=TicketState.HELD),
            ),
            models.CheckConstraint(
                name="ticket_ended_iff_over",
                condition=Q(state__in=OPEN_TICKETS, ended_at__isnull=True)
                | Q(state__in=ENDED_TICKETS, ended_at__isnull=False),
            ),
        ]
        indexes = [
            # acquiring, and granting to the longest-waiting
            models.Index(
                name="ticket_queue",
                fields=["key", "state", "id"],
                condition=Q(state__in=OPEN_TICKETS),
            ),
            # whether a holder has a continuation
            models.Index(
                name="ticket_of_holder", fields=["holder"], condition=Q(state__in=OPEN_TICKETS)
            ),
            models.Index(
                name="ticket_under", fields=["under"], condition=Q(under__isnull=False)
            ),  # deletion
            models.Index(
                name="ticket_over", fields=["ended_at"], condition=Q(state__in=ENDED_TICKETS)
            ),  # deletion
        ]

    def __str__(self) -> str:
        return self.name
