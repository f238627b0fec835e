"""Endpoint of undefined names."""

from django.http import HttpRequest
from ninja import Query, Router
from pydantic import Field

from functions.api.bodies import ListQuery
from functions.api.problems import refusals
from functions.api.schemas import Answer
from functions.read_models.undefined_names import WantedPage, wanted_names

router = Router(tags=["functions"])


class WantedShown(Answer):
    """A name that no function has."""

    name: str
    waiting: int = Field(description="number of functions whose published works use it")


class WantedList(Answer):
    """A page of names; `next` is the cursor of the next page."""

    items: list[WantedShown] = Field(validation_alias="rows")
    next: str | None


class WantedQuery(ListQuery):
    """A page of undefined names."""


@router.get("/", response={200: WantedList, **refusals(400)}, summary="List undefined names")
def list_wanted(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    query: Query[WantedQuery],
) -> WantedPage:
    """Return undefined names that published code uses, the most used first."""
    return wanted_names(**query.model_dump())
