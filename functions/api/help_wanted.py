"""Endpoint of the work that helps others most."""

from typing import Annotated

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from functions.api.problems import refusals
from functions.api.schemas import Answer, OrNull, path
from functions.read_models.application_needs import Task
from functions.read_models.help_wanted import MAX_ITEMS, Wanted, help_wanted

router = Router(tags=["functions"])


class FailureShown(Answer):
    """What an implementation failed."""

    test: int | None = Field(description="id of a test that counts; null: it doesn't load")
    verdict: str
    message: str
    line: int | None


class PublishedWorkShown(Answer):
    """A published work, whole."""

    id: int
    function: str
    label: str
    author: str
    title: str
    code: str


class PublishedTestShown(PublishedWorkShown):
    """A test, and whether it decides."""

    counts: bool
    challenge: bool


class PublishedImplementationShown(PublishedWorkShown):
    """An implementation with its standing, and what it fails."""

    language: str
    standing: str
    reason: str
    passed: int
    counting: int
    cpu_us: int | None
    failures: list[FailureShown]


class WantedWork(Answer):
    """Work to do, with everything needed to begin."""

    task: Task = path("need", "task")
    function: str
    subject: OrNull = path("need", "subject", description="name or label of what the task is about")
    helps: int = Field(
        description="number of functions: those that use it, and itself while it doesn't work"
    )
    url: str = path("need", "url", description="the page of the site where it is done")
    operation: str = Field(description="the operation of this API that begins it")
    defined: bool = path("is_defined")
    kind: str
    signature: str = Field(description="of an undefined name: guessed from its uses")
    description: str
    status: str = Field(description="implemented, blocked, not_implemented or missing")
    tests: list[PublishedTestShown] = Field(description="those that count first, at most 20")
    implementations: list[PublishedImplementationShown] = Field(
        description="the best first, at most 3"
    )
    uses: list[PublishedWorkShown] = Field(
        description="works that use an undefined name, at most 3"
    )


class WantedWorkList(Answer):
    """Work to do, that which helps most functions first."""

    items: list[WantedWork]


class WantedWorkQuery(Schema):
    """A kind of work (all by default), and how much of it."""

    task: Task | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_ITEMS)] = 10


@router.get(
    "/",
    response={200: WantedWorkList, **refusals(400)},
    summary="List the work that helps others most",
)
def list_help_wanted(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    query: Query[WantedWorkQuery],
) -> dict[str, list[Wanted]]:
    """Return what is undefined, unimplemented, blocked, challenged, weakly tested or slow.

    What helps most functions comes first. Each item has all code needed to begin.
    """
    return {"items": help_wanted(task=query.task, limit=query.limit)}
