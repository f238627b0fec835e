"""Previews of a change's impact on dependents."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from runner.models import Batch

from .function import Function
from .work import Implementation, Test


class Preview(models.Model):
    """A hypothetical change and the functions it is tried with; private to its owner.

    `code` and `links` ([[name, function's id or null], ...]) are a copy of the candidate that
    dependents would import, as a draft may be edited meanwhile; without code, there is none.
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
        db_constraint=False,  # retention deletes batches without cascading in Django
    )
    created_at = models.DateTimeField(default=timezone.now)

    is_decided = models.BooleanField(default=False)  # whether the candidate is known
    candidate = models.ForeignKey(
        Implementation, on_delete=models.CASCADE, null=True, related_name="+"
    )
    code = models.TextField(blank=True, default="")
    links = models.JSONField(default=list)
    # names of the cycle that it is tried with, including its own; empty: it is tried alone
    circle = ArrayField(models.CharField(max_length=80), default=list, db_default=[], blank=True)
    ahead = models.JSONField(default=list)  # ids of dependents to try, nearest first
    programs = models.IntegerField(default=0)  # number of programs in the batch
    # [[id, key or null], ...] of acceptance tests of the candidate; null: left out
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
        """The work to publish, withdraw or judge; None if the change deletes the function."""
        return self.implementation or self.test

    @property
    def says(self) -> str:
        """The change as text: `publishing this test`."""
        if self.change == self.Change.DELETE:
            return _("deleting %(name)s") % {"name": self.function.name}
        published = _("publishing this test") if self.test else _("publishing this implementation")
        return {
            self.Change.PUBLISH: published,
            self.Change.WITHDRAW: _("withdrawing %(work)s"),
            self.Change.ACCEPT: _("accepting %(work)s"),
            self.Change.REJECT: _("marking unacceptable %(work)s"),
            self.Change.CLEAR: _("leaving to the votes %(work)s"),
        }[self.Change(self.change)] % {"work": self.work}


class Effect(models.Model):
    """The state of one function under a preview, from which its outcome is predicted.

    `candidates` are its implementations in election order, as {"id", "label", "uses", "held_off"}.
    If they are decided without runs, they also have `standing` and `reason`; else `needed`, the
    keys of the deciding programs by test label ("": loading; null: left out), `given_up`, the
    labels without a result, and `lapsing`, the labels of tests that lose their standing if the
    current implementation fails them. `tests`, as {"label", "reason"}, are those that would become
    broken or working.
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
