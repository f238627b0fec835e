"""Flags: complaints to staff about items, one per user and item."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from .function import Function


class Flag(models.Model):
    """A complaint about a function, a work, a comment or a profile, with staff's resolution.

    The kinds are defined in `functions.moderation.flags`.
    """

    class State(models.TextChoices):
        OPEN = "open", pgettext_lazy("state of a flag", "open")
        UPHELD = "upheld", _("acted on")
        DISMISSED = "dismissed", _("dismissed")

    flagger = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="flags", db_index=False
    )
    kind = models.CharField(max_length=16)
    item_id = models.BigIntegerField()
    # null for a profile
    function = models.ForeignKey(
        Function, on_delete=models.CASCADE, null=True, related_name="flags", db_index=False
    )
    label = models.CharField(max_length=200, blank=True, default="")  # the item's label
    reason = models.CharField(max_length=500)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    resolver = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
    )
    note = models.CharField(max_length=500, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now)
    resolved_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(name="flag_once", fields=["flagger", "kind", "item_id"]),
            models.CheckConstraint(
                name="flag_resolved_by_somebody",
                condition=Q(state="open", resolver=None, resolved_at=None)
                | (~Q(state="open") & Q(resolver__isnull=False, resolved_at__isnull=False)),
            ),
        ]
        indexes = [
            models.Index(name="flag_by_state", fields=["state", "-id"]),  # staff's queue
            models.Index(name="flag_of_flagger", fields=["flagger", "-id"]),  # a user's own
        ]

    def __str__(self) -> str:
        return f"{self.flagger_id} on {self.kind} {self.item_id}: {self.state}"
