"""Functions and revisions of their definitions."""

import hashlib

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.functions import RandomUUID
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from .search_expressions import letters_of, words_of_function


class Function(models.Model):
    """A named function with its standing, which `functions.elections` keeps."""

    class Language(models.TextChoices):
        PYTHON = "python", "Python"

    class Status(models.TextChoices):
        IMPLEMENTED = "implemented", _("Implemented")
        BLOCKED = "blocked", _("Blocked")
        NOT_IMPLEMENTED = "not_implemented", _("Not implemented")

    name = models.CharField(max_length=80)
    name_key = models.CharField(
        max_length=80
    )  # the name in lower case: `Add` and `add` are one name
    signature = models.CharField(max_length=500, blank=True, default="")
    description = models.TextField(blank=True, default="")  # Markdown
    kind = models.CharField(max_length=16, default="function")  # a name in `functions.kinds`
    language = models.CharField(max_length=16, choices=Language.choices, default=Language.PYTHON)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="functions"
    )
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True, blank=True)
    archived_at = models.DateTimeField(null=True, blank=True)
    # recipient of an open offer of ownership
    offered_to = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="functions_offered",
    )

    # the function that this one was made from
    cloned_from = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="clones"
    )

    # last numbers of its works; never reused
    last_implementation_number = models.IntegerField(default=0)
    last_test_number = models.IntegerField(default=0)

    # standing
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.NOT_IMPLEMENTED)
    blocked_by = models.CharField(max_length=80, blank=True, default="")  # missing name
    untested = models.BooleanField(default=True)
    judging = models.BooleanField(default=False)  # an election waits for verdicts
    due_to = models.CharField(max_length=200, blank=True, default="")  # pending causes
    # functions whose changed elections also caused it
    due_changes = ArrayField(models.BigIntegerField(), default=list, db_default=[], blank=True)
    # set while unsettled; the election is kept until the chase ends
    chase = models.ForeignKey(
        "Chase", on_delete=models.SET_NULL, null=True, blank=True, related_name="functions"
    )
    elected = models.ForeignKey(
        "Implementation", on_delete=models.RESTRICT, null=True, blank=True, related_name="+"
    )
    # if nothing is elected: the candidate to try together with other functions'
    proposed = models.ForeignKey(
        "Implementation", on_delete=models.RESTRICT, null=True, blank=True, related_name="+"
    )
    # if nothing is elected: candidates that failed in trials with others and gave way to the next
    # (`works`), valid as long as the hash of all inputs is the same (`basis`)
    gave_way = models.JSONField(null=True, blank=True)
    # names of its cycle's functions, including its own; empty: no cycle
    circle = ArrayField(models.CharField(max_length=80), default=list, db_default=[], blank=True)
    # hash of the elected source and its dependencies' digests: of all that dependents import
    closure_digest = models.BinaryField(max_length=32, default=b"")
    # Random, and set anew by a trigger on each write: no rollback and no restored backup brings a
    # version back with other content. Caches rely on it.
    version = models.UUIDField(db_default=RandomUUID())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="function_name_once", fields=["name_key"], condition=Q(deleted_at=None)
            ),
            models.CheckConstraint(
                name="function_implemented_has_elected",
                condition=~Q(status="implemented", elected=None),
            ),
        ]
        indexes = [
            models.Index(
                name="function_by_status",
                fields=["status", "-changed_at"],
                condition=Q(deleted_at=None),
            ),
            # defining: the last owner of a name
            models.Index(
                name="function_deleted", fields=["name_key", "-id"], condition=~Q(deleted_at=None)
            ),
            models.Index(
                name="function_by_change", fields=["-changed_at"], condition=Q(deleted_at=None)
            ),
            # counts of filters
            models.Index(
                name="function_counted",
                fields=["status", "untested"],
                condition=Q(deleted_at=None, archived_at=None),
            ),
            # a person's activity
            models.Index(
                name="function_by_owner",
                fields=["owner", "-created_at", "-id"],
                condition=Q(deleted_at=None),
            ),
            # searching: words, then any three letters of a name or a signature
            GinIndex(words_of_function(), name="function_words", condition=Q(deleted_at=None)),
            GinIndex(
                letters_of("name"),
                letters_of("signature"),
                name="function_letters",
                condition=Q(deleted_at=None),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("function", args=[self.name])

    @property
    def definition_digest(self) -> str:
        """A digest of what its owner decides, which tells changes of it apart."""
        decided = (self.name, self.signature, self.description, self.owner_id, self.offered_to_id)
        state = repr((*decided, self.archived_at is None, self.kind))
        return hashlib.sha256(state.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @property
    def topic(self) -> str:
        """Name of the topic that its page follows."""
        return topic_of(self.pk)


def topic_of(function_id: int) -> str:
    """Return the name of the topic that a function's page follows."""
    return f"function:{function_id}"


class FunctionRevision(models.Model):
    """A function's definition after a change."""

    function = models.ForeignKey(Function, on_delete=models.CASCADE, related_name="revisions")
    editor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=80)
    signature = models.CharField(max_length=500, blank=True, default="")
    description = models.TextField(blank=True, default="")
    restored = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )  # the earlier revision that this one restores
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(name="revision_of_function", fields=["function", "-id"])
        ]  # the page of revisions

    def __str__(self) -> str:
        return f"{self.function_id} at {self.created_at:%Y-%m-%d %H:%M}"
