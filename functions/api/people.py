"""Endpoints of people and their activity."""

from datetime import datetime
from typing import Literal

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from functions.api.bodies import Text
from functions.api.problems import refusals
from functions.read_models.activity import MAX_ACTIVITIES, Activity, activity_of
from functions.read_models.person import person_named, person_totals

router = Router(tags=["people"])


class PersonShown(Schema):
    """A person with totals; drafts, and what was for deleted functions, are left out."""

    username: str
    joined_at: datetime
    functions: int = Field(description="owned")
    implementations: int
    tests: int
    current: int = Field(description="of the implementations, those that dependents import")
    dependents: int = Field(description="functions that import them")
    score: int = Field(description="what votes on their works come to")
    caught: int = Field(
        description="of the tests, those that count and that some implementation doesn't pass"
    )


class ActivityShown(Schema):
    """A function defined, or a work published; a work's fields are null for a function."""

    kind: str = Field(description="function, implementation or test")
    at: datetime
    function: str
    id: int
    number: int | None
    title: str | None
    state: str | None = Field(description="published or withdrawn")
    score: int | None
    current: bool


class ActivityList(Schema):
    """A page of activities; `next` is the cursor of the page that follows."""

    items: list[ActivityShown]
    next: str | None


class ActivityQuery(Schema):
    """What to list."""

    show: Literal["", "functions", "implementations", "tests", "current"] = Field(
        "", description="nothing else; `current`: implementations that are"
    )
    cursor: Text = Field("", description="`next` of the page before")
    limit: int = Field(50, ge=1, description="at most 100 are given")


@router.get(
    "/{username}/", response={200: PersonShown, **refusals(404)}, summary="Look at a person"
)
def read_person(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    username: str,
) -> PersonShown:
    """Return what somebody has done so far."""
    user = _person_or_404(username)
    totals = person_totals(user)
    return PersonShown(
        username=user.get_username(),
        joined_at=user.date_joined,
        functions=totals.functions,
        implementations=totals.implementations,
        tests=totals.tests,
        current=totals.current,
        dependents=totals.dependents,
        score=totals.score,
        caught=totals.caught,
    )


@router.get(
    "/{username}/activity/",
    response={200: ActivityList, **refusals(400, 404)},
    summary="List what a person did",
)
def list_activity(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    username: str,
    wanted: Query[ActivityQuery],
) -> ActivityList:
    """Return what somebody defined and published, the newest first."""
    page = activity_of(
        _person_or_404(username),
        show=wanted.show,
        cursor=wanted.cursor,
        limit=min(wanted.limit, MAX_ACTIVITIES),
    )
    return ActivityList(items=[_shown(row) for row in page.rows], next=page.next)


def _person_or_404(username: str) -> User:
    user = person_named(username)
    if user is None:
        raise Http404
    return user


def _shown(row: Activity) -> ActivityShown:
    is_work = row.number is not None
    return ActivityShown(
        kind=row.noun,
        at=row.at,
        function=row.function.name,
        id=row.id,
        number=row.number,
        title=row.title if is_work else None,
        state=row.state if is_work else None,
        score=row.score,
        current=row.is_current,
    )
