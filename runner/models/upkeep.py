"""What keeps the machinery itself in order: chores done now and then, and what went wrong."""

from django.db import models
from django.db.models.functions import Now


class Chore(models.Model):
    """A chore that some sweeper does now and then: when it was last done, and how far it got."""

    name = models.CharField(max_length=50, primary_key=True)
    ran_at = models.DateTimeField()
    cursor = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return self.name


class Incident(models.Model):
    """Something that should not have happened, and was mended or given up."""

    kind = models.CharField(max_length=50)
    detail = models.TextField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(name="incident_kind", fields=["kind", "created_at"])]  # counting

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}"
