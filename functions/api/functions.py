"""Endpoints of functions, and of new drafts."""

from typing import Literal, TypeVar

from django.http import Http404, HttpRequest
from ninja import Query, Router, Schema, Status
from pydantic import Field

from functions.api.authentication import SOMEBODY
from functions.api.bodies import (
    DefinitionChange,
    FunctionDefinition,
    NewWork,
    RequestKey,
    Text,
    read_nothing,
)
from functions.api.problems import refusals
from functions.api.schemas import (
    BatchStarted,
    FunctionList,
    FunctionWhole,
    ImplementationShown,
    TestShown,
)
from functions.api.serializers import (
    function_short,
    function_whole,
    implementation_shown,
    test_shown,
)
from functions.authoring import define_function, delete_function, revise_function, start_draft
from functions.errors import Refusal
from functions.models import Function, Implementation, Test
from functions.read_models import (
    browse,
    function_named,
    function_page,
    implementation_card,
    page_of_name,
    test_card,
)
from functions.runs import run_function_again
from functions.source.search_query import FILTERS
from runner.registry import Actor

MAX_FUNCTIONS = 100

W = TypeVar("W", Implementation, Test)

router = Router(tags=["functions"])


class FunctionQuery(Schema):
    """Which functions to list."""

    q: Text = Field(
        "",
        max_length=500,
        description="words in the name, the signature or the description, and filters: "
        + "; ".join(f"`{name}:` {meaning}" for name, meaning in FILTERS.items()),
    )
    status: Literal["", "implemented", "blocked", "not_implemented"] = ""
    kind: Literal["", "function", "class", "page", "document"] = ""
    archived: bool = Field(False, description="those that take nothing new, instead of the others")
    sort: Literal["", "used", "changed"] = Field(
        "", description="by fit and name; the most imported first; the last changed first"
    )
    cursor: Text = Field("", description="`next` of the page before")
    limit: int = Field(50, ge=1, description="at most 100 are given")


@router.get("/", response={200: FunctionList, **refusals(400)}, summary="List functions")
def list_functions(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    wanted: Query[FunctionQuery],
) -> FunctionList:
    """Return functions in the order of their names, or of `sort`; names that fit `q` come first."""
    page = browse(
        q=wanted.q,
        status=wanted.status,
        kind=wanted.kind,
        archived=wanted.archived,
        sort=wanted.sort,
        cursor=wanted.cursor,
        limit=min(wanted.limit, MAX_FUNCTIONS),
        counted=False,
    )
    items = [function_short(row.function, row.owner) for row in page.rows]
    return FunctionList(items=items, next=page.next)


@router.post(
    "/",
    auth=SOMEBODY,
    response={201: FunctionWhole, **refusals(400, 401, 403, 409, 413, 422, 429)},
    summary="Define a function",
)
def create_function(request: HttpRequest, payload: FunctionDefinition) -> Status[FunctionWhole]:
    """Make a function, owned by whoever asks."""
    function = define_function(
        actor=request.user,
        name=payload.name,
        signature=payload.signature,
        description=payload.description,
        kind=payload.kind,
        language=payload.language,
    )
    return Status(201, function_whole(function_page(function, request.user)))


@router.get(
    "/{name}/", response={200: FunctionWhole, **refusals(404)}, summary="Look at a function"
)
def read_function(request: HttpRequest, name: str) -> FunctionWhole:
    """Return everything that the function's page shows, all of it at one instant."""
    page = page_of_name(name, request.user)
    if page is None:
        raise Http404
    return function_whole(page)


@router.patch(
    "/{name}/",
    auth=SOMEBODY,
    response={200: FunctionWhole, **refusals(400, 401, 403, 404, 409, 413, 422, 429)},
    summary="Edit a definition",
)
def change_function(request: HttpRequest, name: str, payload: DefinitionChange) -> FunctionWhole:
    """Describe it anew, as its owner; what it said before is kept as a revision."""
    function = _function_or_404(name)
    signature, description = payload.signature, payload.description
    revise_function(
        actor=request.user,
        function=function,
        signature=function.signature if signature is None else signature,
        description=function.description if description is None else description,
    )
    return function_whole(function_page(function, request.user))


@router.delete(
    "/{name}/",
    auth=SOMEBODY,
    response={204: None, **refusals(401, 403, 404, 409, 429)},
    summary="Delete a function",
)
def remove_function(request: HttpRequest, name: str) -> Status[None]:
    """Take it away, as its owner: what names it is blocked; records of runs stay."""
    delete_function(actor=request.user, function=_function_or_404(name))
    return Status(204, None)


@router.post(
    "/{name}/implementations/",
    auth=SOMEBODY,
    response={201: ImplementationShown, **refusals(400, 401, 404, 413, 422, 429)},
    summary="Begin an implementation",
)
def create_implementation(
    request: HttpRequest, name: str, payload: NewWork
) -> Status[ImplementationShown]:
    """Begin a draft, which only its author sees."""
    function = _function_or_404(name)
    draft = _start_draft(request.user, function, Implementation, payload)
    card = implementation_card(draft, function, request.user, ())
    return Status(201, implementation_shown(card))


@router.post(
    "/{name}/tests/",
    auth=SOMEBODY,
    response={201: TestShown, **refusals(400, 401, 404, 413, 422, 429)},
    summary="Begin a test",
)
def create_test(request: HttpRequest, name: str, payload: NewWork) -> Status[TestShown]:
    """Begin a draft, which only its author sees."""
    function = _function_or_404(name)
    draft = _start_draft(request.user, function, Test, payload)
    return Status(201, test_shown(test_card(draft, function, request.user, ())))


@router.post(
    "/{name}/run-again/",
    auth=SOMEBODY,
    response={202: BatchStarted, **refusals(400, 401, 403, 404, 409, 429)},
    operation_id="run_function_again",
    summary="Run all of a function again",
)
def run_again(request: HttpRequest, name: str, request_key: RequestKey) -> Status[BatchStarted]:
    """Run all implementations against all tests once more, past the known results.

    That is for its owner, and staff; authors have run again what work of theirs takes part in.
    """
    read_nothing(request)
    function = _function_or_404(name)
    batch = run_function_again(actor=request.user, function=function, request_key=request_key)
    return Status(202, BatchStarted(batch=batch.pk))


def _function_or_404(name: str) -> Function:
    function = function_named(name)
    if function is None:
        raise Http404
    return function


def _start_draft(actor: Actor, function: Function, model: type[W], payload: NewWork) -> W:
    return start_draft(
        actor=actor,
        function=function,
        model=model,
        code=payload.code,
        title=payload.title,
        based_on=_origin(model, payload.based_on),
    )


def _origin(model: type[W], pk: int | None) -> W | None:
    if pk is None:
        return None
    found = model.objects.select_related("author").filter(pk=pk).first()
    if found is None:
        raise Refusal(
            "invalid_based_on", f"There is no such {model.noun} to build on.", field="based_on"
        )
    return found
