"""Answers of the API that are kept for repeated requests."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class KeptAnswer(models.Model):
    """The answer to a user's request with an `Idempotency-Key`, kept for a day.

    It is stored in the transaction of the change that the request made.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    key = models.CharField(max_length=100)
    request_digest = models.BinaryField(max_length=32)  # of method, address and body
    status = models.SmallIntegerField()
    headers = models.JSONField()
    body = models.BinaryField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(name="kept_answer_key", fields=["user", "key"])]

    def __str__(self) -> str:
        return f"{self.key} of {self.user_id}"
