"""Fan-out runs: the processing of many items, page by page."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from .batch import Batch


class FanOut(models.Model):
    """The position of a fan-out run; a newer run of the same name supersedes it."""

    name = models.CharField(max_length=100, unique=True)
    source = models.CharField(max_length=100)
    step = models.CharField(max_length=100)
    arguments = models.JSONField(default=dict)  # of the source
    terms = models.JSONField(default=dict)  # of the step
    page = models.IntegerField()
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, null=True, related_name="fan_outs")
    # the user for whom page jobs count in fair queueing; null: the batch's owner
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    generation = models.BigIntegerField(default=1)
    number = models.BigIntegerField(default=0)  # of the next page, from 0
    cursor = models.JSONField(null=True)  # where the next page begins, in the source's own terms
    finished_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.name} page {self.number}"
