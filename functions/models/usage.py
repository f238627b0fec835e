"""How much a function is used: kept, since lists are sorted by it and pages show it."""

from django.db import models

from .function import Function


class Usage(models.Model):
    """How many other functions' published works name a function; `functions.usage` keeps it.

    A row of its own: who publishes changes those of functions whose own rows others may hold.
    """

    function = models.OneToOneField(
        Function, on_delete=models.CASCADE, primary_key=True, related_name="usage"
    )
    dependents = models.IntegerField(default=0)

    class Meta:
        indexes = [
            models.Index(name="usage_most", fields=["-dependents", "-function"])
        ]  # listing the most used first

    def __str__(self) -> str:
        return f"{self.function_id}: {self.dependents}"
