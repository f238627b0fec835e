"""Batches: requests to run programs."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from runner.states import BatchState

from .event import Topic


class Batch(models.Model):
    """A request to run programs; open until its tasks, children and follow-ups have ended."""

    topic = models.ForeignKey(
        Topic, on_delete=models.PROTECT, related_name="batches", db_index=False
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        db_index=False,
    )
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="children")
    cause = models.CharField(max_length=100)
    private = models.BooleanField(default=False)  # visible to its owner only
    recorder = models.CharField(max_length=100, blank=True, default="")
    request_key = models.CharField(max_length=100, blank=True, default="")
    request_digest = models.BinaryField(max_length=32, default=b"")
    state = models.SmallIntegerField(choices=BatchState.choices, default=BatchState.OPEN)
    all_tasks_loaded = models.BooleanField(default=False)
    # cancelled before all tasks were loaded
    is_cut_short = models.BooleanField(default=False, db_default=False)
    last_turn = models.BigIntegerField(default=0)  # the highest `vtime` of its executions
    created_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="batch_request_once",
                fields=["owner", "request_key"],
                condition=~Q(request_key=""),
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                name="batch_finished_iff_not_open",
                condition=Q(state=BatchState.OPEN, finished_at__isnull=True)
                | (~Q(state=BatchState.OPEN) & Q(finished_at__isnull=False)),
            ),
        ]
        indexes = [
            models.Index(
                name="batch_open", fields=["topic"], condition=Q(state=BatchState.OPEN)
            ),  # sequencing
            # an owner's next virtual time
            models.Index(
                name="batch_open_of_owner", fields=["owner"], condition=Q(state=BatchState.OPEN)
            ),
            # retention
            models.Index(
                name="batch_finished",
                fields=["finished_at"],
                condition=Q(finished_at__isnull=False),
            ),
            models.Index(name="batch_recent", fields=["topic", "-id"]),  # a topic's last batch
            # lists: of an owner, in a state (nearly all are complete), since an instant
            models.Index(name="batch_of_owner", fields=["owner", "-id"]),
            models.Index(
                name="batch_not_complete",
                fields=["state", "-id"],
                condition=~Q(state=BatchState.COMPLETE),
            ),
            models.Index(name="batch_created", fields=["created_at"]),
        ]

    def __str__(self) -> str:
        return f"run {self.pk}"
