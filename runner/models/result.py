"""Results of programs."""

from django.db import models
from django.db.models.functions import Now

from .execution import Execution


class Result(models.Model):
    """The outcome of an execution; fields as in `runner.sandbox.Outcome`."""

    execution = models.OneToOneField(
        Execution, on_delete=models.CASCADE, primary_key=True, related_name="result"
    )
    # the outcome's verdict, or `flaky` if verdicts of several runs differ
    verdict = models.CharField(max_length=16)
    message = models.TextField(blank=True, default="")
    module = models.CharField(max_length=100, blank=True, default="")
    line = models.IntegerField(null=True)
    trace = models.JSONField(default=list)  # [[module, line, function, source line], ...]
    cases = models.JSONField(default=list)  # [[name, verdict, message, line], ...]
    log = models.JSONField(default=list)  # [[ms, stream, text], ...]
    truncated = models.BooleanField(default=False)
    loaded = models.BooleanField(default=False)
    value = models.JSONField(null=True)
    cpu_us = models.BigIntegerField()
    wall_us = models.BigIntegerField()
    peak_bytes = models.BigIntegerField()
    attempt = models.SmallIntegerField(default=1)
    token = models.BigIntegerField(db_default=0)  # of the run; later runs have higher tokens
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.execution_id}: {self.verdict}"
