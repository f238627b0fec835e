"""Fan-out: processes any number of items page by page, each page once.

`fan_out` stores the run's position and enqueues a page job, which is a follow-up. A page job reads
a page from the registered source, moves the cursor, enqueues the next page job and passes the page
to the registered step, all in one transaction. So a crash leaves the run before or after a page. A
page job that is run twice, late or out of order does nothing, because its page number differs from
the run's. A newer run of the same name supersedes the older one.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db import OperationalError, transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from runner.errors import NotRegistered
from runner.models import Batch, FanOut, FollowUp
from runner.pipelines.follow_up_queue import NewFollowUp, append_rows
from runner.pipelines.follow_ups import MAX_TRIES
from runner.pipelines.outbox import enqueue_follow_ups
from runner.registry import Page, handlers
from runner.telemetry.incidents import PAGE_GIVEN_UP, record_incident

PAGE_JOB = "runner.fan_out"
PAGE_SIZE = 100


class RetryLater(Exception):
    """Raised by a step to get the same page again after this number of seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class FanOutCancelled(Exception):
    """Raised by a step to end the run without processing this page or later ones."""


def fan_out(
    name: str,
    *,
    source: str,
    step: str,
    arguments: Mapping[str, Any] | None = None,
    terms: Mapping[str, Any] | None = None,
    page: int = PAGE_SIZE,
    batch: Batch | None = None,
    owner_id: int | None = None,
) -> FanOut:
    """Process all items of the source for these arguments, after the caller's transaction.

    An unfinished run of this name is superseded: its remaining pages are skipped. The batch stays
    open until the run has ended. Page jobs count for `owner_id`, or else for the batch's owner.
    """
    if source not in handlers.sources or step not in handlers.steps:
        raise NotRegistered(f"no source {source}, or no step {step}, is registered")
    fields: dict[str, Any] = {
        "source": source,
        "step": step,
        "arguments": dict(arguments or {}),
        "terms": dict(terms or {}),
        "page": page,
        "batch": batch,
        "owner_id": owner_id,
    }
    run, is_new = FanOut.objects.get_or_create(name=name, defaults=fields)
    if not is_new:
        restarted = {**fields, "number": 0, "cursor": None, "finished_at": None}
        FanOut.objects.filter(pk=run.pk).update(generation=F("generation") + 1, **restarted)
        run.refresh_from_db()
    _enqueue_page_job(run)
    return run


def run_page_job(name: str, rows: Sequence[FollowUp]) -> None:
    """Process the run's next page, if one of these rows is its page job."""
    run = FanOut.objects.select_for_update(of=("self",)).filter(name=name).first()
    if run is None or run.finished_at is not None:
        return
    ours = [row for row in rows if row.arguments == _job_arguments(run)]
    if not ours:
        return
    try:
        with transaction.atomic():
            _process_page(run, handlers.steps[run.step].work)
    except RetryLater as retry:
        due_at = Now() + timedelta(seconds=retry.seconds)
        run.refresh_from_db()
        append_rows([_page_job(run, due_at=due_at)])
    except FanOutCancelled:
        _finish(run)
    except OperationalError:
        raise  # a deadlock or timeout, which is worth a retry
    except Exception as error:
        if min(row.attempts for row in ours) + 1 < MAX_TRIES:
            raise
        run.refresh_from_db()
        record_incident(PAGE_GIVEN_UP, f"fan-out {run.pk} ({name}), page {run.number}: {error!r}")
        _skip_page(run)


def _process_page(run: FanOut, work: Any) -> None:
    page: Page = handlers.sources[run.source](run.arguments, run.cursor, run.page)
    if page.cursor is not None:
        run.number += 1
        run.cursor = page.cursor
        run.save(update_fields=["number", "cursor"])
        _enqueue_page_job(run)
    work(page.items, run)
    if page.cursor is None:
        _finish(run)
        if finish := handlers.steps[run.step].finish:
            finish(run)


def _skip_page(run: FanOut) -> None:
    """Skip the page, or end the run if it has a `fail` step or its source can't be read."""
    if fail := handlers.steps[run.step].fail:
        _finish(run)
        fail(run)
        return
    try:
        with transaction.atomic():
            _process_page(run, lambda _items, _run: None)
    except Exception as error:  # noqa: BLE001 - the source failed, so the next cursor is unknown
        record_incident(PAGE_GIVEN_UP, f"fan-out {run.pk} ({run.name}) ends early: {error!r}")
        _finish(run)


def _finish(run: FanOut) -> None:
    run.finished_at = timezone.now()
    run.save(update_fields=["finished_at"])


def _job_arguments(run: FanOut) -> dict[str, int]:
    return {"generation": run.generation, "page": run.number}


def _enqueue_page_job(run: FanOut) -> None:
    enqueue_follow_ups([_page_job(run)])


def _page_job(run: FanOut, **due: Any) -> NewFollowUp:
    return NewFollowUp(
        name=PAGE_JOB,
        target=run.name,
        batch_id=run.batch_id,
        owner_id=run.owner_id,
        arguments=_job_arguments(run),
        **due,
    )
