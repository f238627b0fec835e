"""Tokens, claims of user names, suspensions, deletions, languages and counts of guesses."""

import hashlib
import secrets

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Greatest, Now
from django.utils import timezone

from socialcode.accounts.sessions import Session  # noqa: F401 - Django looks for models here

MARK = "sc_"  # lets scanners recognise a leaked token
PREFIX_LENGTH = 9
RANDOM_BYTES = 32


class ApiToken(models.Model):
    """A token by which programs act for a user; only its digest is stored.

    It is valid until it expires, while `password_digest` is that of the user's password.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(max_length=80, blank=True, default="")
    prefix = models.CharField(max_length=16)  # shown in lists of tokens
    digest = models.BinaryField(max_length=32, unique=True)
    password_digest = models.BinaryField(max_length=32)
    # of `functions.api.scopes`; null: all, also those of later releases
    scopes = ArrayField(models.CharField(max_length=16), null=True)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True)  # null: never
    last_used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.prefix}…"

    @property
    def is_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= timezone.now()


class UsernameSkeleton(models.Model):
    """The skeleton of a user's present or former name (`socialcode.accounts.names.rules`).

    It is one user's only. Older accounts have no row if another user has their skeleton. Those of
    a deleted account are keyed digests of the skeletons of its names.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    skeleton = models.CharField(max_length=600, primary_key=True)

    def __str__(self) -> str:
        return self.skeleton


class Suspension(models.Model):
    """A suspension of an account, kept after it is lifted.

    For checks, `User.is_active` has the same state; `socialcode.accounts.suspensions` writes both.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="suspensions"
    )
    suspended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    reason = models.CharField(max_length=500)
    created_at = models.DateTimeField(default=timezone.now)
    lifted_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="suspension_once", fields=["user"], condition=models.Q(lifted_at=None)
            )
        ]
        indexes = [
            models.Index(
                name="suspension_standing", fields=["-id"], condition=models.Q(lifted_at=None)
            )
        ]  # staff's list

    def __str__(self) -> str:
        return f"{self.user_id} since {self.created_at:%Y-%m-%d %H:%M}"


class DeletedAccount(models.Model):
    """An account that its person deleted, or an agent's of theirs.

    The account's row is kept without personal data, as the work that stays refers to it. The rest
    is done by `socialcode.accounts.personal_data.erasure`, which needs the former name until then.
    """

    class Work(models.TextChoices):
        KEPT = "kept", "kept"
        WITHDRAWN = "withdrawn", "withdrawn"

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="deletion"
    )
    work = models.CharField(max_length=10, choices=Work.choices)
    former_name = models.CharField(max_length=150, blank=True)
    deleted_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                name="deleted_account_unfinished",
                fields=["deleted_at"],
                condition=models.Q(finished_at=None),
            )
        ]  # resuming

    def __str__(self) -> str:
        return f"{self.user_id} since {self.deleted_at:%Y-%m-%d %H:%M}"


class Language(models.Model):
    """The language that a user chose for pages and mails; without a row, the browser's is used."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="chosen_language",
    )
    code = models.CharField(max_length=16)

    def __str__(self) -> str:
        return f"{self.user_id}: {self.code}"


class GuessCount(models.Model):
    """Guesses from an address, at a name, or both (`socialcode.accounts.security.guesses`)."""

    key = models.BinaryField(max_length=32, primary_key=True)
    empty_at = models.DateTimeField()  # when all counted guesses are forgotten
    # until when an address is known to a user who has signed in from it
    known_until = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(Greatest("empty_at", "known_until"), name="guess_count_over")
        ]  # removal; `greatest` ignores null

    def __str__(self) -> str:
        return f"{self.key.hex()} until {self.empty_at:%Y-%m-%d %H:%M}"


def new_token_text() -> str:
    """Return the text of a new token."""
    return MARK + secrets.token_urlsafe(RANDOM_BYTES)


def token_digest(text: str) -> bytes:
    """Return the stored digest of a token, which is random enough for a fast hash."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def password_digest(encoded: str) -> bytes:
    """Return the digest of a password's slow hash."""
    return hashlib.sha256(encoded.encode()).digest()
