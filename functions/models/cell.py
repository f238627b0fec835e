"""Cells of the results matrix: the program of an implementation and a test, and its result."""

from django.db import models
from django.db.models import F, Q

from .work import Implementation, Test


class Cell(models.Model):
    """The program of an implementation and a test (null: the program that only loads it).

    `key` is the pair's current program (null: something in its closure is missing). `verdict` and
    the fields below it are the result of `result_key`, an older program if the keys differ; if
    `carried`, the same program under a former runtime, whose result counts until the new one.
    """

    implementation = models.ForeignKey(
        Implementation, on_delete=models.CASCADE, related_name="cells"
    )
    test = models.ForeignKey(Test, on_delete=models.CASCADE, null=True, related_name="cells")
    key = models.BinaryField(max_length=32, null=True)
    result_key = models.BinaryField(max_length=32, null=True)
    verdict = models.CharField(max_length=16, blank=True, default="")
    given_up = models.BooleanField(default=False)  # the run of `key` was given up or cancelled
    carried = models.BooleanField(default=False, db_default=False)
    message = models.CharField(max_length=500, blank=True, default="")
    line = models.IntegerField(null=True)
    cpu_us = models.BigIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="cell_once", fields=["implementation", "test"], nulls_distinct=False
            ),
        ]
        indexes = [
            models.Index(name="cell_by_key", fields=["key"]),  # recording
            # retention of results that cells still show after their program has changed
            models.Index(
                name="cell_by_older_result",
                fields=["result_key"],
                condition=~Q(result_key=F("key")),
            ),
            # failures found by a person's tests
            models.Index(
                name="cell_caught",
                fields=["test", "implementation"],
                condition=Q(test__isnull=False) & ~Q(verdict__in=("", "passed")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.implementation_id} x {self.test_id}"
