"""Reads of many rows at once."""

from typing import Any

from django.db.models import Count, Q

from runner.models import Task
from runner.states import State


def batch_counts(batch_id: int) -> dict[str, Any]:
    """Return how the batch stands: its tasks by state, their verdicts, and how many were executed.

    `{"tasks": {state: n}, "verdicts": {verdict: n}, "executed": n, "total": n}`, all states named.
    """
    tasks = Task.objects.filter(batch_id=batch_id)
    by_state = dict(tasks.values_list("state").annotate(Count("id")))
    succeeded = tasks.filter(state=State.SUCCEEDED)
    verdicts = succeeded.values_list("execution__result__verdict").annotate(Count("id"))
    executed = tasks.aggregate(executed=Count("id", filter=Q(executed=True)))["executed"]
    return {
        "tasks": {str(state.label): by_state.get(state, 0) for state in State},
        "verdicts": dict(verdicts),
        "executed": executed,
        "total": sum(by_state.values()),
    }
