"""The runtime versions that the site has had: what programs run in is a part of their keys."""

from django.db import models
from django.utils import timezone


class Runtime(models.Model):
    """A Python, policy, helpers and time-zone data; the last row is what there is now.

    When another one is seen, all functions are walked through, so that what they have is run anew.
    """

    version = models.CharField(max_length=40)
    seen_at = models.DateTimeField(default=timezone.now)
    walked_at = models.DateTimeField(null=True)  # since then elections are due in all functions

    def __str__(self) -> str:
        return self.version
