"""Endpoint of an application: a page with everything behind it."""

from typing import Annotated

from django.http import HttpRequest
from ninja import Router
from pydantic import Field

from functions.api.problems import refusals
from functions.api.schemas import Answer, Flat, IsSet, LinkShown, OrNull, path
from functions.read_models.application import Application, application, page_or_404
from functions.read_models.application_needs import Task

router = Router(tags=["functions"])


class NeedShown(Answer):
    """A need of a piece."""

    task: Task
    function: str = Field(description="the piece")
    subject: OrNull = Field(description="name or label of what the task is about")
    count: int = Field(description="tests that there are, or implementations that fail; else 1")
    url: str = Field(description="the page of the site where it is done")


class PieceShown(Flat, LinkShown):
    """A function, or a missing name, that the application is made of."""

    parts = ("link",)

    kind: OrNull
    untested: bool
    elected_number: int | None = Field(description="number of its current implementation")
    score: int | None = Field(description="score of its current implementation")
    author: OrNull = Field(description="of its current implementation")
    tests: int = Field(description="number of tests that count")
    test_authors: list[str]
    used_by: list[str] = Field(description="other pieces")
    needs: list[NeedShown]


class CollectionUsed(Answer):
    """A collection that the page reads or may change."""

    name: str
    found: IsSet = Field(
        validation_alias="collection", description="false: missing, or hidden from the reader"
    )
    queries: list[str] = Field(description="with which the page reads it")
    changes: bool = Field(description="whether its owner has listed the page")


class ContributorShown(Answer):
    """A person with what they wrote of it."""

    name: str
    implementations: list[str] = Field(description="pieces with a current implementation by them")
    tested: list[str] = Field(description="pieces with tests by them that count")
    tests: int = Field(description="number of these tests")


class ApplicationShown(Answer):
    """A page with everything behind it."""

    function: str = path("function", "name")
    status: str = path("function", "status")
    pieces: list[PieceShown]
    complete: bool = Field(
        validation_alias="is_all", description="false: some pieces were left out"
    )
    collections: list[CollectionUsed]
    people: list[ContributorShown]
    needs: Annotated[list[NeedShown], Field(description="the most urgent first")]


@router.get(
    "/{name}/application/",
    response={200: ApplicationShown, **refusals(404)},
    summary="Read what an application is made of",
)
def read_application(request: HttpRequest, name: str) -> Application:
    """Return a page's pieces, with who wrote them and what they need.

    The nearest pieces come first, at most three hundred. Of a piece without a current
    implementation, what all of its published ones name is followed.
    """
    return application(page_or_404(name), request.user)
