"""Endpoints of batches: list, progress, cancel, retry, run again."""

from datetime import UTC, datetime
from typing import Annotated, Literal

from django.http import HttpRequest
from ninja import Query, Router, Schema, Status
from pydantic import AfterValidator, Field

from functions.api.authentication import SOMEBODY
from functions.api.bodies import Cursor, Limit, RequestKey, Text, read_nothing
from functions.api.problems import refusals
from functions.api.schemas import Answer, BatchStarted, Flat, OrNull, path
from functions.read_models import RunFilter, RunList, RunRow, batch_for, run_list, run_row
from functions.read_models.cursors import MAX_ID
from functions.read_models.not_found import or_404
from functions.runs import cancel_run, repeat_run, retry_run
from runner.models import Batch

STARTED = {202: BatchStarted, **refusals(400, 401, 403, 404, 409, 429)}

router = Router(tags=["batches"])


class TaskCounts(Answer):
    """Tasks by state."""

    waiting: int = Field(description="waiting for another task to succeed")
    pending: int
    in_progress: int
    succeeded: int
    failed: int
    ignored: int
    cancelled: int


class VerdictCounts(Answer):
    """Succeeded tasks by verdict."""

    passed: int
    failed: int
    error: int
    time_limit: int
    memory_limit: int
    output_limit: int
    policy: int
    crashed: int
    flaky: int = Field(description="repeated runs of the program disagreed")


class BatchShown(Flat):
    """A run and its progress."""

    parts = ("progress",)

    id: int
    cause: str
    state: str = Field(description="open, complete or cancelled")
    all_tasks_loaded: bool
    total: int = Field(description="number of tasks, without load checks, as in `tasks`")
    load_checks: int = Field(description="tasks that only load a new implementation")
    tasks: TaskCounts
    verdicts: VerdictCounts
    parent: int | None
    created_at: datetime
    finished_at: datetime | None
    executed: int = Field(description="programs executed for this run, not already known")
    function: OrNull = path(
        "subject", "name", description="the item that it is about, if that still exists"
    )
    owner: str = Field(description="the user who started it; empty if none")
    private: bool = Field(description="the run of a draft, visible to its owner only")


class BatchList(Answer):
    """A page of runs; `next` is the cursor of the next page."""

    items: list[BatchShown] = Field(validation_alias="rows")
    next: OrNull


def _aware(instant: datetime | None) -> datetime | None:
    """Treat times without a zone as UTC, as in responses."""
    if instant is None:
        return None
    if instant.tzinfo is None:
        return instant.replace(tzinfo=UTC)
    try:
        # PostgreSQL knows no zones beyond 16 hours.
        return instant.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("the time is out of range") from error


class BatchQuery(Schema):
    """Which runs to list."""

    state: Literal["", "open", "complete", "cancelled", "attention"] = Field(
        "", description="`attention`: tasks were given up and not run since"
    )
    owner: Text = Field("", max_length=150, description="the user who started them")
    function: Text = Field("", max_length=200, description="the function that they are about")
    since: Annotated[datetime | None, AfterValidator(_aware)] = Field(
        None, description="submitted at or after this time"
    )
    parent: int | None = Field(None, ge=1, le=MAX_ID, description="the run that caused them")
    cursor: Cursor = ""
    limit: Limit = 50


@router.get("/", response={200: BatchList, **refusals(400)}, summary="List batches")
def list_batches(request: HttpRequest, query: Query[BatchQuery]) -> RunList:
    """Return runs, newest first; runs of drafts only to their authors."""
    filters = RunFilter(**query.model_dump(exclude={"cursor", "limit"}))
    return run_list(request.user, filters, cursor=query.cursor, limit=query.limit)


@router.get("/{int:id}/", response={200: BatchShown, **refusals(404)}, summary="Read a batch")
def read_batch(
    request: HttpRequest,
    id: int,
    wait: Annotated[  # noqa: ARG001 - `socialcode.server.batch_waits` waits
        int, Query(0, ge=0, le=30, description="seconds to wait for the end of the batch")
    ],
) -> RunRow:
    """Return a batch's progress; the run of a draft only to its author.

    With `wait`, the answer comes when the batch has ended, or after so many seconds.
    """
    return _row_or_404(request, id)


@router.post(
    "/{int:id}/cancel/",
    auth=SOMEBODY,
    response={200: BatchShown, **refusals(400, 401, 403, 404, 409, 429)},
    summary="Cancel a batch",
)
def cancel(request: HttpRequest, id: int) -> RunRow:
    """Cancel the rest of a run and of the runs that it caused; owner and staff only."""
    read_nothing(request)
    cancel_run(actor=request.user, batch=_batch_or_404(request, id))
    return _row_or_404(request, id)


@router.post(
    "/{int:id}/retry/",
    auth=SOMEBODY,
    response=STARTED,
    summary="Retry tasks that were given up or cancelled",
)
def retry(request: HttpRequest, id: int, key: RequestKey) -> Status[Batch]:
    """Run tasks that were given up or cancelled, as a new batch; owner and staff only."""
    read_nothing(request)
    batch = _batch_or_404(request, id)
    return Status(202, retry_run(actor=request.user, batch=batch, request_key=key))


@router.post(
    "/{int:id}/run-again/",
    auth=SOMEBODY,
    response=STARTED,
    summary="Run all of a batch again",
)
def run_again(request: HttpRequest, id: int, key: RequestKey) -> Status[Batch]:
    """Run all tasks again as a new batch, ignoring known results; owner and staff only."""
    read_nothing(request)
    batch = _batch_or_404(request, id)
    return Status(202, repeat_run(actor=request.user, batch=batch, request_key=key))


def _row_or_404(request: HttpRequest, pk: int) -> RunRow:
    return or_404(run_row(pk, request.user))


def _batch_or_404(request: HttpRequest, pk: int) -> Batch:
    return or_404(batch_for(pk, request.user))
