"""Log lines for submitted and ended batches."""

import logging
from collections import defaultdict
from collections.abc import Collection

from django.db import transaction
from django.db.models import Count, F
from structlog.contextvars import bound_contextvars

from runner.models import Batch, Task
from runner.states import BatchState, State

log = logging.getLogger(__name__)


def log_submitted(batch: Batch, tasks: int) -> None:
    """Log the batch after the commit; `tasks` is the number of those loaded so far.

    Load checks are not counted, here and in `log_ended`.
    """

    def write() -> None:
        with bound_contextvars(
            batch=batch.pk,
            owner=batch.owner_id,
            parent=batch.parent_id,
            cause=batch.cause,
            tasks=tasks,
            is_loaded=batch.all_tasks_loaded,
        ):
            log.info("batch submitted")

    transaction.on_commit(write)


def log_ended(batch_ids: Collection[int]) -> None:
    """Log the ended batches with their tasks by state and their duration."""
    if not batch_ids or not log.isEnabledFor(logging.INFO):
        return
    tasks: dict[int, dict[str, int]] = defaultdict(dict)
    counted = Task.objects.filter(batch__in=batch_ids, is_load_check=False)
    counts = counted.values_list("batch", "state")
    for batch_id, state, count in counts.annotate(count=Count("id")).order_by("batch", "state"):
        tasks[batch_id][State(state).label] = count
    ended = Batch.objects.annotate(lasted=F("finished_at") - F("created_at"))
    for batch in ended.filter(pk__in=batch_ids).order_by("pk"):
        with bound_contextvars(
            batch=batch.pk,
            owner=batch.owner_id,
            parent=batch.parent_id,
            cause=batch.cause,
            state=BatchState(batch.state).label,
            total=sum(tasks[batch.pk].values()),
            tasks=tasks[batch.pk],
            seconds=round(batch.lasted.total_seconds(), 3),
        ):
            log.info("batch ended")
