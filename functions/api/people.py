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
    """A person with totals, without drafts and works of deleted functions."""

    username: str
    joined_at: datetime
    functions: int = Field(description="owned")
    implementations: int
    tests: int
    current: int = Field(description="number of their implementations that are current")
    dependents: int = Field(description="number of functions that import those")
    score: int = Field(description="sum of the votes on their works")
    caught: int = Field(
        description="number of their tests that count and that some implementation doesn't pass"
    )


class ActivityShown(Answer):
    """A function defined or a work published; a work's fields are null for a function."""

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
    """A page of activities; `next` is the cursor of the next page."""

    items: list[ActivityShown] = Field(validation_alias="rows")
    next: str | None


class ActivityQuery(Schema):
    """Filters and page of activities."""

    show: Literal["", "functions", "implementations", "tests", "current"] = Field(
        "", description="only this kind; `current`: current implementations"
    )
    cursor: Cursor = ""
    limit: Limit = 50


@router.get(
    "/{username}/", response={200: PersonShown, **refusals(404)}, summary="Read a person's totals"
)
def read_person(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    username: str,
) -> PersonShown:
    """Return a person's totals."""
    user = _person_or_404(username)
    totals = asdict(person_totals(user))
    return PersonShown(username=user.get_username(), joined_at=user.date_joined, **totals)


@router.get(
    "/{username}/activity/",
    response={200: ActivityList, **refusals(400, 404)},
    summary="List a person's activities",
)
def list_activity(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    username: str,
    query: Query[ActivityQuery],
) -> ActivityPage:
    """Return the functions and works that a person published, newest first."""
    return activity_of(_person_or_404(username), **query.model_dump())


def _person_or_404(username: str) -> User:
    return or_404(person_named(username))
