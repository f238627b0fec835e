"""Functions: a name that code uses, and what its implementations must define."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from .searching import letters_of, words_of_function


class Function(models.Model):
    """A named function with its standing, which `functions.settling` keeps."""

    class Kind(models.TextChoices):
        FUNCTION = "function", "function"
        CLASS = "class", "class"

    class Language(models.TextChoices):
        PYTHON = "python", "Python"

    class Status(models.TextChoices):
        IMPLEMENTED = "implemented", "Implemented"
        BLOCKED = "blocked", "Blocked"
        NOT_IMPLEMENTED = "not_implemented", "Not implemented"

    name = models.CharField(max_length=80)
    name_key = models.CharField(
        max_length=80
    )  # the name in lower case: `Add` and `add` are one name
    signature = models.CharField(max_length=500, blank=True, default="")
    description = models.TextField(blank=True, default="")  # Markdown
    kind = models.CharField(max_length=16, choices=Kind.choices, default=Kind.FUNCTION)
    language = models.CharField(max_length=16, choices=Language.choices, default=Language.PYTHON)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="functions"
    )
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True, blank=True)
    archived_at = models.DateTimeField(null=True, blank=True)
    # whom the owner has offered it to
    offered_to = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="functions_offered",
    )

    # numbers given to its works, counting up and never used again
    last_implementation_number = models.IntegerField(default=0)
    last_test_number = models.IntegerField(default=0)

    # standing
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.NOT_IMPLEMENTED)
    blocked_by = models.CharField(max_length=80, blank=True, default="")  # the name that blocks it
    untested = models.BooleanField(default=True)
    judging = models.BooleanField(default=False)  # an election waits for verdicts
    due_to = models.CharField(max_length=200, blank=True, default="")  # what that one is held for
    # the functions whose changed elections that one is held for, beside causes of its own
    due_changes = ArrayField(models.BigIntegerField(), default=list, db_default=[], blank=True)
    # unsettled: with which others its elections chase each other; what it has elected is kept
    chase = models.ForeignKey(
        "Chase", on_delete=models.SET_NULL, null=True, blank=True, related_name="functions"
    )
    elected = models.ForeignKey(
        "Implementation", on_delete=models.RESTRICT, null=True, blank=True, related_name="+"
    )
    # without one: the best candidate that can be judged only together with other functions'
    proposed = models.ForeignKey(
        "Implementation", on_delete=models.RESTRICT, null=True, blank=True, related_name="+"
    )
    # without one: which of its candidates, tried together with others', have given way to the next
    # (`works`), as long as all that this rests on is the same (`basis`)
    gave_way = models.JSONField(null=True, blank=True)
    # the names of those that are elected together, itself among them; empty: it is elected alone
    circle = ArrayField(models.CharField(max_length=80), default=list, db_default=[], blank=True)
    # over the elected implementation's source and its dependencies' digests: what dependents import
    closure_digest = models.BinaryField(max_length=32, default=b"")

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
            # defining: who had the name last?
            models.Index(
                name="function_deleted", fields=["name_key", "-id"], condition=~Q(deleted_at=None)
            ),
            models.Index(
                name="function_by_change", fields=["-changed_at"], condition=Q(deleted_at=None)
            ),
            # counting what a list could be narrowed to
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
    def topic(self) -> str:
        """Name of the stream that its page follows."""
        return f"function:{self.pk}"


class FunctionRevision(models.Model):
    """What a function's definition said after a change."""

    function = models.ForeignKey(Function, on_delete=models.CASCADE, related_name="revisions")
    editor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=80)
    signature = models.CharField(max_length=500, blank=True, default="")
    description = models.TextField(blank=True, default="")
    restored = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )  # an earlier one that says the same, if this is its restoration
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(name="revision_of_function", fields=["function", "-id"])
        ]  # the page of revisions

    def __str__(self) -> str:
        return f"{self.function_id} at {self.created_at:%Y-%m-%d %H:%M}"
