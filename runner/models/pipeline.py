"""Rows of materialised views: pending updates, and the contributions of sources."""

from django.db import models
from django.db.models.functions import Now


class Arrival(models.Model):
    """A pending update: a source's new value; deleted when its target is joined."""

    view = models.CharField(max_length=40)
    target = models.BigIntegerField()
    source = models.BigIntegerField()
    sequence = models.BigIntegerField()  # of the source, raised by each of its changes
    value = models.BigIntegerField()
    # the change of the target's total, if the writer knows it
    difference = models.BigIntegerField(default=0, db_default=0)
    arrived_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(name="arrival_target", fields=["view", "target"])]  # joins

    def __str__(self) -> str:
        return f"{self.view} {self.target}: {self.source} becomes {self.value}"


class Contribution(models.Model):
    """The contribution of a source to a view: its value and target as of a sequence number."""

    pk = models.CompositePrimaryKey("view", "source")
    view = models.CharField(max_length=40)
    source = models.BigIntegerField()
    sequence = models.BigIntegerField()
    target = models.BigIntegerField()
    value = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(name="contribution_target", fields=["view", "target"])]  # rebuilds

    def __str__(self) -> str:
        return f"{self.view} {self.target}: {self.source} is {self.value}"
