"""Watches of functions and people, notices of events, and their delivery to watchers."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from .function import Function


class Watch(models.Model):
    """A user's choice to watch a function or not; publishing doesn't override it."""

    function = models.ForeignKey(
        Function, on_delete=models.CASCADE, related_name="watches", db_index=False
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="watches"
    )
    watching = models.BooleanField(default=True)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(name="watch_once", fields=["function", "user"])]
        indexes = [
            # pages of a function's watchers
            models.Index(
                name="watch_of_function",
                fields=["function", "user"],
                condition=Q(watching=True),
            ),
            # a user's watches
            models.Index(name="watch_of_user", fields=["user", "-id"], condition=Q(watching=True)),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} watches {self.function_id}: {self.watching}"


class NameWatch(models.Model):
    """A user's wish to watch the function of a name that does not exist yet."""

    name = models.CharField(max_length=80)
    name_key = models.CharField(max_length=80)  # in lower case
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="name_watches"
    )

    class Meta:
        constraints = [
            # also finds all who watch a name
            models.UniqueConstraint(name="name_watch_once", fields=["name_key", "user"])
        ]

    def __str__(self) -> str:
        return f"{self.user_id} watches the name {self.name}"


class PersonWatch(models.Model):
    """A user's wish to be notified of what a person defines and publishes."""

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            # also finds pages of a person's watchers
            models.UniqueConstraint(name="person_watch_once", fields=["person", "user"])
        ]
        indexes = [
            models.Index(name="person_watch_of_user", fields=["user", "-id"])  # a user's watches
        ]

    def __str__(self) -> str:
        return f"{self.user_id} watches user {self.person_id}"


class Notice(models.Model):
    """An event of a function, written in its transaction and delivered to watchers afterwards."""

    class Kind(models.TextChoices):
        FAILING = "failing_test", "a test that one's implementation fails"
        BROKEN = "broken_dependency", "a dependency that broke"
        ACCEPTANCE = "acceptance_failed", "an acceptance test that failed"
        COMMENT = "comment", "a comment"
        CURRENT = "current_changed", "another current implementation"
        CHALLENGE = "challenge", "a challenge that the current implementation does not pass"
        UNSETTLED = "unsettled", "elections that chase each other"
        DEFINED = "defined", "the definition of a name that one watched"
        REVISED = "revised", "a revision of a document that one voted for"
        PUBLISHED = "published", "what a person that one watches defined or published"

    function = models.ForeignKey(
        Function, on_delete=models.CASCADE, related_name="notices", db_index=False
    )
    kind = models.CharField(max_length=20, choices=Kind.choices)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    text = models.CharField(max_length=300)
    # its address; empty, or a fragment ("#..."): relative to the function's page, also when renamed
    path = models.CharField(max_length=200, blank=True, default="")
    once = models.CharField(max_length=60, null=True)  # noqa: DJ001 - null: can be repeated
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(name="notice_once", fields=["function", "kind", "once"])
        ]
        indexes = [models.Index(name="notice_by_age", fields=["created_at"])]  # removing old ones

    def __str__(self) -> str:
        return f"{self.function_id}: {self.text}"

    def get_absolute_url(self) -> str:
        is_elsewhere = self.path.startswith("/")
        return self.path if is_elsewhere else f"{self.function.get_absolute_url()}{self.path}"


class Notification(models.Model):
    """A notice delivered to one user."""

    notice = models.ForeignKey(
        Notice, on_delete=models.CASCADE, related_name="notifications", db_index=False
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="notifications",
        db_index=False,
    )
    created_at = models.DateTimeField(default=timezone.now, db_default=Now())
    read_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(name="told_once", fields=["notice", "user"])]
        indexes = [
            # the page of all
            models.Index(name="notification_of_user", fields=["user", "-id"]),
            # the count in the top bar, the page of unread ones, digests
            models.Index(
                name="notification_unread", fields=["user", "-id"], condition=Q(read_at=None)
            ),
            # removing old ones
            models.Index(name="notification_read", fields=["read_at"], condition=~Q(read_at=None)),
        ]

    def __str__(self) -> str:
        return f"{self.notice_id} to {self.user_id}"
