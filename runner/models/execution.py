"""Executions of programs, one row per key, and their attempts."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from runner.states import State


class Execution(models.Model):
    """A program and the state of its execution, shared by all of its tasks."""

    key = models.BinaryField(unique=True, max_length=32)
    program = models.JSONField()  # the canonical form, whose hash is `key`; sources by hash
    tag = models.CharField(max_length=64, blank=True, default="")
    # the owner for whom it became pending last: claims are fair among owners
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    state = models.SmallIntegerField(
        choices=State.choices, default=State.PENDING, db_default=State.PENDING
    )
    priority = models.SmallIntegerField(default=0)  # lower is sooner
    vtime = models.BigIntegerField(
        default=0, db_default=0
    )  # virtual time (fair queueing), set when it becomes pending
    token = models.BigIntegerField(
        default=0, db_default=0
    )  # fencing token: raised by each claim and cancellation
    attempts = models.SmallIntegerField(default=0, db_default=0)
    # exclusive: never claimed with others again, after a lost lease or a wall-clock limit
    alone = models.BooleanField(default=False, db_default=False)
    leased_until = models.DateTimeField(null=True)
    due_at = models.DateTimeField(null=True)  # the earliest time of a claim; null: now
    worker = models.CharField(max_length=100, blank=True, default="", db_default="")
    claimed_at = models.DateTimeField(db_default=Now())  # the last time
    created_at = models.DateTimeField(db_default=Now())
    used_at = models.DateTimeField(db_default=Now())  # by a task, to the day

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="execution_leased_iff_in_progress",
                condition=Q(state=State.IN_PROGRESS, leased_until__isnull=False)
                | (~Q(state=State.IN_PROGRESS) & Q(leased_until__isnull=True)),
            ),
        ]
        indexes = [
            # claims: ready executions in order
            models.Index(
                name="execution_ready",
                fields=["priority", "vtime", "id"],
                condition=Q(state__in=(State.PENDING, State.FAILED)),
            ),
            # sweeps: expired leases
            models.Index(
                name="execution_leased",
                fields=["leased_until"],
                condition=Q(state=State.IN_PROGRESS),
            ),
        ]

    def __str__(self) -> str:
        return bytes(self.key).hex()[:12]


class Attempt(models.Model):
    """One attempt at an execution, with its error.

    A running attempt gets a row only when it has lasted a moment; until then, the execution's row
    has the worker and the time of the claim.
    """

    class Outcome(models.TextChoices):
        """How the attempt ended; empty while it is running."""

        RUNNING = "", "running"
        RECORDED = "recorded", "recorded"
        HANDED_BACK = "handed_back", "handed back"
        REPEATED = "repeated", "repeated"  # hit the wall-clock limit while others ran beside it
        FAILED = "failed", "failed"
        LOST = "lost", "lost"
        CANCELLED = "cancelled", "cancelled"

    execution = models.ForeignKey(
        Execution, on_delete=models.CASCADE, related_name="tries", db_index=False
    )
    number = models.SmallIntegerField()
    token = models.BigIntegerField()
    worker = models.CharField(max_length=100)
    outcome = models.CharField(
        max_length=12, choices=Outcome.choices, blank=True, default="", db_default=""
    )
    error = models.TextField(blank=True, default="", db_default="")  # with the traceback
    started_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(name="attempt_token", fields=["execution", "token"])]

    def __str__(self) -> str:
        return f"{self.execution_id} try {self.number}"
