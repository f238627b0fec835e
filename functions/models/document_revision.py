"""Revisions of documents: the versions of one work, as deltas."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from runner.models import Batch

from .work import Implementation, Test


class DocumentRevision(models.Model):
    """A change of a published document by its author, which is shown once it passed the tests.

    Version 1 of a work is what was published; a revision that is shown makes the next one. The work
    has the newest version; `functions.json_data.deltas` restores the others.
    """

    class State(models.TextChoices):
        PENDING = "pending", _("being judged")
        SHOWN = "shown", _("shown")
        REFUSED = "refused", _("refused")

    implementation = models.ForeignKey(
        Implementation, on_delete=models.CASCADE, related_name="revisions"
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    number = models.IntegerField(null=True)  # of the version that it made
    delta = models.JSONField(null=True)  # a JSON Patch from the version before
    sha256 = models.BinaryField(max_length=32)  # of the canonical JSON of its version
    code = models.TextField(blank=True, default="")  # as written, unless it is shown
    restores = models.IntegerField(null=True)  # number of the version that it brings back
    editor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="document_revisions"
    )
    # the last run of its programs, and how often they were submitted
    batch = models.ForeignKey(
        Batch,
        on_delete=models.DO_NOTHING,
        null=True,
        related_name="+",
        db_constraint=False,  # retention deletes batches without cascading in Django
    )
    submissions = models.IntegerField(default=0)
    # why it was refused: `functions.recorded` translates it
    reason = models.CharField(max_length=300, blank=True, default="")
    failing = models.ForeignKey(
        Test, on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    created_at = models.DateTimeField(default=timezone.now)
    decided_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="document_revision_number", fields=["implementation", "number"]
            ),
            models.UniqueConstraint(
                name="document_revision_pending_once",
                fields=["implementation"],
                condition=Q(state="pending"),
            ),
            models.CheckConstraint(
                name="document_revision_shown",
                condition=Q(state="shown", number__gte=2, delta__isnull=False)
                | (~Q(state="shown") & Q(number=None, delta=None)),
            ),
        ]
        indexes = [
            # the history of a work
            models.Index(name="document_revision_history", fields=["implementation", "-id"]),
        ]

    def __str__(self) -> str:
        return f"revision {self.pk} of {self.implementation_id}"
