"""Votes: one of each user on an implementation or a test."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from .work import Implementation, Test


class Vote(models.Model):
    """One user's +1 or -1; a retracted vote stays as 0.

    Written by `functions.casting`. The database tells the tally of one that is deleted.
    """

    voter = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="votes"
    )
    implementation = models.ForeignKey(
        Implementation, on_delete=models.CASCADE, null=True, related_name="votes"
    )
    test = models.ForeignKey(Test, on_delete=models.CASCADE, null=True, related_name="votes")
    value = models.SmallIntegerField()
    sequence = models.BigIntegerField(default=1, db_default=1)  # raised by each change of the value

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="vote_on_one_work",
                condition=Q(implementation__isnull=True, test__isnull=False)
                | Q(implementation__isnull=False, test__isnull=True),
            ),
            models.CheckConstraint(name="vote_value", condition=Q(value__in=(-1, 0, 1))),
            models.UniqueConstraint(
                name="vote_on_implementation_once",
                fields=["voter", "implementation"],
                condition=Q(implementation__isnull=False),
            ),
            models.UniqueConstraint(
                name="vote_on_test_once", fields=["voter", "test"], condition=Q(test__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.voter_id}: {self.value:+d}"
