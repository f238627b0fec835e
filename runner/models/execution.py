"""Programs being run: one permanent row per program key, and each attempt at it."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from runner.states import State


class Execution(models.Model):
    """A program and where its one execution stands, shared by every task that wants it."""

    key = models.BinaryField(unique=True, max_length=32)
    program = models.JSONField()  # the canonical form that `key` is the hash of; sources by hash
    tag = models.CharField(max_length=64, blank=True, default="")
    # on whose behalf it became pending last: claims are fair among owners
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
    )  # fair turn among owners, given when it becomes pending
    token = models.BigIntegerField(
        default=0, db_default=0
    )  # fencing number: grows with each claim and cancel
    attempts = models.SmallIntegerField(default=0, db_default=0)
    # after a lost lease, or one that ran out of wall-clock time: never claimed in a group again
    alone = models.BooleanField(default=False, db_default=False)
    leased_until = models.DateTimeField(null=True)
    due_at = models.DateTimeField(null=True)  # not before this instant; null: at once
    worker = models.CharField(max_length=100, blank=True, default="", db_default="")
    claimed_at = models.DateTimeField(db_default=Now())  # the last time
    created_at = models.DateTimeField(db_default=Now())
    used_at = models.DateTimeField(db_default=Now())  # when a task wanted it last, to the day

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="execution_leased_iff_in_progress",
                condition=Q(state=State.IN_PROGRESS, leased_until__isnull=False)
                | (~Q(state=State.IN_PROGRESS) & Q(leased_until__isnull=True)),
            ),
        ]
        indexes = [
            # claiming: what is ready, in its turn
            models.Index(
                name="execution_ready",
                fields=["priority", "vtime", "id"],
                condition=Q(state__in=(State.PENDING, State.FAILED)),
            ),
            # sweeping: leases that ran out
            models.Index(
                name="execution_leased",
                fields=["leased_until"],
                condition=Q(state=State.IN_PROGRESS),
            ),
        ]

    def __str__(self) -> str:
        return bytes(self.key).hex()[:12]


class Attempt(models.Model):
    """One try at an execution, kept with what went wrong.

    Until it has ended it is a row only if it goes on for longer than a moment: the execution's own
    row says who has claimed it, and when, so that none is lost.
    """

    class Outcome(models.TextChoices):
        """How the attempt ended; empty while it runs."""

        RUNNING = "", "running"
        RECORDED = "recorded", "recorded"
        HANDED_BACK = "handed_back", "handed back"
        REPEATED = "repeated", "repeated"  # out of wall-clock time while others ran beside it
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
