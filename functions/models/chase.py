"""Chases: groups of functions whose elections keep unseating each other."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone


class Chase(models.Model):
    """Functions that are unsettled together: each one's election would unseat another's choice.

    It exists as long as they are unsettled. `bases` are hashes of each function's own works by id;
    when one changes, all functions are judged again.
    """

    # in the order in which their changes have caused each other
    names = ArrayField(models.CharField(max_length=80))
    tests = ArrayField(models.BigIntegerField())  # ids of the tests that cause the chase
    bases = models.JSONField()
    began = models.BigIntegerField()  # the first election of one of them in their cascade
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return " and ".join(self.names)

    def others(self, name: str) -> list[str]:
        """Return the names of the other functions."""
        return [other for other in self.names if other != name]
