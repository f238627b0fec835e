"""Numbers of dependents, stored for sorting."""

from django.db import models

from .function import Function


class Usage(models.Model):
    """The number of other functions whose published works name it; kept by `functions.graph.usage`.

    A separate row, as publications change it while others may hold the function's row.
    """

    function = models.OneToOneField(
        Function, on_delete=models.CASCADE, primary_key=True, related_name="usage"
    )
    dependents = models.IntegerField(default=0)

    class Meta:
        indexes = [
            models.Index(name="usage_most", fields=["-dependents", "-function"])
        ]  # lists, most used first

    def __str__(self) -> str:
        return f"{self.function_id}: {self.dependents}"
