"""Source texts, stored once by hash."""

from django.db import models
from django.db.models.functions import Now


class Source(models.Model):
    """A module's text, with LF line ends; `sha256` is the hash of its UTF-8."""

    sha256 = models.BinaryField(primary_key=True, max_length=32)
    text = models.TextField()
    used_at = models.DateTimeField(db_default=Now())  # last use by a new program, to the day

    def __str__(self) -> str:
        return bytes(self.sha256).hex()[:12]
