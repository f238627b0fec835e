"""Reads of many rows at once."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, JSONObject

from runner.events.topics import HISTORY, NO_EVENTS_YET
from runner.models import Attempt, Batch, Result, Task, Topic
from runner.registry import Actor
from runner.states import BatchState, State

# A batch's number may be given out later than its time of day, by the length of a transaction.
LONGEST_SUBMISSION = timedelta(minutes=5)


def counts_of_batches(batch_ids: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Return the tasks of each batch by state, their verdicts, and the number executed; one query.

    `{"tasks": {state: n}, "verdicts": {verdict: n}, "executed": n, "total": n}`, all states named.
    """
    counted: dict[int, list[dict[str, Any]]] = {batch_id: [] for batch_id in batch_ids}
    for row in _counted(Task.objects.filter(batch_id__in=counted), "batch_id"):
        counted[row["batch_id"]].append(row)
    return {batch_id: sum_counts(rows) for batch_id, rows in counted.items()}


def task_counts() -> ArraySubquery:
    """Return the tasks of each batch of a query, counted by how they stand, for `summed`."""
    rows = _counted(Task.objects.filter(batch=OuterRef("pk")))
    fields = ("state", "executed", "verdict", "number")
    return ArraySubquery(rows.values_list(JSONObject(**{name: name for name in fields})))


def _counted(tasks: QuerySet[Task], *by: str) -> QuerySet[Task, dict[str, Any]]:
    fields: Any = (*by, "state", "executed")
    groups = tasks.order_by().values(*fields, verdict=verdict_of_task())
    counted: QuerySet[Task, dict[str, Any]] = groups.annotate(number=Count("id"))
    return counted


def sum_counts(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return how a batch stands, whose tasks are counted by how they stand."""
    counts: dict[str, Any] = {
        "tasks": {str(state.label): 0 for state in State},
        "verdicts": {},
        "executed": 0,
        "total": 0,
    }
    for row in rows:
        state, verdict, number = State(row["state"]), row["verdict"], row["number"]
        counts["tasks"][str(state.label)] += number
        counts["total"] += number
        counts["executed"] += number if row["executed"] else 0
        if state == State.SUCCEEDED and verdict is not None:
            counts["verdicts"][verdict] = counts["verdicts"].get(verdict, 0) + number
    return counts


def verdict_of_task() -> Subquery:
    """Return the verdict of a task's program, looked up for each task that is asked for.

    A join might read the results of all time.
    """
    return Subquery(Result.objects.filter(execution=OuterRef("execution_id")).values("verdict"))


def head_columns(topic: Combinable) -> tuple[Coalesce, Coalesce]:
    """Return epoch and sequence of the topic that each row of a query names, as `topics.head`."""
    rows = Topic.objects.filter(name=topic)
    epoch, seq = Subquery(rows.values("epoch")), Subquery(rows.values("head_seq"))
    first_epoch = Subquery(Topic.objects.filter(name=HISTORY).values("epoch"))
    none_yet = NO_EVENTS_YET
    return Coalesce(epoch, first_epoch, none_yet.epoch), Coalesce(seq, none_yet.head_seq)


def visible_to(actor: Actor, batch: str = "") -> Q:
    """Return the condition that the actor may see a batch, or what belongs to it by `batch`."""
    prefix = f"{batch}__" if batch else ""
    seen = Q(**{f"{prefix}private": False})
    return seen if actor.pk is None else seen | Q(**{f"{prefix}owner": actor.pk})


def batches_since(instant: datetime) -> Q:
    """Return the condition that batches were submitted at this instant or later.

    It is one of their numbers too, which lists go by: they end there, however much lies below.
    """
    older = Batch.objects.filter(created_at__lt=instant - LONGEST_SUBMISSION)
    last = older.order_by("-created_at").values_list("pk", flat=True).first()
    return Q(created_at__gte=instant, pk__gt=last or 0)


def needing_attention() -> Q:
    """Return the condition that batches have a program that was given up and not run since."""
    given_up = Task.objects.filter(state=State.IGNORED, execution__state=State.IGNORED)
    return Q(pk__in=given_up.values("batch"))


def tasks_newest_first(after: Sequence[int] | None = None) -> QuerySet[Task]:
    """Return the tasks of the newest batch first, within it as they were submitted.

    `after` is the batch and the task where the page before ended.
    """
    tasks = Task.objects.order_by("-batch_id", "id")
    if after is None:
        return tasks
    batch_id, task_id = after
    # The first condition is where an index begins; the second leaves out a part of one batch.
    return tasks.filter(Q(batch__lt=batch_id) | Q(id__gt=task_id), batch__lte=batch_id)


def attempts_of(execution_ids: Collection[int]) -> dict[int, list[Attempt]]:
    """Return the attempts at each of these executions, the last one first, in one query."""
    found: dict[int, list[Attempt]] = defaultdict(list)
    for attempt in Attempt.objects.filter(execution__in=execution_ids).order_by("-token"):
        found[attempt.execution_id].append(attempt)
    return found


def rerun_tasks(batch: Batch) -> QuerySet[Task]:
    """Return the batch's tasks whose program has another result since, of an attempt after them."""
    later = Attempt.objects.filter(
        execution=OuterRef("execution"),
        outcome=Attempt.Outcome.RECORDED,
        started_at__gt=OuterRef("finished_at"),
    )
    # Looked up task by task: a join might read the attempts of all time.
    tasks = Task.objects.filter(batch=batch, state=State.SUCCEEDED)
    return tasks.alias(later=Subquery(later.values("pk")[:1])).filter(later__isnull=False)


def open_descendants(batch: Batch) -> list[Batch]:
    """Return the batch and all that it has caused, directly or not, as far as they are open."""
    found = generation = list(Batch.objects.filter(pk=batch.pk, state=BatchState.OPEN))
    while generation:
        children = Batch.objects.filter(parent__in=generation, state=BatchState.OPEN)
        generation = list(children.order_by("pk"))
        found = [*found, *generation]
    return found
