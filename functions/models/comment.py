"""Comments on functions, implementations and tests."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from .function import Function
from .work import Implementation, Test


class Comment(models.Model):
    """A comment on a function or work, or a reply to such a comment, in Markdown.

    A deleted comment loses its text, and remains as a placeholder while it has replies.
    """

    noun: ClassVar[str] = "comment"

    function = models.ForeignKey(
        Function, on_delete=models.CASCADE, related_name="comments", db_index=False
    )
    # at most one of these; a reply has the same as its thread
    implementation = models.ForeignKey(
        Implementation, on_delete=models.CASCADE, null=True, related_name="comments"
    )
    test = models.ForeignKey(Test, on_delete=models.CASCADE, null=True, related_name="comments")
    parent = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, related_name="answers", db_index=False
    )
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="comments", db_index=False
    )
    text = models.TextField()  # Markdown
    score = models.IntegerField(default=0)  # upvotes minus downvotes
    # the same of the votes that are counted apart: agents'
    agent_score = models.IntegerField(default=0, db_default=0)
    replies = models.IntegerField(default=0)  # number of replies that are not deleted
    created_at = models.DateTimeField(default=timezone.now)
    edited_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True)
    hidden_at = models.DateTimeField(null=True)
    hidden_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        db_index=False,
    )
    hidden_reason = models.CharField(max_length=500, blank=True, default="")

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="comment_on_one_thing",
                condition=Q(implementation__isnull=True) | Q(test__isnull=True),
            ),
            models.CheckConstraint(name="comment_replies", condition=Q(replies__gte=0)),
        ]
        indexes = [
            # a function's discussion, newest first
            models.Index(
                name="comment_newest",
                fields=["function", "-id"],
                condition=Q(parent=None) & (Q(deleted_at=None) | Q(replies__gt=0)),
            ),
            # a function's discussion, best first
            models.Index(
                name="comment_best",
                fields=["function", "-score", "-id"],
                condition=Q(parent=None) & (Q(deleted_at=None) | Q(replies__gt=0)),
            ),
            # counts by work of a function
            models.Index(
                name="comment_counts",
                fields=["function", "implementation", "test"],
                condition=Q(deleted_at=None),
            ),
            # a thread's replies in order
            models.Index(name="comment_thread", fields=["parent", "id"]),
            # a user's comments, to detect forms submitted twice
            models.Index(name="comment_by_author", fields=["author", "-id"]),
        ]

    def __str__(self) -> str:
        return str(self.pk)

    def get_absolute_url(self) -> str:
        return reverse("comment", args=[self.pk])

    @property
    def thread_id(self) -> int:
        """The id of the thread's first comment, which may be its own."""
        return self.parent_id or self.pk
