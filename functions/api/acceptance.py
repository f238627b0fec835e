"""Endpoints of acceptance tests."""

from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema, Status
from pydantic import Field, StrictInt

from functions.acceptance import (
    publish_acceptance_test,
    save_acceptance_test,
    start_acceptance_test,
    withdraw_acceptance_test,
)
from functions.api.authentication import SOMEBODY
from functions.api.bodies import OptionalText, Text, read_nothing
from functions.api.preconditions import etag_of, expected_parts, tagged
from functions.api.problems import refusals
from functions.api.schemas import Answer, OrNull, Username, convert, path
from functions.models import AcceptanceTest
from functions.read_models.acceptance import acceptance_list, acceptance_test_for
from functions.read_models.function import function_or_404
from functions.read_models.not_found import or_404

router = Router(tags=["acceptance tests"])


class AcceptanceTestShown(Answer):
    """A test by the owner of `function` of the current implementation of `target`."""

    id: int
    function: str = path("function", "name")
    target: str = path("target", "name")
    author: Username
    title: str
    code: str
    state: str = Field(description="draft, published or withdrawn")
    version: int = Field(description="counts the saves of a draft")
    verdict: OrNull = Field(description="on the current implementation; null while there is none")
    message: str
    asleep: str = Field(description="why it is not run; empty if it is run")
    key: Annotated[str | None, convert(lambda key: bytes(key).hex())] = Field(
        description="the key of its current program"
    )
    published_at: datetime | None


class AcceptanceTestList(Answer):
    """Acceptance tests, oldest first."""

    items: list[AcceptanceTestShown]


DONE = {200: AcceptanceTestShown, **refusals(400, 401, 403, 404, 409, 413, 422, 429)}
SAVED = {**DONE, **refusals(412)}


class AcceptanceQuery(Schema):
    """Which acceptance tests to list."""

    function: Text = Field("", max_length=80, description="the function whose owner wrote them")
    target: Text = Field("", max_length=80, description="the function that they judge")


class NewAcceptanceTest(Schema):
    """A new draft of an acceptance test."""

    function: Text = Field(description="the dependent function, which you own")
    target: Text = Field(description="the dependency to test")
    code: Text
    title: Text = ""


class AcceptanceTestChange(Schema):
    """Changes to a draft; omitted fields are kept."""

    code: OptionalText = None
    title: OptionalText = None
    version: StrictInt | None = Field(
        None, description="The version that you edited; refused if there is a newer one."
    )


@router.get(
    "/", response={200: AcceptanceTestList, **refusals(400)}, summary="List acceptance tests"
)
def list_acceptance_tests(
    request: HttpRequest, query: Query[AcceptanceQuery]
) -> dict[str, list[AcceptanceTest]]:
    """Return at most 500 acceptance tests with their verdicts; drafts only to their authors."""
    return {"items": acceptance_list(request.user, **query.model_dump())}


@router.get(
    "/{int:id}/",
    response={200: AcceptanceTestShown, **refusals(404)},
    summary="Read an acceptance test",
)
def read_acceptance_test(request: HttpRequest, response: HttpResponse, id: int) -> Any:
    """Return an acceptance test with its verdict; a draft has an `ETag`."""
    return _shown(request, response, _test_or_404(request, id))


@router.post(
    "/",
    response={201: AcceptanceTestShown, **refusals(400, 401, 403, 404, 409, 413, 422, 429)},
    summary="Create an acceptance test",
    auth=SOMEBODY,
)
def create_acceptance_test(
    request: HttpRequest, payload: NewAcceptanceTest
) -> Status[AcceptanceTest]:
    """Create a draft for a function that you own and one of its dependencies."""
    fields = payload.model_dump() | {"function": function_or_404(payload.function)}
    return Status(201, start_acceptance_test(actor=request.user, **fields))


@router.patch(
    "/{int:id}/",
    response=SAVED,
    summary="Change a draft",
    auth=SOMEBODY,
    operation_id="change_acceptance_test",
)
def change_acceptance_test(
    request: HttpRequest, response: HttpResponse, id: int, payload: AcceptanceTestChange
) -> Any:
    """Save new code or a new title; with `If-Match`, only of the draft that was read."""
    test = _test_or_404(request, id)
    code = test.code if payload.code is None else payload.code
    title = test.title if payload.title is None else payload.title
    saved = save_acceptance_test(
        actor=request.user,
        test=test,
        code=code,
        title=title,
        version=payload.version,
        expected=expected_parts(request, id),
    )
    return _shown(request, response, saved)


@router.post(
    "/{int:id}/publish/",
    response=DONE,
    summary="Publish an acceptance test",
    auth=SOMEBODY,
    operation_id="publish_acceptance_test",
)
def publish(request: HttpRequest, id: int) -> AcceptanceTest:
    """Publish it and run it; this can't be undone."""
    read_nothing(request)
    return publish_acceptance_test(actor=request.user, test=_test_or_404(request, id))


@router.post(
    "/{int:id}/withdraw/",
    response=DONE,
    summary="Withdraw an acceptance test",
    auth=SOMEBODY,
    operation_id="withdraw_acceptance_test",
)
def withdraw(request: HttpRequest, id: int) -> AcceptanceTest:
    """Withdraw it, so that it no longer warns."""
    read_nothing(request)
    return withdraw_acceptance_test(actor=request.user, test=_test_or_404(request, id))


def _shown(request: HttpRequest, response: HttpResponse, test: AcceptanceTest) -> Any:
    if test.state != AcceptanceTest.State.DRAFT:  # its verdict changes without a new version
        return test
    shown = AcceptanceTestShown.model_validate(test)
    return tagged(request, response, shown, etag_of(test.pk, test.version))


def _test_or_404(request: HttpRequest, pk: int) -> AcceptanceTest:
    return or_404(acceptance_test_for(pk, request.user))
