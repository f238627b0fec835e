"""Periodic tasks and incidents."""

from django.db import models
from django.db.models.functions import Now


class Chore(models.Model):
    """A periodic task of the sweepers: when it last ran, and its cursor."""

    name = models.CharField(max_length=50, primary_key=True)
    ran_at = models.DateTimeField()
    cursor = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return self.name


class Incident(models.Model):
    """A failure that was repaired, or after which something was given up."""

    kind = models.CharField(max_length=50)
    detail = models.TextField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(name="incident_kind", fields=["kind", "created_at"])]  # counts

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}"
