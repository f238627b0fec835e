"""The history of current implementations, with the cause of each change."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from runner.models import Batch

from .function import Function
from .work import Implementation


class Election(models.Model):
    """A change of a function's current implementation from `previous` to `elected` (null: none).

    `cause` is the event at this function. In a cascade, `origin` is the function where it began,
    and `origin_cause` the event there. `batch` is the run that decided it, or the first
    of its cascade, and `by` that run's owner.

    `caused_by` are the ids of the elections that directly caused it, `began` is the first of all
    that led to it (null: itself). `basis` is a hash of the function's works. If `unsettled`, it
    restored what was elected before its function and others began to unseat each other.
    """

    CAUSE_SEPARATOR = "; "

    function = models.ForeignKey(Function, on_delete=models.CASCADE, related_name="elections")
    elected = models.ForeignKey(
        Implementation, on_delete=models.CASCADE, null=True, related_name="+"
    )
    previous = models.ForeignKey(
        Implementation, on_delete=models.CASCADE, null=True, related_name="+"
    )
    # names of the cycle's functions, including its own
    circle = ArrayField(models.CharField(max_length=80), default=list, db_default=[], blank=True)
    cause = models.CharField(max_length=200)
    caused_by = ArrayField(models.BigIntegerField(), default=list, db_default=[], blank=True)
    began = models.BigIntegerField(null=True)
    basis = models.BinaryField(max_length=32, default=b"", db_default=b"")
    unsettled = models.BooleanField(default=False, db_default=False)
    origin = models.ForeignKey(
        Function, on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    origin_cause = models.CharField(max_length=200, blank=True, default="")
    batch = models.ForeignKey(
        Batch,
        on_delete=models.DO_NOTHING,
        null=True,
        related_name="+",
        db_constraint=False,  # retention deletes batches without cascading in Django
        db_index=False,
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        db_index=False,
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(name="election_of_function", fields=["function", "-id"])
        ]  # why is this current?

    def __str__(self) -> str:
        return f"{self.function_id}: {self.elected_id}"
