"""Endpoint of checks: code that isn't stored, run at once."""

from typing import Any, Self

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Router, Schema
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from functions.api.authentication import SOMEBODY
from functions.api.bodies import OptionalText, Text
from functions.api.problems import refusals
from functions.api.schemas import Answer, Flat, LogLineShown
from functions.checks import Check, check_work
from functions.models import Implementation, Test
from functions.read_models import function_or_404

router = Router(tags=["functions"])

_LINE = {"ms": 0.4, "stream": "out", "text": "adding 2"}
_REQUEST: dict[str, Any] = {
    "implementation": "def Add(a, b):\n    log('adding', a)\n    return a - b\n"
}
_ANSWER: dict[str, Any] = {
    "verdict": "passed",
    "message": "",
    "module": "",
    "line": None,
    "log": [],
    "truncated": False,
    "cells": [
        {
            "implementation": None,
            "test": 7,
            "verdict": "failed",
            "reason": None,
            "message": "-1 == 5, where Add(2, 3) is -1",
            "module": "test",
            "line": 1,
            "expected": "5",
            "actual": "-1",
            "log": [_LINE],
            "truncated": False,
            "cpu_us": 1400,
            "known": False,
        }
    ],
}


class CheckWanted(Schema):
    """Code to check: an implementation or a test."""

    model_config = {"json_schema_extra": {"examples": [_REQUEST]}}

    implementation: OptionalText = Field(None, description="code; or send `test`")
    test: OptionalText = None
    language: Text = Field("python", description="python or javascript")

    @model_validator(mode="after")
    def _has_one(self) -> Self:
        if (self.implementation is None) == (self.test is None):
            raise PydanticCustomError("one_of_two", _("Send either an implementation or a test"))
        return self


class CellChecked(Answer):
    """The code with one test, or one implementation."""

    implementation: int | None = Field(description="null: the code itself")
    test: int | None = Field(description="null: the code itself")
    verdict: str | None = Field(
        description="passed, failed, error, time_limit, memory_limit, output_limit, policy, "
        "crashed or flaky"
    )
    reason: str | None = Field(
        description="why there is no verdict: `blocked` (something that the test uses can't be "
        "run), `time` (the check's time was up), `broken` (the sandbox failed)"
    )
    message: str
    module: str = Field(description="where `line` is: `test`, or a function's name")
    line: int | None
    expected: str | None = Field(description="of the assertion that failed, if it compares two")
    actual: str | None
    log: list[LogLineShown]
    truncated: bool = Field(description="the log was truncated")
    cpu_us: int | None
    known: bool = Field(description="the same program was run before, so it wasn't run again")


class CheckAnswer(Flat):
    """Whether the code loads, and all cells of its row or column."""

    model_config = {"json_schema_extra": {"examples": [_ANSWER]}}
    parts = ("loading",)

    verdict: str | None = Field(
        description="of loading the implementation; of a test, `passed` or `policy`"
    )
    message: str
    module: str
    line: int | None
    log: list[LogLineShown]
    truncated: bool
    cells: list[CellChecked]


@router.post(
    "/{name}/check/",
    auth=SOMEBODY,
    response={200: CheckAnswer, **refusals(400, 401, 403, 404, 409, 413, 422, 429)},
    summary="Check code without storing it",
)
def check(request: HttpRequest, name: str, payload: CheckWanted) -> Check:
    """Run an implementation against all tests, or a test against all implementations, at once.

    The verdicts are those of a draft's run. Nothing is stored, and what is known is not run again.
    After 20 seconds, what has not ended has no verdict. Code that can't be run at all is refused
    as a draft would be, with lines and columns in `errors`.
    """
    function = function_or_404(name)
    wanted: dict[str, Any] = {"language": payload.language}
    if payload.implementation is not None:
        wanted |= {"model": Implementation, "code": payload.implementation}
    else:
        wanted |= {"model": Test, "code": payload.test}
    return check_work(actor=request.user, function=function, **wanted)
