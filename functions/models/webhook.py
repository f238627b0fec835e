"""Webhooks: addresses of programs that are sent events, and the record of each delivery."""

import hashlib

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from .function import Function


class Webhook(models.Model):
    """An address that a person's program is sent events at, signed with the secret."""

    class Subject(models.TextChoices):
        FUNCTION = "function", _("a function")
        PERSON = "person", _("a person")
        DEPENDENCIES = "dependencies", _("everything that your published works use")
        CANARY = "canary", _("a canary")  # chosen by its canary, never by an event

    class SwitchedOff(models.TextChoices):
        """Why it is not active."""

        BY_OWNER = "owner", _("You switched it off.")
        GONE = "gone", _("Its receiver answered that it is gone (410).")
        FAILING = "failing", _("Every delivery has failed for five days.")

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="webhooks", db_index=False
    )
    url = models.CharField(max_length=500)
    host = models.CharField(max_length=255)  # of the address, with the port
    subject = models.CharField(max_length=12, choices=Subject.choices)
    function = models.ForeignKey(
        Function, on_delete=models.CASCADE, null=True, related_name="+", db_index=False
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        related_name="+",
        db_index=False,
    )
    events = ArrayField(models.CharField(max_length=30), default=list, blank=True)
    secret = models.CharField(max_length=60)
    # also signed with for a day after the secret was replaced
    former_secret = models.CharField(max_length=60, blank=True, default="")
    rotated_at = models.DateTimeField(null=True)
    active = models.BooleanField(default=True)
    switched_off = models.CharField(
        max_length=8, choices=SwitchedOff.choices, blank=True, default=""
    )
    failing_since = models.DateTimeField(null=True)  # the first failure after the last success
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="webhook_of_one_subject",
                condition=Q(subject="function", function__isnull=False, person=None)
                | Q(subject="person", function=None, person__isnull=False)
                | Q(subject__in=["dependencies", "canary"], function=None, person=None),
            )
        ]
        indexes = [
            models.Index(name="webhook_of_owner", fields=["owner", "-id"]),  # one's own
            # who is sent an event
            models.Index(
                name="webhook_of_function", fields=["function", "id"], condition=Q(active=True)
            ),
            models.Index(
                name="webhook_of_person", fields=["person", "id"], condition=Q(active=True)
            ),
            models.Index(
                name="webhook_of_dependencies",
                fields=["owner", "id"],
                condition=Q(active=True, subject="dependencies"),
            ),
        ]

    def __str__(self) -> str:
        return f"webhook {self.pk} of {self.owner_id}"

    def get_absolute_url(self) -> str:
        return reverse("webhook", args=[self.pk])

    @property
    def digest(self) -> str:
        """A digest of what its owner decides, which tells changes of it apart."""
        state = repr((self.url, self.events, self.active, self.secret))
        return hashlib.sha256(state.encode()).hexdigest()[:16]


class WebhookDelivery(models.Model):
    """An event to be sent to a webhook, until it is delivered or given up.

    `due_at` is when it is sent next. Who sends it holds a lease until `leased_until`, which tells
    senders apart. `payload` has what everybody may see; the actor's name is added when it is sent,
    as accounts may be deleted or renamed meanwhile.
    """

    class State(models.TextChoices):
        PENDING = "pending", _("Pending")
        DELIVERED = "delivered", _("Delivered")
        FAILED = "failed", _("Failed")

    webhook = models.ForeignKey(
        Webhook, on_delete=models.CASCADE, related_name="deliveries", db_index=False
    )
    # the same for each attempt, so that receivers can tell repeats
    uuid = models.UUIDField(db_default=RandomUUID())
    host = models.CharField(max_length=255)  # the webhook's
    event = models.CharField(max_length=30)
    key = models.CharField(max_length=120)  # of the event
    payload = models.JSONField()
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        db_index=False,
    )
    state = models.CharField(max_length=9, choices=State.choices, default=State.PENDING)
    attempts = models.SmallIntegerField(default=0)  # that were begun
    due_at = models.DateTimeField(db_default=Now())
    leased_until = models.DateTimeField(null=True)
    status = models.SmallIntegerField(null=True)  # of the last answer
    answer = models.CharField(max_length=500, blank=True, default="")  # how its body begins
    error = models.CharField(max_length=300, blank=True, default="")
    duration_ms = models.IntegerField(null=True)
    created_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            # an event that is announced again adds nothing
            models.UniqueConstraint(name="webhook_delivery_once", fields=["webhook", "key"])
        ]
        indexes = [
            models.Index(name="webhook_delivery_of_webhook", fields=["webhook", "-id"]),  # a page
            # what is due, by host
            models.Index(
                name="webhook_delivery_due", fields=["host", "due_at"], condition=Q(state="pending")
            ),
            # how many are being sent to a host
            models.Index(
                name="webhook_delivery_leased",
                fields=["host"],
                condition=Q(state="pending", leased_until__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} to webhook {self.webhook_id}: {self.state}"
