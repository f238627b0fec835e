"""Endpoint of calls."""

from functools import partial
from http import HTTPStatus
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema
from pydantic import Field

from functions.api.authentication import SOMEBODY
from functions.api.problems import Problem, problem, refusals
from functions.api.schemas import Answer, Flat, LogLineShown, convert, path
from functions.calls.call import Call, call_function
from functions.calls.changes import call_and_apply
from functions.errors import Complaint
from runner.sandbox import Verdict

router = Router(tags=["functions"])


class VersionNamed(Answer):
    """A function with the implementation that the call used."""

    name: str
    implementation: int
    sha256: Annotated[str, convert(bytes.hex)] = Field(
        description="SHA-256 of its text with line feeds as line ends"
    )


class CallAnswer(Flat):
    """A call's result and its cost."""

    parts = ("outcome",)

    result: Any = Field(validation_alias="value", description="the returned value, as JSON")
    log: list[LogLineShown]
    truncated: bool = Field(description="the log was truncated")
    cpu_us: int
    wall_us: int
    lock: str = path(
        "versions", "lock", description="send it with another call to use the same versions"
    )
    versions: list[VersionNamed] = path(
        "versions", "closure", description="the closure, dependencies first"
    )
    applied: bool | None = Field(
        None,
        description="whether this call has made the changes that `commands` of the result asks "
        "for; null unless `apply` was sent",
    )


class CallProblem(Problem):
    """Why a call was refused; or, with the code `call_failed`, how it failed."""

    verdict: str | None = Field(
        None,
        description="failed, error, time_limit, memory_limit, output_limit, policy or crashed; "
        "null, like the fields below, if nothing was run",
    )
    message: str = ""
    module: str | None = Field(None, description="the function whose code failed")
    line: int | None = None
    log: list[LogLineShown] = []
    truncated: bool = False
    cpu_us: int | None = None
    wall_us: int | None = None
    lock: str | None = None
    versions: list[VersionNamed] = []


class CallBody(Schema):
    """The arguments, and optionally the versions to use."""

    args: list[Any] = Field([], description="by position")
    kwargs: dict[str, Any] = Field({}, description="by name")
    lock: str | None = Field(
        None,
        description="`lock` of an earlier answer, to use its versions instead of the current ones",
    )
    apply: bool = Field(
        False,
        description="make the changes that the result asks for, as yourself: "
        "its member `commands`, a list of `add`, `change`, `delete` and `revise`",
    )
    request_id: str = Field(
        "", max_length=64, description="of calls with the same one, only the first makes changes"
    )


@router.post(
    "/{name}/call/",
    auth=SOMEBODY,
    response={
        200: CallAnswer,
        422: CallProblem,
        **refusals(400, 401, 403, 404, 409, 412, 413, 429),
    },
    summary="Call a function",
)
def call(request: HttpRequest, name: str, payload: CallBody) -> Call | HttpResponse:
    """Run the current implementation with its closure in the sandbox, without queueing.

    Items of collections that the function declares in comments are further arguments, by name. If
    the code fails, the problem has the code `call_failed`, the verdict and the log.
    """
    act = partial(call_and_apply, request_id=payload.request_id) if payload.apply else call_function
    made = act(
        actor=request.user,
        name=name,
        arguments={"args": payload.args, "kwargs": payload.kwargs},
        lock=payload.lock or "",
    )
    if made.outcome.verdict is Verdict.PASSED:
        return made
    return _failed(made)


def _failed(made: Call) -> HttpResponse:
    outcome = made.outcome
    place = f" ({outcome.module}, line {outcome.line})" if outcome.module and outcome.line else ""
    message = outcome.message or outcome.verdict.value
    return problem(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        code="call_failed",
        detail=f"{message}{place}",
        errors=[Complaint("", outcome.verdict.value, message, line=outcome.line)],
        form=CallProblem,
        verdict=outcome.verdict.value,
        message=outcome.message,
        module=outcome.module,
        line=outcome.line,
        log=outcome.log,
        truncated=outcome.truncated,
        cpu_us=outcome.cpu_us,
        wall_us=outcome.wall_us,
        lock=made.versions.lock,
        versions=made.versions.closure,
    )
