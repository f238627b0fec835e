"""Chases: groups of functions whose elections keep unseating each other."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone


class Chase(models.Model):
    """Functions whose elections would keep unseating each other; they are left unsettled.

    `bases` are hashes of each function's works, by function id: when one changes, all functions are
    judged again. The row exists as long as they are unsettled.
    """

    # of the functions, in the order in which their changes caused each other
    names = ArrayField(models.CharField(max_length=80))
    tests = ArrayField(models.BigIntegerField())  # ids of the tests that cause the chase
    bases = models.JSONField()
    began = models.BigIntegerField()  # id of their first election in the cascade
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return " and ".join(self.names)

    def others(self, name: str) -> list[str]:
        """Return the names of the other functions."""
        return [other for other in self.names if other != name]
