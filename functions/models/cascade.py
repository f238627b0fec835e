"""Cascades: what a change of one function causes in others, level by level."""

from django.db import models
from django.utils import timezone

from runner.models import Batch


class Level(models.Model):
    """The batch of one level of a cascade: what is run for the functions that it has reached.

    Level 1 are those that name the function where the cascade began, the root's.
    """

    batch = models.OneToOneField(
        Batch,
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="level",
        db_constraint=False,  # batches are cleaned up without a look at us
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
    """Tasks of a batch that were cancelled since a change made them pointless."""

    batch = models.ForeignKey(
        Batch, on_delete=models.CASCADE, related_name="supersessions", db_constraint=False
    )
    # what runs in their place; none while a dependency is being judged
    successor = models.ForeignKey(
        Batch, on_delete=models.SET_NULL, null=True, related_name="+", db_constraint=False
    )
    tasks = models.IntegerField()  # how many were cancelled
    cause = models.CharField(max_length=200)
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.tasks} of {self.batch_id}: {self.cause}"
