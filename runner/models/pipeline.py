"""Rows of pipelines: updates on their way to a view, and what the view counts."""

from django.db import models
from django.db.models.functions import Now


class Arrival(models.Model):
    """A source's new value, written with its change; deleted when its target is joined."""

    view = models.CharField(max_length=40)
    target = models.BigIntegerField()
    source = models.BigIntegerField()
    sequence = models.BigIntegerField()  # of the source, raised by each of its changes
    value = models.BigIntegerField()
    # by how much the target's total changes, if the writer knows
    difference = models.BigIntegerField(default=0, db_default=0)
    arrived_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(name="arrival_target", fields=["view", "target"])]  # joins

    def __str__(self) -> str:
        return f"{self.view} {self.target}: {self.source} says {self.value}"


class Contribution(models.Model):
    """What a view counts for one source: its value and target as of a sequence number."""

    pk = models.CompositePrimaryKey("view", "source")
    view = models.CharField(max_length=40)
    source = models.BigIntegerField()
    sequence = models.BigIntegerField()
    target = models.BigIntegerField()
    value = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(name="contribution_target", fields=["view", "target"])]  # rebuilds

    def __str__(self) -> str:
        return f"{self.view} {self.target}: {self.source} counts {self.value}"
