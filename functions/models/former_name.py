"""Former user names, by which people are still found."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now, Upper


class FormerName(models.Model):
    """A user name that somebody gave up; once for each time they did.

    Nobody else can take it, so all rows of a name are of one user
    (`socialcode.accounts.models.UsernameSkeleton`).
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="former_names"
    )
    name = models.CharField(max_length=150)
    given_up_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(Upper("name"), name="former_name")]  # a person by a former name

    def __str__(self) -> str:
        return self.name
