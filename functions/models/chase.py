"""Functions whose elections chase each other."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone


class Chase(models.Model):
    """Functions that are unsettled together: each one's election would unseat another's choice.

    It is there as long as they are. `bases` says what each function's own works were like then, by
    its id: when that changes, all are judged anew.
    """

    # in the order in which their changes have caused each other
    names = ArrayField(models.CharField(max_length=80))
    tests = ArrayField(models.BigIntegerField())  # those that chase each other, by their ids
    bases = models.JSONField()
    began = models.BigIntegerField()  # the first election of one of them in their cascade
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return " and ".join(self.names)

    def others(self, name: str) -> list[str]:
        """Return with whom the function of this name is unsettled."""
        return [other for other in self.names if other != name]
