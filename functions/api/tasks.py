"""Endpoints of tasks."""

from typing import Literal

from django.http import Http404, HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from functions.api.bodies import Text
from functions.api.problems import refusals
from functions.api.schemas import TaskList, TaskShown
from functions.api.serializers import task_short, task_shown
from functions.read_models import task_list, task_row
from functions.read_models.cursors import MAX_ID

MOST_TASKS = 100

router = Router(tags=["batches"])


class TaskQuery(Schema):
    """Which tasks to list."""

    state: Literal[
        "", "waiting", "pending", "in_progress", "succeeded", "failed", "ignored", "cancelled"
    ] = ""
    batch: int | None = Field(None, ge=1, le=MAX_ID, description="of one run only")
    cursor: Text = Field("", description="`next` of the page before")
    limit: int = Field(50, ge=1, description="at most 100 are given")


@router.get("/", response={200: TaskList, **refusals(400)}, summary="List tasks")
def list_tasks(request: HttpRequest, wanted: Query[TaskQuery]) -> TaskList:
    """Return tasks, of the newest run first, in each as they were submitted."""
    page = task_list(
        request.user,
        batch=wanted.batch,
        state=wanted.state,
        cursor=wanted.cursor,
        limit=min(wanted.limit, MOST_TASKS),
    )
    return TaskList(items=[task_short(row) for row in page.rows], next=page.next or None)


@router.get("/{int:id}/", response={200: TaskShown, **refusals(404)}, summary="Look at a task")
def read_task(request: HttpRequest, id: int) -> TaskShown:
    """Return a task with every attempt at it; of a draft's run there for its author alone."""
    row = task_row(id, request.user)
    if row is None:
        raise Http404
    return task_shown(row)
