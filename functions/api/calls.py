"""Endpoint of calls."""

from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema
from pydantic import Field

from functions.api.authentication import SOMEBODY
from functions.api.problems import problem, refusals
from functions.api.schemas import CallAnswer, CallProblem, LogLineShown, VersionNamed
from functions.calls.call import Call, call_function
from functions.errors import Complaint
from runner.sandbox import Verdict

router = Router(tags=["functions"])


class CallBody(Schema):
    """Arguments, and which versions are to be used."""

    args: list[Any] = Field([], description="by position")
    kwargs: dict[str, Any] = Field({}, description="by name")
    lock: str | None = Field(
        None,
        description="`lock` of an earlier answer: its versions are used, else the current ones",
    )


@router.post(
    "/{name}/call/",
    auth=SOMEBODY,
    response={200: CallAnswer, 422: CallProblem, **refusals(400, 401, 403, 404, 409, 413, 429)},
    summary="Call a function",
)
def call(request: HttpRequest, name: str, payload: CallBody) -> CallAnswer | HttpResponse:
    """Run the current implementation with its whole closure in the sandbox, at once.

    What the code did wrong is a problem of the code `call_failed`, with its verdict and log.
    """
    made = call_function(
        actor=request.user,
        name=name,
        arguments={"args": payload.args, "kwargs": payload.kwargs},
        lock=payload.lock or "",
    )
    if made.outcome.verdict is Verdict.PASSED:
        return CallAnswer(result=made.outcome.value, **_told(made))
    return _failed(made)


def _failed(made: Call) -> HttpResponse:
    outcome = made.outcome
    place = f" ({outcome.module}, line {outcome.line})" if outcome.module and outcome.line else ""
    said = outcome.message or outcome.verdict.value
    return problem(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        code="call_failed",
        detail=f"{said}{place}",
        errors=[Complaint("", outcome.verdict.value, said, line=outcome.line)],
        form=CallProblem,
        verdict=outcome.verdict.value,
        message=outcome.message,
        module=outcome.module,
        line=outcome.line,
        **_told(made),
    )


def _told(made: Call) -> dict[str, Any]:
    outcome = made.outcome
    return {
        "log": [LogLineShown(ms=one.ms, stream=one.stream, text=one.text) for one in outcome.log],
        "truncated": outcome.truncated,
        "cpu_us": outcome.cpu_us,
        "wall_us": outcome.wall_us,
        "lock": made.versions.lock,
        "versions": [
            VersionNamed(name=one.name, implementation=one.implementation, sha256=one.sha256.hex())
            for one in made.versions.closure
        ],
    }
