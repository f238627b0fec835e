"""Profiles: what users say about themselves."""

import hashlib

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone


class Profile(models.Model):
    """A user's words about themselves, as plain text, and their links; no row: neither."""

    MAX_ABOUT = 300
    MAX_LINKS = 5
    MAX_LINK = 200

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="profile"
    )
    about = models.CharField(max_length=MAX_ABOUT, blank=True, default="")
    links = ArrayField(
        models.CharField(max_length=MAX_LINK),
        size=MAX_LINKS,
        default=list,
        db_default=[],
        blank=True,
    )
    changed_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"profile of {self.user_id}"

    @property
    def digest(self) -> str:
        """A digest of its content, which tells changes of it apart."""
        state = repr((self.about, list(self.links)))
        return hashlib.sha256(state.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @property
    def is_empty(self) -> bool:
        return not self.about and not self.links
