"""Queries about batches, tasks and attempts, each for many rows at once."""

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
from runner.states import UNSUCCESSFUL, BatchState, State

# Batches may be created in another order than that of their ids, by the length of a transaction.
LONGEST_SUBMISSION = timedelta(minutes=5)


def counts_of_batches(batch_ids: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Return each batch's task counts, in one query.

    `{"tasks": {state: n}, "verdicts": {verdict: n}, "executed": n, "total": n, "load_checks": n,
    "retryable": n}`; all states are included. Load checks are counted in the last two only.
    """
    rows_by_batch: dict[int, list[dict[str, Any]]] = {batch_id: [] for batch_id in batch_ids}
    for row in _grouped(Task.objects.filter(batch_id__in=rows_by_batch), "batch_id"):
        rows_by_batch[row["batch_id"]].append(row)
    return {batch_id: sum_counts(rows) for batch_id, rows in rows_by_batch.items()}


def task_counts() -> ArraySubquery:
    """Return a subquery of each batch's task counts, for `sum_counts`."""
    rows = _grouped(Task.objects.filter(batch=OuterRef("pk")))
    fields = ("state", "executed", "is_load_check", "verdict", "number")
    return ArraySubquery(rows.values_list(JSONObject(**{name: name for name in fields})))


def _grouped(tasks: QuerySet[Task], *by: str) -> QuerySet[Task, dict[str, Any]]:
    """Return the number of tasks per state, flags and verdict, as rows."""
    fields: Any = (*by, "state", "executed", "is_load_check")
    groups = tasks.order_by().values(*fields, verdict=verdict_of_task())
    rows: QuerySet[Task, dict[str, Any]] = groups.annotate(number=Count("id"))
    return rows


def sum_counts(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a batch's counts, as in `counts_of_batches`, from grouped rows."""
    counts: dict[str, Any] = {
        "tasks": {str(state.label): 0 for state in State},
        "verdicts": {},
        "executed": 0,
        "total": 0,
        "load_checks": 0,
        "retryable": 0,
    }
    for row in rows:
        state, verdict, number = State(row["state"]), row["verdict"], row["number"]
        counts["retryable"] += number if state in UNSUCCESSFUL else 0
        if row["is_load_check"]:
            counts["load_checks"] += number
            continue
        counts["tasks"][str(state.label)] += number
        counts["total"] += number
        counts["executed"] += number if row["executed"] else 0
        if state == State.SUCCEEDED and verdict is not None:
            counts["verdicts"][verdict] = counts["verdicts"].get(verdict, 0) + number
    return counts


def verdict_of_task() -> Subquery:
    """Return a subquery of each task's verdict; a join might read all results."""
    return Subquery(Result.objects.filter(execution=OuterRef("execution_id")).values("verdict"))


def head_columns(topic: Combinable) -> tuple[Coalesce, Coalesce]:
    """Return the epoch and sequence of each row's topic, as `topics.head` does."""
    rows = Topic.objects.filter(name=topic)
    epoch, seq = Subquery(rows.values("epoch")), Subquery(rows.values("head_seq"))
    first_epoch = Subquery(Topic.objects.filter(name=HISTORY).values("epoch"))
    none_yet = NO_EVENTS_YET
    return Coalesce(epoch, first_epoch, none_yet.epoch), Coalesce(seq, none_yet.head_seq)


def visible_to(actor: Actor, batch: str = "") -> Q:
    """Return the condition that the actor may see a batch; `batch` is the path to it, if any."""
    prefix = f"{batch}__" if batch else ""
    is_public = Q(**{f"{prefix}private": False})
    return is_public if actor.pk is None else is_public | Q(**{f"{prefix}owner": actor.pk})


def batches_since(instant: datetime) -> Q:
    """Return the condition that batches were created at this instant or later.

    It also bounds the id, so that lists ordered by id stop there.
    """
    older = Batch.objects.filter(created_at__lt=instant - LONGEST_SUBMISSION)
    last = older.order_by("-created_at").values_list("pk", flat=True).first()
    return Q(created_at__gte=instant, pk__gt=last or 0)


def needing_attention() -> Q:
    """Return the condition that a batch has a given-up program that was not run since."""
    given_up = Task.objects.filter(state=State.IGNORED, execution__state=State.IGNORED)
    return Q(pk__in=given_up.values("batch"))


def tasks_newest_first(after: Sequence[int] | None = None) -> QuerySet[Task]:
    """Return tasks by batch, newest first, and in the order of submission within a batch.

    `after` is the (batch id, task id) at the end of the previous page.
    """
    tasks = Task.objects.order_by("-batch_id", "id")
    if after is None:
        return tasks
    batch_id, task_id = after
    # `batch__lte` is where the index scan starts; the other condition skips part of one batch.
    return tasks.filter(Q(batch__lt=batch_id) | Q(id__gt=task_id), batch__lte=batch_id)


def attempts_of(execution_ids: Collection[int]) -> dict[int, list[Attempt]]:
    """Return the attempts at each execution, newest first, in one query."""
    attempts: dict[int, list[Attempt]] = defaultdict(list)
    for attempt in Attempt.objects.filter(execution__in=execution_ids).order_by("-token"):
        attempts[attempt.execution_id].append(attempt)
    return attempts


def rerun_tasks(batch: Batch) -> QuerySet[Task]:
    """Return the batch's finished tasks whose program has been run again since."""
    later = Attempt.objects.filter(
        execution=OuterRef("execution"),
        outcome=Attempt.Outcome.RECORDED,
        started_at__gt=OuterRef("finished_at"),
    )
    # A subquery for each task: a join might read all attempts.
    tasks = Task.objects.filter(batch=batch, state=State.SUCCEEDED)
    return tasks.alias(later=Subquery(later.values("pk")[:1])).filter(later__isnull=False)


def open_descendants(batch: Batch) -> list[Batch]:
    """Return those of the batch and its descendants that are open, parents first."""
    batches = generation = list(Batch.objects.filter(pk=batch.pk, state=BatchState.OPEN))
    while generation:
        children = Batch.objects.filter(parent__in=generation, state=BatchState.OPEN)
        generation = list(children.order_by("pk"))
        batches = [*batches, *generation]
    return batches
