"""Votes: one of each user on an implementation, a test or a comment."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from .comment import Comment
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
    comment = models.ForeignKey(
        Comment, on_delete=models.CASCADE, null=True, related_name="votes", db_index=False
    )
    value = models.SmallIntegerField()
    sequence = models.BigIntegerField(default=1, db_default=1)  # raised by each change of the value

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
            # what a comment's votes come to; most votes are on work
            models.Index(
                name="vote_on_comment",
                fields=["comment"],
                condition=Q(comment__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.voter_id}: {self.value:+d}"
