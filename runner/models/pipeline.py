"""What pipelines carry: news of sources on their way to a view, and what the view made of them."""

from django.db import models
from django.db.models.functions import Now


class Arrival(models.Model):
    """A source's new value, written with the change itself; gone when its target is joined."""

    view = models.CharField(max_length=40)
    target = models.BigIntegerField()
    source = models.BigIntegerField()
    sequence = models.BigIntegerField()  # of the source: grows with each of its changes
    value = models.BigIntegerField()
    # by how much the target's total changes, where who writes this knows it
    difference = models.BigIntegerField(default=0, db_default=0)
    arrived_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(name="arrival_target", fields=["view", "target"])]  # joining

    def __str__(self) -> str:
        return f"{self.view} {self.target}: {self.source} says {self.value}"


class Contribution(models.Model):
    """What a view counts for one source: its value and target, as of a sequence of the source."""

    pk = models.CompositePrimaryKey("view", "source")
    view = models.CharField(max_length=40)
    source = models.BigIntegerField()
    sequence = models.BigIntegerField()
    target = models.BigIntegerField()
    value = models.BigIntegerField()

    class Meta:
        indexes = [
            models.Index(name="contribution_target", fields=["view", "target"])
        ]  # rebuilding

    def __str__(self) -> str:
        return f"{self.view} {self.target}: {self.source} counts {self.value}"
