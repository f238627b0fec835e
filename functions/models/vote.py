"""Votes of users on implementations, tests and comments, and their history."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from .comment import Comment
from .work import Implementation, Test


class Vote(models.Model):
    """One user's +1 or -1; a withdrawn vote stays as 0.

    Written by `functions.voting.cast`. The database trigger
    `functions_vote_deleted` updates the tally on deletion.
    """

    voter = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="votes", db_index=False
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
    changed_at = models.DateTimeField(null=True)  # null: before there was a history
    # whether the voter was an agent: fixed by the vote, or by a label given later
    by_agent = models.BooleanField(default=False, db_default=False)
    # whether it is counted in `agent_score`, not in `score`; kept by `functions.voting.agent_votes`
    apart = models.BooleanField(default=False, db_default=False)

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
            # a user's own votes; without the value, so that changing a vote changes no index
            models.Index(name="vote_of_voter", fields=["voter", "-id"]),
            # tallies of comments; most votes are on works
            models.Index(
                name="vote_on_comment",
                fields=["comment"],
                condition=Q(comment__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.voter_id}: {self.value:+d}"


class VoteChange(models.Model):
    """One change of a vote, from its former to its new value; append-only, removed when old.

    Written with the vote by `functions.voting.cast`, so with few indexes and checks.
    """

    voter = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    vote = models.ForeignKey(
        Vote, on_delete=models.DO_NOTHING, related_name="+", db_index=False, db_constraint=False
    )
    former = models.SmallIntegerField()
    value = models.SmallIntegerField()
    changed_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [
            models.Index(name="vote_change_of_voter", fields=["voter", "-id"])  # a user's history
        ]

    def __str__(self) -> str:
        return f"{self.voter_id}: {self.former:+d} to {self.value:+d}"
