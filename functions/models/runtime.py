"""Runtime versions that the site has had, which are part of program keys."""

from django.db import models
from django.utils import timezone


class Runtime(models.Model):
    """A version of Python, policy, helpers and time-zone data; the last row is the current version.

    A new version starts a rerun of all functions.
    """

    version = models.CharField(max_length=40)
    seen_at = models.DateTimeField(default=timezone.now)
    walked_at = models.DateTimeField(null=True)  # when elections of all functions were enqueued

    def __str__(self) -> str:
        return self.version
