"""Endpoint of undefined names."""

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from functions.api.bodies import Text
from functions.api.problems import refusals
from functions.read_models.undefined_names import MAX_NAMES, wanted_names

router = Router(tags=["functions"])


class WantedShown(Schema):
    """A name that no function bears."""

    name: str
    waiting: int = Field(description="functions whose published works use it")


class WantedList(Schema):
    """A page of names; `next` is the cursor of the page that follows."""

    items: list[WantedShown]
    next: str | None


class WantedQuery(Schema):
    """Where to go on."""

    cursor: Text = Field("", description="`next` of the page before")
    limit: int = Field(50, ge=1, description="at most 100 are given")


@router.get("/", response={200: WantedList, **refusals(400)}, summary="List missing names")
def list_wanted(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    wanted: Query[WantedQuery],
) -> WantedList:
    """Return the names that published code uses and nobody has defined, the most wanted first."""
    page = wanted_names(cursor=wanted.cursor, limit=min(wanted.limit, MAX_NAMES))
    items = [WantedShown(name=row.name, waiting=row.waiting) for row in page.rows]
    return WantedList(items=items, next=page.next)
