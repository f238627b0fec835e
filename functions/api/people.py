"""Endpoints of people and their activity."""

from dataclasses import asdict
from datetime import datetime
from typing import Literal

from django.contrib.auth.models import User
from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from functions.api.bodies import Cursor, Limit
from functions.api.problems import refusals
from functions.api.schemas import Answer, path
from functions.read_models.activity import ActivityPage, activity_of
from functions.read_models.not_found import or_404
from functions.read_models.person import person_named, person_totals

router = Router(tags=["people"])


class PersonShown(Answer):
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


class ActivityShown(Answer):
    """A function defined, or a work published; a work's fields are null for a function."""

    kind: str = Field(validation_alias="noun", description="function, implementation or test")
    at: datetime
    function: str = path("function", "name")
    id: int
    number: int | None
    title: str | None
    state: str | None = Field(description="published or withdrawn")
    score: int | None
    current: bool = Field(validation_alias="is_current")


class ActivityList(Answer):
    """A page of activities; `next` is the cursor of the page that follows."""

    items: list[ActivityShown] = Field(validation_alias="rows")
    next: str | None


class ActivityQuery(Schema):
    """What to list."""

    show: Literal["", "functions", "implementations", "tests", "current"] = Field(
        "", description="nothing else; `current`: implementations that are"
    )
    cursor: Cursor = ""
    limit: Limit = 50


@router.get(
    "/{username}/", response={200: PersonShown, **refusals(404)}, summary="Look at a person"
)
def read_person(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    username: str,
) -> PersonShown:
    """Return what somebody has done so far."""
    user = _person_or_404(username)
    totals = asdict(person_totals(user))
    return PersonShown(username=user.get_username(), joined_at=user.date_joined, **totals)


@router.get(
    "/{username}/activity/",
    response={200: ActivityList, **refusals(400, 404)},
    summary="List what a person did",
)
def list_activity(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    username: str,
    query: Query[ActivityQuery],
) -> ActivityPage:
    """Return what somebody defined and published, the newest first."""
    return activity_of(_person_or_404(username), **query.model_dump())


def _person_or_404(username: str) -> User:
    return or_404(person_named(username))
