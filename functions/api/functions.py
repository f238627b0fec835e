"""Endpoints of functions."""

from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema, Status
from pydantic import BeforeValidator, Field
from typing_extensions import TypedDict  # required by pydantic before Python 3.12

from functions.api.authentication import SOMEBODY
from functions.api.bodies import (
    Cursor,
    DefinitionChange,
    FunctionDefinition,
    Limit,
    RequestKey,
    Text,
    read_nothing,
)
from functions.api.moderation_schemas import NewName
from functions.api.preconditions import content_of, definition_etag, expected_parts, tagged
from functions.api.problems import refusals
from functions.api.schemas import (
    Answer,
    BatchStarted,
    Flat,
    FunctionList,
    FunctionShort,
    ImplementationShown,
    LinkShown,
    OrNull,
    TestShown,
    convert,
)
from functions.authoring import (
    clone_function,
    define_function,
    delete_function,
    revise_function,
)
from functions.read_models import (
    BrowsePage,
    FunctionPage,
    Matrix,
    MatrixCell,
    Unsettled,
    browse,
    function_or_404,
    function_page,
    page_of_name,
)
from functions.read_models.not_found import or_404
from functions.runs import run_function_again
from functions.source.search_query import FILTERS
from runner.models import Batch

router = Router(tags=["functions"])


class CellShown(Answer):
    """A pair of an implementation and a test; `current`: `verdict` is of its present program."""

    implementation: int
    test: int
    verdict: str | None
    key: str | None = Field(description="the key of the pair's current program")
    current: bool = Field(validation_alias="is_current")


# The functions whose elections keep unseating this one's; `with` is a keyword, so not a class.
UnsettledShown = TypedDict(
    "UnsettledShown",
    {
        "with": Annotated[list[str], Field(description="the other functions")],
        "tests": Annotated[list[int], Field(description="the tests that cause it, of all these")],
    },
)


def _unsettled(seen: Unsettled) -> UnsettledShown:
    return {"with": [*seen.others], "tests": [test.id for test in seen.tests]}


def _of_tests(cells: Matrix) -> list[MatrixCell]:
    return [cell for cell in cells.values() if cell.test is not None]


class FunctionWhole(Flat, FunctionShort):
    """A function with all that its page shows."""

    parts = ("function",)

    judging: bool = Field(description="an election waits for verdicts")
    unsettled: Annotated[UnsettledShown | None, convert(_unsettled)] = Field(
        description="functions whose elections and its own keep unseating each other's choice; "
        "all keep what they had"
    )
    offered_to: OrNull = Field(description="the user that ownership is offered to")
    depends_on: list[LinkShown]
    depended_on_by: list[LinkShown]
    implementations: list[ImplementationShown]
    tests: list[TestShown]
    cells: Annotated[list[CellShown], BeforeValidator(_of_tests)]
    topic: str = Field(description="its stream of events")
    epoch: int
    seq: int = Field(description="the last event of the stream that this answer includes")


class FunctionQuery(Schema):
    """Search, filters and page of a list of functions."""

    q: Text = Field(
        "",
        max_length=500,
        description="words of the name, signature or description, and filters: "
        + "; ".join(f"`{name}:` {meaning}" for name, meaning in FILTERS.items()),
    )
    status: Literal["", "implemented", "blocked", "not_implemented"] = ""
    kind: Literal["", "function", "class", "page", "document"] = ""
    archived: bool = Field(False, description="list archived functions instead of the others")
    sort: Literal["", "used", "changed"] = Field(
        "", description="empty: by fit and name; else the most imported or the last changed first"
    )
    cursor: Cursor = ""
    limit: Limit = 50


@router.get("/", response={200: FunctionList, **refusals(400)}, summary="List functions")
def list_functions(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    query: Query[FunctionQuery],
) -> BrowsePage:
    """Return functions, by default ordered by name; names that match `q` come first."""
    return browse(**query.model_dump(), counted=False)


@router.post(
    "/",
    auth=SOMEBODY,
    response={201: FunctionWhole, **refusals(400, 401, 403, 409, 413, 422, 429)},
    summary="Define a function",
)
def create_function(request: HttpRequest, payload: FunctionDefinition) -> Status[FunctionPage]:
    """Create a function that you own."""
    function = define_function(actor=request.user, **payload.model_dump())
    return Status(201, function_page(function, request.user))


@router.post(
    "/{name}/clone/",
    auth=SOMEBODY,
    response={201: FunctionWhole, **refusals(400, 401, 403, 404, 409, 413, 422, 429)},
    summary="Clone a function",
)
def clone(request: HttpRequest, name: str, payload: NewName) -> Status[FunctionPage]:
    """Create a function like this one, with its tests that count and its implementations."""
    function = clone_function(actor=request.user, original=function_or_404(name), name=payload.name)
    return Status(201, function_page(function, request.user))


@router.get("/{name}/", response={200: FunctionWhole, **refusals(404)}, summary="Read a function")
def read_function(request: HttpRequest, response: HttpResponse, name: str) -> Any:
    """Return all that the function's page shows, from one database snapshot."""
    return _tagged(request, response, or_404(page_of_name(name, request.user)))


@router.patch(
    "/{name}/",
    auth=SOMEBODY,
    response={200: FunctionWhole, **refusals(400, 401, 403, 404, 409, 412, 413, 422, 429)},
    summary="Edit a definition",
)
def change_function(
    request: HttpRequest, response: HttpResponse, name: str, payload: DefinitionChange
) -> Any:
    """Change the definition; owner only. The former one is kept as a revision.

    `If-Match` with the ETag that was read refuses if the definition has changed since.
    """
    function = function_or_404(name)
    revise_function(
        actor=request.user,
        function=function,
        expected=expected_parts(request, function.pk),
        **payload.model_dump(),
    )
    return _tagged(request, response, function_page(function, request.user))


@router.delete(
    "/{name}/",
    auth=SOMEBODY,
    response={204: None, **refusals(401, 403, 404, 409, 412, 429)},
    summary="Delete a function",
)
def remove_function(request: HttpRequest, name: str) -> Status[None]:
    """Delete it; owner only. Its dependents become blocked; records of runs are kept."""
    function = function_or_404(name)
    expected = expected_parts(request, function.pk)
    delete_function(actor=request.user, function=function, expected=expected)
    return Status(204, None)


@router.post(
    "/{name}/run-again/",
    auth=SOMEBODY,
    response={202: BatchStarted, **refusals(400, 401, 403, 404, 409, 429)},
    operation_id="run_function_again",
    summary="Run all of a function again",
)
def run_again(request: HttpRequest, name: str, request_key: RequestKey) -> Status[Batch]:
    """Run all implementations against all tests again, ignoring known results.

    Owner and staff run all of it; authors run only the pairs with work of theirs.
    """
    read_nothing(request)
    function = function_or_404(name)
    return Status(
        202, run_function_again(actor=request.user, function=function, request_key=request_key)
    )


def _tagged(request: HttpRequest, response: HttpResponse, page: FunctionPage) -> Any:
    """Return a function with its ETag, or 304 if the client has it already."""
    shown = FunctionWhole.model_validate(page)
    return tagged(request, response, shown, definition_etag(page.function, content_of(shown)))
