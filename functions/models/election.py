"""Each change of the implementation that everybody imports, with its cause."""

from django.db import models
from django.utils import timezone

from .function import Function
from .work import Implementation


class Election(models.Model):
    """The function's current implementation changed from `previous` to `elected` (null: none)."""

    function = models.ForeignKey(Function, on_delete=models.CASCADE, related_name="elections")
    elected = models.ForeignKey(
        Implementation, on_delete=models.CASCADE, null=True, related_name="+"
    )
    previous = models.ForeignKey(
        Implementation, on_delete=models.CASCADE, null=True, related_name="+"
    )
    cause = models.CharField(max_length=200)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(name="election_of_function", fields=["function", "-id"])
        ]  # why is this current?

    def __str__(self) -> str:
        return f"{self.function_id}: {self.elected_id}"
