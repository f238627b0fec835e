"""Endpoints of functions' releases."""

from datetime import datetime
from operator import attrgetter
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from functions.api.bodies import ListQuery, Text
from functions.api.problems import refusals
from functions.api.schemas import Answer, IsSet, OrNull, convert
from functions.export.distribution import distribution_name
from functions.read_models import function_or_404
from functions.read_models.release_sets import changes_between, parse_time, release_set
from functions.read_models.releases import release_page

router = Router(tags=["functions"])


class RequirementShown(Answer):
    """A release that another one needs."""

    name: str
    number: int


class ReleaseShown(Answer):
    """A release: what importing the function meant from `created_at` to the next one."""

    number: int
    implementation: Annotated[int | None, convert(attrgetter("number"))]
    author: Annotated[str, convert(attrgetter("author.username"))] = Field(
        validation_alias="implementation"
    )
    sha256: Annotated[str, convert(bytes.hex)] = Field(
        validation_alias="source_sha256", description="SHA-256 of its own module's source"
    )
    digest: Annotated[str, convert(bytes.hex)] = Field(
        description="a hash of the function and its closure"
    )
    requires: Annotated[
        list[RequirementShown],
        convert(lambda rows: [{"name": name, "number": number} for name, number in rows]),
    ]
    created_at: datetime
    yanked: OrNull = Field(description="unseated, withdrawn or deleted; null if it is in use")
    built: IsSet = Field(validation_alias="built_at", description="its files are in the index")


class ReleaseList(Answer):
    """A page of a function's releases, the newest first; `next` is the cursor of the next page."""

    project: str = Field(description="its name in the package index, `/simple/`")
    items: list[ReleaseShown]
    next: OrNull


@router.get(
    "/{name}/releases/",
    response={200: ReleaseList, **refusals(400, 404)},
    summary="List a function's releases",
)
def list_releases(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    name: str,
    query: Query[ListQuery],
) -> dict[str, Any]:
    """Return its releases, which an installer gets from the package index."""
    function = function_or_404(name)
    page = release_page(function, **query.model_dump())
    return {
        "project": distribution_name(function.name),
        "items": page.rows,
        "next": page.next,
    }


class ReleaseChangeShown(Answer):
    """A function whose release differs; null: it wasn't needed, or there, at that time."""

    name: str
    former: int | None
    latter: int | None


class ChangeList(Answer):
    """The differences between two times, by name."""

    items: list[ReleaseChangeShown]


class PeriodQuery(Schema):
    """Two times in ISO 8601; of a date, its end."""

    since: Text
    until: Text = Field("", description="empty: now")


@router.get(
    "/{name}/releases/changes/",
    response={200: ChangeList, **refusals(400, 404, 409, 422)},
    summary="Compare what importing a function meant at two times",
)
def list_changes(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    name: str,
    query: Query[PeriodQuery],
) -> dict[str, Any]:
    """Return which releases of it, and of what it needs, differ."""
    former = release_set([name], at=parse_time(query.since, field="since"))
    latter = release_set([name], at=parse_time(query.until, field="until"))
    return {"items": changes_between(former, latter)}
