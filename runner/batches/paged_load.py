"""Loads large batches page by page; a page and the cursor behind it share a transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from runner.batches.cancellation import cancel_batches
from runner.batches.quotas import has_quota
from runner.batches.tasks import NewTasks, SubmitOptions, insert_tasks
from runner.models import Batch, FanOut
from runner.pipelines.fan_out import FanOutCancelled, RetryLater
from runner.pipelines.outbox import sequence_after_commit
from runner.programs.program import PreparedProgram
from runner.states import BatchState

LOAD = "runner.load"
PAGE_SIZE = 250
# The delay before a page is tried again when its owner's queue is full.
RETRY_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class PagedPrograms:
    """Programs that are read from a registered source, page by page."""

    source: str
    arguments: Mapping[str, Any]
    page: int = PAGE_SIZE


def load_page(programs: Sequence[PreparedProgram], run: FanOut) -> None:
    """Add a page to the run's batch; raises RetryLater when the owner's queue is full."""
    batch = _lock_batch(run)
    if not has_quota(batch.owner_id, len(programs)):
        raise RetryLater(RETRY_SECONDS)
    terms = SubmitOptions(run.terms["priority"], rerun=run.terms["afresh"])
    insert_tasks([NewTasks(batch, programs, terms)])
    sequence_after_commit(batch.topic_id)


def finish_loading(run: FanOut) -> None:
    """Mark the batch as completely loaded."""
    _batch(run).update(all_tasks_loaded=True)


def fail_loading(run: FanOut) -> None:
    """Cancel the batch, because some of its programs can't be loaded."""
    cancel_batches(_batch(run))


def _lock_batch(run: FanOut) -> Batch:
    batch = _batch(run).select_for_update(no_key=True, of=("self",)).get()
    if batch.state != BatchState.OPEN or batch.all_tasks_loaded:
        raise FanOutCancelled
    return batch


def _batch(run: FanOut) -> QuerySet[Batch]:
    return Batch.objects.filter(fan_outs=run)
