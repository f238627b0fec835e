"""Releases: numbered versions of functions as packages, and their files."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from .function import Function
from .work import Implementation


class Release(models.Model):
    """A numbered version of a function: its implementation with exact releases of what it names.

    There is one for each change of the function or its closure. Numbers grow for each name, also
    across its owners. A release never changes: only its files are added once, and it can be yanked.
    """

    class Yanked(models.TextChoices):
        UNSEATED = "unseated", _("the function has no current implementation")
        WITHDRAWN = "withdrawn", _("the implementation was withdrawn")
        DELETED = "deleted", _("the function was deleted")

    function = models.ForeignKey(Function, on_delete=models.CASCADE, related_name="releases")
    name = models.CharField(max_length=80)
    name_key = models.CharField(max_length=80)
    number = models.IntegerField()
    implementation = models.ForeignKey(
        Implementation, on_delete=models.PROTECT, related_name="releases"
    )
    source_sha256 = models.BinaryField(max_length=32)  # of its module; a document may be revised
    digest = models.BinaryField(max_length=32)  # the function's `closure_digest`
    # the releases of what it names, as [name, number]
    requires = models.JSONField(default=list)
    # names of the functions elected together, with its own
    circle = ArrayField(models.CharField(max_length=80), default=list, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    yanked = models.CharField(max_length=10, choices=Yanked.choices, blank=True, default="")
    yanked_at = models.DateTimeField(null=True)
    built_at = models.DateTimeField(null=True)
    build_error = models.CharField(max_length=300, blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(name="release_number", fields=["name_key", "number"]),
        ]
        indexes = [
            # all names: the first release of each
            models.Index(name="release_first", fields=["id"], condition=Q(number=1)),
            models.Index(name="release_of_digest", fields=["function", "digest"]),
            models.Index(
                name="release_unbuilt",
                fields=["id"],
                condition=Q(built_at=None, build_error=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.number}"


class ReleaseFile(models.Model):
    """A file of a release, kept for ever; `metadata` is a wheel's, the same as in it."""

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="files")
    filename = models.CharField(max_length=200, unique=True)
    sha256 = models.CharField(max_length=64)
    size = models.IntegerField()
    content = models.BinaryField()
    metadata = models.TextField(blank=True, default="")
    metadata_sha256 = models.CharField(max_length=64, blank=True, default="")

    def __str__(self) -> str:
        return self.filename
