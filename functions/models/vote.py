"""Votes of users on implementations, tests and comments."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from .comment import Comment
from .work import Implementation, Test


class Vote(models.Model):
    """One user's +1 or -1; a withdrawn vote stays as 0.

    Written by `functions.voting.cast`. The database trigger
    `functions_vote_deleted` updates the tally on deletion.
    """

    voter = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="votes"
    )
    implementation = models.ForeignKey(
        Implementation, on_delete=models.CASCADE, null=True, related_name="votes"
    )
    test = models.ForeignKey(Test, on_delete=models.CASCADE, null=True, related_name="votes")
    comment = models.ForeignKey(
        Comment, on_delete=models.CASCADE, null=True, related_name="votes", db_index=False
    )
    value = models.SmallIntegerField()
    sequence = models.BigIntegerField(default=1, db_default=1)  # incremented by each change

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="vote_on_one_thing",
                condition=Q(implementation__isnull=False, test=None, comment=None)
                | Q(implementation=None, test__isnull=False, comment=None)
                | Q(implementation=None, test=None, comment__isnull=False),
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
            models.UniqueConstraint(
                name="vote_on_comment_once",
                fields=["voter", "comment"],
                condition=Q(comment__isnull=False),
            ),
        ]
        indexes = [
            # tallies of comments; most votes are on works
            models.Index(
                name="vote_on_comment",
                fields=["comment"],
                condition=Q(comment__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.voter_id}: {self.value:+d}"
