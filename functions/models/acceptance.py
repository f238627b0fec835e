"""Acceptance tests: tests of a dependency's current implementation by the dependent's owner."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.urls import reverse
from django.utils import timezone

from .function import Function


class AcceptanceTest(models.Model):
    """A test, by the owner of `function`, of the current implementation of `target`.

    It only warns. A model apart from `Test`, so that elections never read it.
    """

    class State(models.TextChoices):
        DRAFT = "draft", "draft"
        PUBLISHED = "published", "published"
        WITHDRAWN = "withdrawn", "withdrawn"

    noun = "acceptance test"

    function = models.ForeignKey(
        Function, on_delete=models.CASCADE, related_name="acceptance_tests"
    )
    target = models.ForeignKey(Function, on_delete=models.CASCADE, related_name="accepted_by")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="acceptance_tests"
    )
    title = models.CharField(max_length=120, blank=True, default="")
    code = models.TextField(blank=True, default="")
    # Names that the code of a published test marks, in lower case.
    names = ArrayField(models.TextField(), default=list, db_default=[])
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    version = models.IntegerField(default=1, db_default=1)  # of the draft; incremented by each save
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)
    published_at = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)

    # Key of the current program, kept by `functions.acceptance`; null: `asleep` has the reason why
    # there is none.
    key = models.BinaryField(max_length=32, null=True)
    asleep = models.CharField(max_length=200, blank=True, default="")
    verdict = models.CharField(max_length=16, blank=True, default="")  # of that program
    message = models.CharField(max_length=500, blank=True, default="")
    given_up = models.BooleanField(default=False)  # the run was given up or cancelled

    class Meta:
        indexes = [
            models.Index(
                name="acceptance_by_key", fields=["key"]
            ),  # recording, retention of results
            # tests that a change of a function affects, as they mark it
            GinIndex(name="acceptance_marking", fields=["names"]),
        ]

    def __str__(self) -> str:
        return f"A{self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("acceptance-test", args=[self.pk])

    @property
    def topic(self) -> str:
        """Name of the topic of its runs."""
        return f"acceptance:{self.pk}"

    @property
    def draft_topic(self) -> str:
        """Name of the topic of its author's private runs."""
        return f"draft:acceptance-{self.pk}"

    @property
    def is_failing(self) -> bool:
        """Whether the current implementation fails it."""
        return self.verdict not in ("", "passed")
