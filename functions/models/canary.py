"""Canaries: outside projects with the releases that they have locked, and what they were told."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from .release import Release
from .webhook import Webhook


class Canary(models.Model):
    """An outside project, registered by its owner; nobody else sees it.

    `version` counts its changes. `sequence` counts what it was told, which gives each delivery a
    key of its own.
    """

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="canaries",
        db_index=False,  # `canary_name_once` begins with it
    )
    name = models.CharField(max_length=80)  # of the project
    # made with the canary; without one, what differs can only be asked for
    webhook = models.OneToOneField(
        Webhook, on_delete=models.SET_NULL, null=True, related_name="canary"
    )
    version = models.IntegerField(default=1)
    sequence = models.IntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    locked_at = models.DateTimeField(default=timezone.now)  # the last lock
    told_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            # also finds the canaries of an account
            models.UniqueConstraint(name="canary_name_once", fields=["owner", "name"])
        ]

    def __str__(self) -> str:
        return self.name


class LockedRelease(models.Model):
    """A release that a canary has locked, and the state of its name that the canary was told.

    `told_number` is the release that was current (0: none). `told_yanked` is why the locked one
    was yanked. `told_cause` is a hash of the cause of the election that was under way, or empty.
    """

    canary = models.ForeignKey(
        Canary, on_delete=models.CASCADE, related_name="locked", db_index=False
    )
    # Installers know a name, whichever function has it.
    name_key = models.CharField(max_length=80)
    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="+", db_index=False)
    told_number = models.IntegerField(default=0)
    told_yanked = models.CharField(max_length=10, blank=True, default="")
    told_cause = models.CharField(max_length=32, blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(name="locked_once", fields=["canary", "name_key"]),
        ]
        indexes = [
            # elections: the canaries of many names
            models.Index(name="locked_by_name", fields=["name_key", "canary"]),
        ]

    def __str__(self) -> str:
        return f"{self.canary_id} locks {self.name_key}"
