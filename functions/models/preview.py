"""Previews of a change's impact on dependents."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.urls import reverse
from django.utils import timezone

from runner.models import Batch

from .function import Function
from .work import Implementation, Test


class Preview(models.Model):
    """A hypothetical change and the functions it is tried with; private to its owner.

    `code` and `links` ([[name, function's id or null], ...]) are a copy of what others would
    import, as a draft may be edited meanwhile. Without code they would import nothing.
    """

    class Change(models.TextChoices):
        PUBLISH = "publish", "publishing"
        WITHDRAW = "withdraw", "withdrawing"
        ACCEPT = "accept", "accepting"
        REJECT = "reject", "marking unacceptable"
        CLEAR = "clear", "leaving to the votes"
        DELETE = "delete", "deleting"

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="previews"
    )
    function = models.ForeignKey(Function, on_delete=models.CASCADE, related_name="previews")
    change = models.CharField(max_length=10, choices=Change.choices)
    implementation = models.ForeignKey(
        Implementation, on_delete=models.CASCADE, null=True, related_name="previews"
    )
    test = models.ForeignKey(Test, on_delete=models.CASCADE, null=True, related_name="previews")
    batch = models.OneToOneField(
        Batch,
        on_delete=models.CASCADE,
        null=True,
        related_name="preview",
        db_constraint=False,  # batches are cleaned up without a look at us
    )
    created_at = models.DateTimeField(default=timezone.now)

    is_decided = models.BooleanField(default=False)  # whether it is known what others would import
    candidate = models.ForeignKey(
        Implementation, on_delete=models.CASCADE, null=True, related_name="+"
    )
    code = models.TextField(blank=True, default="")
    links = models.JSONField(default=list)
    # names of the functions it is tried with, including its own; empty: it is tried alone
    circle = ArrayField(models.CharField(max_length=80), default=list, db_default=[], blank=True)
    ahead = models.JSONField(default=list)  # ids of functions that may import it, nearest first
    programs = models.IntegerField(default=0)  # number of programs in the batch
    # [[acceptance test's id, key or null], ...] of those that judge what others would import;
    # null: left out
    acceptance = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"preview {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("preview", args=[self.pk])

    @property
    def topic(self) -> str:
        """Name of the topic of its runs, which only its owner may follow."""
        return f"preview:{self.pk}"

    @property
    def work(self) -> Implementation | Test | None:
        """The work to be published, withdrawn or judged; None if the function would be deleted."""
        return self.implementation or self.test

    @property
    def says(self) -> str:
        """The change in words: `publishing draft 7`."""
        verb = self.Change(self.change).label
        if self.work is None:
            return f"{verb} {self.function.name}"
        what = f"this {self.work.noun}" if self.change == self.Change.PUBLISH else str(self.work)
        return f"{verb} {what}"


class Effect(models.Model):
    """What a preview has to know of one function to tell what would become of it.

    `candidates` are its implementations in election order: `{"id", "label", "uses", "held_off"}`
    with either `standing` and `reason`, where no run decides any more, or `needed`, the keys that
    decide by the tests' labels ("" is loading; null: left out), `given_up`, labels without a
    result, and `lapsing`, labels that decide nothing where the current one doesn't pass them.
    `tests` are those that would become broken, or whole again: `{"label", "reason"}`.
    """

    preview = models.ForeignKey(Preview, on_delete=models.CASCADE, related_name="effects")
    function = models.ForeignKey(Function, on_delete=models.CASCADE, related_name="+")
    was_implemented = models.BooleanField()
    elected = models.IntegerField(null=True)  # the current implementation's id then
    current = models.CharField(max_length=20, blank=True, default="")  # and its label
    candidates = models.JSONField(default=list)
    tests = models.JSONField(default=list)
    left_out = models.IntegerField(default=0)  # number of programs above the limit

    class Meta:
        constraints = [
            # the effects of one preview, and the one on a function
            models.UniqueConstraint(name="effect_once", fields=["preview", "function"]),
        ]

    def __str__(self) -> str:
        return f"{self.preview_id}: {self.function_id}"
