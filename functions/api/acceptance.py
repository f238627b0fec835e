"""Endpoints of acceptance tests."""

from datetime import datetime
from typing import Annotated

from django.http import HttpRequest
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
from functions.api.problems import refusals
from functions.api.schemas import Answer, OrNull, Username, convert, path
from functions.models import AcceptanceTest
from functions.read_models.acceptance import acceptance_list, acceptance_test_for
from functions.read_models.function import function_or_404
from functions.read_models.not_found import or_404

router = Router(tags=["acceptance tests"])


class AcceptanceTestShown(Answer):
    """What the owner of `function` wants of whatever is current of `target`."""

    id: int
    function: str = path("function", "name")
    target: str = path("target", "name")
    author: Username
    title: str
    code: str
    state: str = Field(description="draft, published or withdrawn")
    version: int = Field(description="counts the saves of a draft")
    verdict: OrNull = Field(description="on what is current now; null: none yet, or none ever")
    message: str
    asleep: str = Field(description="why it isn't run; empty if it is")
    key: Annotated[str | None, convert(lambda key: bytes(key).hex())] = Field(
        description="the program that it means now"
    )
    published_at: datetime | None


class AcceptanceTestList(Answer):
    """Acceptance tests, the oldest first."""

    items: list[AcceptanceTestShown]


DONE = {200: AcceptanceTestShown, **refusals(400, 401, 403, 404, 409, 413, 422, 429)}


class AcceptanceQuery(Schema):
    """Which acceptance tests to list."""

    function: Text = Field("", max_length=80, description="whose owner wants them")
    target: Text = Field("", max_length=80, description="what they judge")


class NewAcceptanceTest(Schema):
    """A new draft of an acceptance test."""

    function: Text = Field(description="the function that depends; its owner asks")
    target: Text = Field(description="the function that it depends on")
    code: Text
    title: Text = ""


class AcceptanceTestChange(Schema):
    """What is to change in a draft; what is left out stays."""

    code: OptionalText = None
    title: OptionalText = None
    version: StrictInt | None = Field(
        None, description="The version that the change was made to; refused if another is newer."
    )


@router.get(
    "/", response={200: AcceptanceTestList, **refusals(400)}, summary="List acceptance tests"
)
def list_acceptance_tests(
    request: HttpRequest, query: Query[AcceptanceQuery]
) -> dict[str, list[AcceptanceTest]]:
    """Return acceptance tests with what came of them, at most 500; drafts to authors alone."""
    return {"items": acceptance_list(request.user, **query.model_dump())}


@router.get(
    "/{int:id}/",
    response={200: AcceptanceTestShown, **refusals(404)},
    summary="Look at an acceptance test",
)
def read_acceptance_test(request: HttpRequest, id: int) -> AcceptanceTest:
    """Return an acceptance test with what came of it."""
    return _test_or_404(request, id)


@router.post(
    "/",
    response={201: AcceptanceTestShown, **refusals(400, 401, 403, 404, 409, 413, 422, 429)},
    summary="Begin an acceptance test",
    auth=SOMEBODY,
)
def create_acceptance_test(
    request: HttpRequest, payload: NewAcceptanceTest
) -> Status[AcceptanceTest]:
    """Begin a draft, for a function of one's own, about one that it depends on."""
    asked = payload.model_dump() | {"function": function_or_404(payload.function)}
    return Status(201, start_acceptance_test(actor=request.user, **asked))


@router.patch(
    "/{int:id}/",
    response=DONE,
    summary="Change a draft",
    auth=SOMEBODY,
    operation_id="change_acceptance_test",
)
def change_acceptance_test(
    request: HttpRequest, id: int, payload: AcceptanceTestChange
) -> AcceptanceTest:
    """Keep new code or a new title."""
    test = _test_or_404(request, id)
    code = test.code if payload.code is None else payload.code
    title = test.title if payload.title is None else payload.title
    return save_acceptance_test(
        actor=request.user, test=test, code=code, title=title, version=payload.version
    )


@router.post(
    "/{int:id}/publish/",
    response=DONE,
    summary="Publish an acceptance test",
    auth=SOMEBODY,
    operation_id="publish_acceptance_test",
)
def publish(request: HttpRequest, id: int) -> AcceptanceTest:
    """Publish it, for good, and have it run."""
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
    """Take it back: it warns no more."""
    read_nothing(request)
    return withdraw_acceptance_test(actor=request.user, test=_test_or_404(request, id))


def _test_or_404(request: HttpRequest, pk: int) -> AcceptanceTest:
    return or_404(acceptance_test_for(pk, request.user))
