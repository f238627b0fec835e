"""Endpoints of tasks."""

from datetime import datetime
from typing import Literal

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from functions.api.bodies import Cursor, Limit
from functions.api.problems import refusals
from functions.api.schemas import Answer, IdOrNull, OrNull
from functions.read_models import TaskPage, TaskRow, task_list, task_row
from functions.read_models.cursors import MAX_ID
from functions.read_models.not_found import or_404

router = Router(tags=["batches"])


class TaskShort(Answer):
    """A program of a run, and its result."""

    id: int
    batch: int
    key: str
    state: str = Field(
        description="waiting, pending, in_progress, succeeded (a verdict was recorded, whatever "
        "it says), failed (to be tried again), ignored (given up) or cancelled"
    )
    verdict: str | None
    message: str
    line: int | None
    implementation: IdOrNull
    test: IdOrNull
    executed: bool = Field(description="executed for this run; false if the result was known")
    attempts: int
    worker: str = Field(description="the worker of the last attempt")
    cpu_us: int | None
    wall_us: int | None
    queued_at: datetime
    started_at: datetime | None = Field(description="start of the last attempt")
    finished_at: datetime | None
    run_again_at: datetime | None = Field(
        description="start of the later run that `verdict`, `message`, `line`, `cpu_us` and "
        "`wall_us` come from; null if they come from this one or were known before"
    )


class AttemptShown(Answer):
    """An attempt to run a program."""

    number: int
    outcome: str = Field(
        description="running, recorded, handed_back, repeated, failed, lost or cancelled"
    )
    error: str = Field(description="with traceback")
    worker: str
    started_at: datetime
    ended_at: datetime | None


class TaskShown(TaskShort):
    """A task with its attempts, last first."""

    tries: list[AttemptShown]


class TaskList(Answer):
    """A page of tasks; `next` is the cursor of the page that follows."""

    items: list[TaskShort] = Field(validation_alias="rows")
    next: OrNull


class TaskQuery(Schema):
    """Filters and page of tasks."""

    state: Literal[
        "", "waiting", "pending", "in_progress", "succeeded", "failed", "ignored", "cancelled"
    ] = ""
    batch: int | None = Field(None, ge=1, le=MAX_ID, description="of one run only")
    cursor: Cursor = ""
    limit: Limit = 50


@router.get("/", response={200: TaskList, **refusals(400)}, summary="List tasks")
def list_tasks(request: HttpRequest, query: Query[TaskQuery]) -> TaskPage:
    """Return tasks, those of the newest run first, within a run in order of submission."""
    return task_list(request.user, **query.model_dump())


@router.get("/{int:id}/", response={200: TaskShown, **refusals(404)}, summary="Read a task")
def read_task(request: HttpRequest, id: int) -> TaskRow:
    """Return a task with its attempts; a task of a draft's run only to its author."""
    return or_404(task_row(id, request.user))
