"""Works: implementations and tests of functions."""

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, NullIf
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from .function import Function
from .search_expressions import letters_of


class Work(models.Model):
    """Code by one author for a function: a private draft, then published and immutable."""

    class State(models.TextChoices):
        DRAFT = "draft", "draft"
        PUBLISHED = "published", "published"
        WITHDRAWN = "withdrawn", "withdrawn"

    class Language(models.TextChoices):
        PYTHON = "python", "Python"
        JAVASCRIPT = "javascript", "JavaScript"

    noun: ClassVar[str]

    number = models.IntegerField(null=True)  # given when published: #7, T9
    title = models.CharField(max_length=120, blank=True, default="")
    code = models.TextField(blank=True, default="")
    language = models.CharField(
        max_length=16, choices=Language.choices, default=Language.PYTHON, db_default=Language.PYTHON
    )
    # the module that is executed, if it isn't the code itself: see `functions.kinds`
    generated = models.TextField(blank=True, default="", db_default="")
    source_sha256 = models.BinaryField(max_length=32, default=b"")  # of the normalised code
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    version = models.IntegerField(
        default=0
    )  # of the draft; incremented by each save, to detect edit conflicts
    score = models.IntegerField(default=0)  # upvotes minus downvotes
    # the same of the votes that are counted apart: agents'
    agent_score = models.IntegerField(default=0, db_default=0)
    acceptable = models.BooleanField(null=True)  # the owner's judgement; null: none
    acceptable_reason = models.CharField(max_length=500, blank=True, default="")
    # author of that judgement, possibly a former owner or staff
    judge = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
    )
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)
    published_at = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)
    # the SPDX expression of the site's setting when it was published
    license = models.CharField(max_length=100, blank=True, default="", db_default="")

    class Meta:
        abstract = True
        constraints = [
            models.UniqueConstraint(name="%(class)s_number", fields=["function", "number"]),
            models.CheckConstraint(
                name="%(class)s_published_has_number",
                condition=Q(state="draft") | Q(number__isnull=False, published_at__isnull=False),
            ),
        ]
        indexes = [
            models.Index(
                name="%(class)s_drafts",
                fields=["author", "-changed_at"],
                condition=Q(state="draft"),
            ),
            # a person's activity and totals
            models.Index(
                name="%(class)s_by_author",
                fields=["author", "-published_at", "-id"],
                condition=~Q(state="draft"),
            ),
            # searching code
            GinIndex(letters_of("code"), name="%(class)s_letters", condition=Q(state="published")),
        ]

    @property
    def module_source(self) -> str:
        """The module that is executed."""
        return self.generated or self.code

    @property
    def is_acceptable(self) -> bool:
        """Whether it is acceptable: by the owner's judgement, else (for a test) by its score."""
        if self.acceptable is not None:
            return self.acceptable
        return self.noun != Test.noun or self.score >= 0

    @property
    def draft_topic(self) -> str:
        """Name of the topic of a draft's runs, which only its author may follow."""
        return f"draft:{self.noun}-{self.pk}"


class Implementation(Work):
    """Code that defines its function's name, and competes to be the current implementation."""

    class Standing(models.TextChoices):
        ELIGIBLE = "eligible", "eligible"
        FAILING = "failing", "failing"
        BLOCKED = "blocked", "blocked"
        CIRCULAR = "circular", "circular"
        NOT_LOADING = "not_loading", "does not load"
        UNJUDGED = "unjudged", "not judged yet"
        DUPLICATE = "duplicate", "duplicate"
        UNACCEPTABLE = "unacceptable", "unacceptable"

    noun = "implementation"

    function = models.ForeignKey(Function, on_delete=models.CASCADE, related_name="implementations")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="implementations"
    )
    based_on = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, related_name="copies"
    )
    standing = models.CharField(max_length=16, choices=Standing.choices, default=Standing.UNJUDGED)
    standing_reason = models.CharField(max_length=200, blank=True, default="")
    passed = models.IntegerField(default=0)  # number of counting tests passed
    counting = models.IntegerField(default=0)  # number of counting tests
    cpu_us = models.BigIntegerField(null=True)  # median of the runs that passed

    def __str__(self) -> str:
        return f"#{self.number}" if self.number else f"draft {self.pk}"

    def get_absolute_url(self) -> str:
        if self.state == self.State.DRAFT:
            return reverse("draft", args=[self.noun, self.pk])
        return f"{self.function.get_absolute_url()}#I{self.number}"


# The text of the module that is executed, in queries of works.
MODULE_SOURCE: Combinable = Coalesce(
    NullIf("generated", Value("", models.TextField())), "code", output_field=models.TextField()
)


class Test(Work):
    """Code that tests implementations of its function."""

    class Health(models.TextChoices):
        WORKING = "working", "working"
        BROKEN = "broken", "broken"
        CIRCULAR = "circular", "circular"

    class StandingCause(models.TextChoices):
        NONE = "", _("a challenge")
        OWNER = "owner", _("written by the owner")
        EARLY = "early", _("published before the first election")
        ACCEPTED = "accepted", _("accepted by the owner")
        VOTED = "voted", _("voted to +1")
        PASSED = "passed", _("passed by the current implementation")
        UPGRADE = "upgrade", _("counted before there were challenges")

    noun = "test"
    __test__ = False  # pytest: not a test class

    function = models.ForeignKey(Function, on_delete=models.CASCADE, related_name="tests")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="tests"
    )
    based_on = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, related_name="copies"
    )
    compile_error = models.CharField(
        max_length=300, blank=True, default=""
    )  # violation of the policy, found at publication
    health = models.CharField(max_length=10, choices=Health.choices, default=Health.WORKING)
    reason = models.CharField(
        max_length=300, blank=True, default=""
    )  # the reason why it is broken or circular
    counts = models.BooleanField(default=False)
    # cause and time of its standing; a published test without is a challenge
    standing_cause = models.CharField(
        max_length=10, choices=StandingCause.choices, blank=True, default="", db_default=""
    )
    standing_since = models.DateTimeField(null=True)
    # if the cause is a pass: the last elected implementation that passed it, and a hash of the
    # test's own uses then
    proven_by = models.ForeignKey(
        Implementation,
        on_delete=models.DO_NOTHING,
        null=True,
        related_name="+",
        db_constraint=False,  # elected implementations can't be deleted
        db_index=False,
    )
    proven_uses = models.BinaryField(max_length=32, default=b"", db_default=b"")

    class Meta(Work.Meta):
        indexes = [
            *Work.Meta.indexes,
            # the newest challenges, on the home page
            models.Index(
                name="test_challenges",
                fields=["-published_at"],
                condition=Q(state="published", standing_cause=""),
            ),
        ]

    def __str__(self) -> str:
        return f"T{self.number}" if self.number else f"draft {self.pk}"

    def get_absolute_url(self) -> str:
        if self.state == self.State.DRAFT:
            return reverse("draft", args=[self.noun, self.pk])
        return f"{self.function.get_absolute_url()}#T{self.number}"

    @property
    def is_challenge(self) -> bool:
        """Whether it is published without standing, so that it decides nothing."""
        return self.state != self.State.DRAFT and not self.standing_cause
