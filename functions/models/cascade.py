"""Cascades: batches of dependents by level, and superseded tasks."""

from django.db import models
from django.utils import timezone

from runner.models import Batch


class Level(models.Model):
    """The batch that runs the programs of one level of a cascade.

    Level 1 has the direct dependents of the root batch's function.
    """

    batch = models.OneToOneField(
        Batch,
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="level",
        db_constraint=False,  # retention deletes batches without cascading in Django
    )
    root = models.ForeignKey(
        Batch,
        on_delete=models.CASCADE,
        related_name="levels",
        db_constraint=False,
        db_index=False,
    )
    number = models.IntegerField()

    class Meta:
        indexes = [
            models.Index(name="level_of_root", fields=["root", "-number"])
        ]  # the next level of a cascade

    def __str__(self) -> str:
        return f"level {self.number} of {self.root_id}"


class Supersession(models.Model):
    """Tasks of a batch that were cancelled because a change made them obsolete."""

    batch = models.ForeignKey(
        Batch, on_delete=models.CASCADE, related_name="supersessions", db_constraint=False
    )
    # the batch that runs their programs instead; null while a dependency is being judged
    successor = models.ForeignKey(
        Batch, on_delete=models.SET_NULL, null=True, related_name="+", db_constraint=False
    )
    tasks = models.IntegerField()  # number of cancelled tasks
    cause = models.CharField(max_length=200)
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.tasks} of {self.batch_id}: {self.cause}"
