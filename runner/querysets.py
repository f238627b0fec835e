"""Reads of many rows at once."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Count

from runner.models import Task
from runner.states import State


def batch_counts(batch_id: int) -> dict[str, Any]:
    """Return how the batch stands: its tasks by state, their verdicts, and how many were executed.

    `{"tasks": {state: n}, "verdicts": {verdict: n}, "executed": n, "total": n}`, all states named.
    """
    return counts_of_batches([batch_id])[batch_id]


def counts_of_batches(batch_ids: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Return how each of these batches stands, as `batch_counts` does, in one query."""
    counts = {batch_id: _no_counts() for batch_id in batch_ids}
    rows = Task.objects.filter(batch_id__in=counts).values_list(
        "batch_id", "state", "executed", "execution__result__verdict"
    )
    for batch_id, state, executed, verdict, number in rows.annotate(Count("id")):
        of = counts[batch_id]
        of["tasks"][str(State(state).label)] += number
        of["total"] += number
        of["executed"] += number if executed else 0
        if state == State.SUCCEEDED:
            of["verdicts"][verdict] = of["verdicts"].get(verdict, 0) + number
    return counts


def _no_counts() -> dict[str, Any]:
    tasks = {str(state.label): 0 for state in State}
    return {"tasks": tasks, "verdicts": {}, "executed": 0, "total": 0}
