"""Endpoints of batches: list, progress, and actions of owners."""

from datetime import UTC, datetime
from typing import Literal

from django.http import Http404, HttpRequest
from ninja import Query, Router, Schema, Status
from pydantic import Field

from functions.api.authentication import SOMEBODY
from functions.api.bodies import RequestKey, Text, read_nothing
from functions.api.problems import refusals
from functions.api.schemas import BatchList, BatchShown, BatchStarted
from functions.api.serializers import batch_shown
from functions.read_models import RunFilter, batch_for, run_list, run_row
from functions.read_models.cursors import MAX_ID
from functions.runs import cancel_run, repeat_run, retry_run
from runner.models import Batch

MOST_BATCHES = 100
STARTED = {202: BatchStarted, **refusals(400, 401, 403, 404, 409, 429)}

router = Router(tags=["batches"])


class BatchQuery(Schema):
    """Which runs to list."""

    state: Literal["", "open", "complete", "cancelled", "attention"] = Field(
        "", description="`attention`: something was given up, and nobody has run it since"
    )
    owner: Text = Field("", max_length=150, description="the name of who asked for them")
    function: Text = Field("", max_length=200, description="what they are about")
    since: datetime | None = Field(None, description="submitted at this instant or later")
    parent: int | None = Field(None, ge=1, le=MAX_ID, description="caused by this run")
    cursor: Text = Field("", description="`next` of the page before")
    limit: int = Field(50, ge=1, description="at most 100 are given")


@router.get("/", response={200: BatchList, **refusals(400)}, summary="List batches")
def list_batches(request: HttpRequest, wanted: Query[BatchQuery]) -> BatchList:
    """Return runs, the newest first; those of drafts are there for their authors alone."""
    page = run_list(
        request.user,
        RunFilter(
            state=wanted.state,
            owner=wanted.owner,
            function=wanted.function,
            since=_aware(wanted.since),
            parent=wanted.parent,
        ),
        cursor=wanted.cursor,
        limit=min(wanted.limit, MOST_BATCHES),
    )
    return BatchList(items=[batch_shown(row) for row in page.rows], next=page.next or None)


@router.get("/{int:id}/", response={200: BatchShown, **refusals(404)}, summary="Look at a batch")
def read_batch(request: HttpRequest, id: int) -> BatchShown:
    """Return how far a batch is; a draft's run is there for its author alone."""
    row = run_row(id, request.user)
    if row is None:
        raise Http404
    return batch_shown(row)


@router.post(
    "/{int:id}/cancel/",
    auth=SOMEBODY,
    response={200: BatchShown, **refusals(400, 401, 403, 404, 409, 429)},
    summary="Cancel a batch",
)
def cancel(request: HttpRequest, id: int) -> BatchShown:
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
def retry(request: HttpRequest, id: int, key: RequestKey) -> Status[BatchStarted]:
    """Run what was given up or cancelled, as a new batch; for its owner, and staff."""
    read_nothing(request)
    batch = retry_run(actor=request.user, batch=_batch_or_404(request, id), request_key=key)
    return Status(202, BatchStarted(batch=batch.pk))


@router.post(
    "/{int:id}/run-again/",
    auth=SOMEBODY,
    response=STARTED,
    summary="Run all of a batch again",
)
def run_again(request: HttpRequest, id: int, key: RequestKey) -> Status[BatchStarted]:
    """Run all of it once more, past the known results, as a new batch; for its owner, and staff."""
    read_nothing(request)
    batch = repeat_run(actor=request.user, batch=_batch_or_404(request, id), request_key=key)
    return Status(202, BatchStarted(batch=batch.pk))


def _batch_or_404(request: HttpRequest, pk: int) -> Batch:
    batch = batch_for(pk, request.user)
    if batch is None:
        raise Http404
    return batch


def _aware(instant: datetime | None) -> datetime | None:
    """Interpret times without a zone as UTC, like those in responses."""
    return instant.replace(tzinfo=UTC) if instant and instant.tzinfo is None else instant
