"""Endpoints of batches: list, progress, and actions of owners."""

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

    waiting: int = Field(description="for another task to succeed")
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
    flaky: int = Field(description="run again, the program came to another verdict")


class BatchShown(Flat):
    """A run and how far it is."""

    parts = ("progress",)

    id: int
    cause: str
    state: str = Field(description="open, complete or cancelled")
    all_tasks_loaded: bool
    total: int
    tasks: TaskCounts
    verdicts: VerdictCounts
    parent: int | None
    created_at: datetime
    finished_at: datetime | None
    executed: int = Field(description="runs that really took place")
    function: OrNull = path(
        "subject", "name", description="what it is about, if that is still there"
    )
    owner: str = Field(description="who asked for it; nobody if empty")
    private: bool = Field(description="seen by its owner alone: a draft's run")


class BatchList(Answer):
    """A page of runs; `next` is the cursor of the page that follows."""

    items: list[BatchShown] = Field(validation_alias="rows")
    next: OrNull


def _aware(instant: datetime | None) -> datetime | None:
    """Interpret times without a zone as UTC, like those in responses."""
    return instant.replace(tzinfo=UTC) if instant and instant.tzinfo is None else instant


class BatchQuery(Schema):
    """Which runs to list."""

    state: Literal["", "open", "complete", "cancelled", "attention"] = Field(
        "", description="`attention`: something was given up, and nobody has run it since"
    )
    owner: Text = Field("", max_length=150, description="the name of who asked for them")
    function: Text = Field("", max_length=200, description="what they are about")
    since: Annotated[datetime | None, AfterValidator(_aware)] = Field(
        None, description="submitted at this instant or later"
    )
    parent: int | None = Field(None, ge=1, le=MAX_ID, description="caused by this run")
    cursor: Cursor = ""
    limit: Limit = 50


@router.get("/", response={200: BatchList, **refusals(400)}, summary="List batches")
def list_batches(request: HttpRequest, query: Query[BatchQuery]) -> RunList:
    """Return runs, the newest first; those of drafts are there for their authors alone."""
    filters = RunFilter(**query.model_dump(exclude={"cursor", "limit"}))
    return run_list(request.user, filters, cursor=query.cursor, limit=query.limit)


@router.get("/{int:id}/", response={200: BatchShown, **refusals(404)}, summary="Look at a batch")
def read_batch(request: HttpRequest, id: int) -> RunRow:
    """Return how far a batch is; a draft's run is there for its author alone."""
    return or_404(run_row(id, request.user))


@router.post(
    "/{int:id}/cancel/",
    auth=SOMEBODY,
    response={200: BatchShown, **refusals(400, 401, 403, 404, 409, 429)},
    summary="Cancel a batch",
)
def cancel(request: HttpRequest, id: int) -> RunRow:
    """Cancel what is left of a run and of those that it has caused; for its owner, and staff."""
    read_nothing(request)
    cancel_run(actor=request.user, batch=_batch_or_404(request, id))
    return read_batch(request, id)


@router.post(
    "/{int:id}/retry/",
    auth=SOMEBODY,
    response=STARTED,
    summary="Retry what was given up or cancelled",
)
def retry(request: HttpRequest, id: int, key: RequestKey) -> Status[Batch]:
    """Run what was given up or cancelled, as a new batch; for its owner, and staff."""
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
    """Run all of it once more, past the known results, as a new batch; for its owner, and staff."""
    read_nothing(request)
    batch = _batch_or_404(request, id)
    return Status(202, repeat_run(actor=request.user, batch=batch, request_key=key))


def _batch_or_404(request: HttpRequest, pk: int) -> Batch:
    return or_404(batch_for(pk, request.user))
