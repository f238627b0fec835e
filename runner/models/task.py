"""Tasks: the programs of batches."""

from django.db import models
from django.db.models import Q

from runner.states import FINAL_STATES, OPEN_STATES, State

from .batch import Batch
from .execution import Execution


class Task(models.Model):
    """One program of one batch; its state follows that of its execution."""

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="tasks", db_index=False)
    execution = models.ForeignKey(
        Execution, on_delete=models.PROTECT, related_name="tasks", db_index=False
    )
    state = models.SmallIntegerField(choices=State.choices, default=State.PENDING)
    executed = models.BooleanField(default=False)  # false: the result was stored already
    # only loads an implementation: never counted in a batch's progress
    is_load_check = models.BooleanField(default=False, db_default=False)
    predecessor = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, related_name="successors", db_index=False
    )
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            # also recorder: the tasks of an execution
            models.UniqueConstraint(name="task_of_execution", fields=["execution", "batch"]),
            models.CheckConstraint(
                name="task_finished_iff_final",
                condition=Q(state__in=FINAL_STATES, finished_at__isnull=False)
                | Q(state__in=OPEN_STATES, finished_at__isnull=True),
            ),
        ]
        indexes = [
            # successors in a chain
            models.Index(
                name="task_successors",
                fields=["predecessor"],
                condition=Q(predecessor__isnull=False),
            ),
            models.Index(
                name="task_open_in_turn", fields=["batch", "id"], condition=Q(state__in=OPEN_STATES)
            ),  # sequencing
            models.Index(name="task_in_turn", fields=["-batch", "id"]),  # lists
            # lists by state: nearly all tasks have succeeded
            models.Index(
                name="task_not_succeeded",
                fields=["state", "-batch", "id"],
                condition=~Q(state=State.SUCCEEDED),
            ),
        ]

    def __str__(self) -> str:
        return f"task {self.pk} of {self.batch_id}"
