"""Endpoints of a function's works: its lists, and new drafts."""

from typing import Any, Literal

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Query, Router, Status
from pydantic import Field

from functions.api.authentication import SOMEBODY
from functions.api.bodies import ListQuery, NewWork, Text
from functions.api.problems import refusals
from functions.api.schemas import (
    Answer,
    Attributes,
    DraftShown,
    ImplementationShown,
    OrNull,
    TestShown,
    with_problems,
)
from functions.authoring import start_draft
from functions.errors import Refusal
from functions.models import Implementation, Test
from functions.permissions import require_account
from functions.read_models import (
    WorkPage,
    drafts_of,
    function_or_404,
    implementation_card,
    test_card,
    works_of_function,
)

router = Router(tags=["functions"])
drafts = Router(tags=["functions"], auth=SOMEBODY)
CREATED = refusals(400, 401, 404, 413, 422, 429)
LISTED = refusals(400, 404)


class WorkQuery(ListQuery):
    """Filters and page of a function's works."""

    state: Literal["", "draft", "published", "withdrawn"] = ""
    author: Text = Field("", max_length=150, description="a user's name")


class ImplementationList(Answer):
    """A page of implementations; `next` is the cursor of the next page."""

    items: list[ImplementationShown] = Field(validation_alias="rows")
    next: OrNull


class TestList(Answer):
    """A page of tests; `next` is the cursor of the next page."""

    __test__ = False  # pytest: not a test class

    items: list[TestShown] = Field(validation_alias="rows")
    next: OrNull


class DraftList(Answer):
    """A page of drafts; `next` is the cursor of the next page."""

    items: list[DraftShown] = Field(validation_alias="rows")
    next: OrNull


@router.get(
    "/{name}/implementations/",
    response={200: ImplementationList, **LISTED},
    summary="List implementations",
)
def list_implementations(request: HttpRequest, name: str, query: Query[WorkQuery]) -> WorkPage:
    """Return a function's implementations, the last created first; drafts only your own."""
    return _list(request, name, Implementation, query)


@router.get("/{name}/tests/", response={200: TestList, **LISTED}, summary="List tests")
def list_tests(request: HttpRequest, name: str, query: Query[WorkQuery]) -> WorkPage:
    """Return a function's tests, the last created first; drafts only your own."""
    return _list(request, name, Test, query)


@router.post(
    "/{name}/implementations/",
    auth=SOMEBODY,
    response={201: ImplementationShown, **CREATED},
    operation_id="functions_api_functions_create_implementation",
    summary="Create an implementation",
)
def create_implementation(request: HttpRequest, name: str, payload: NewWork) -> Status[Attributes]:
    """Create a draft, which only its author sees, valid or not; `problems` says what is wrong."""
    function, draft = _start_draft(request, name, Implementation, payload)
    card = implementation_card(draft, function, request.user, ())
    return Status(201, with_problems(card, draft))


@router.post(
    "/{name}/tests/",
    auth=SOMEBODY,
    response={201: TestShown, **CREATED},
    operation_id="functions_api_functions_create_test",
    summary="Create a test",
)
def create_test(request: HttpRequest, name: str, payload: NewWork) -> Status[Attributes]:
    """Create a draft, which only its author sees, valid or not; `problems` says what is wrong."""
    function, draft = _start_draft(request, name, Test, payload)
    return Status(201, with_problems(test_card(draft, function, request.user, ()), draft))


@drafts.get("/", response={200: DraftList, **refusals(400, 401)}, summary="List your drafts")
def list_drafts(request: HttpRequest, query: Query[ListQuery]) -> WorkPage:
    """Return your drafts of implementations and tests of all functions, newest first."""
    return drafts_of(require_account(request.user), **query.model_dump())


def _list(request: HttpRequest, name: str, model: type[Any], query: WorkQuery) -> WorkPage:
    return works_of_function(function_or_404(name), model, request.user, **query.model_dump())


def _start_draft(request: HttpRequest, name: str, model: type[Any], payload: NewWork) -> Any:
    function = function_or_404(name)
    fields = payload.model_dump() | {"based_on": _origin(model, payload.based_on)}
    draft = start_draft(actor=request.user, function=function, model=model, **fields)
    return function, draft


def _origin(model: type[Any], pk: int | None) -> Any:
    if pk is None:
        return None
    found = model.objects.select_related("author").filter(pk=pk).first()
    if found is None:
        sentences = {
            Implementation.noun: _("There is no such implementation to build on."),
            Test.noun: _("There is no such test to build on."),
        }
        raise Refusal("invalid_based_on", sentences[model.noun], field="based_on")
    return found
