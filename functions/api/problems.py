"""Problem details (RFC 9457), the format of all errors of the API."""

import math
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import HttpResponse
from ninja import Schema

from functions.errors import Complaint

CONTENT_TYPE = "application/problem+json"
DATABASE_AWAY = (OperationalError, InterfaceError)
RETRY_AFTER_SECONDS = 5
NOBODY = "nobody"  # nobody is signed in

# What the machinery itself answers with; rules have codes of their own.
CODES = {
    400: ("malformed", "The request could not be understood."),
    401: (NOBODY, "Sign in, or send a token: Authorization: Bearer <token>."),
    403: ("forbidden", "You may not do this."),
    404: ("not_found", "There is nothing at this address, or nothing that you may see."),
    405: ("method_not_allowed", "This address does not take this method."),
    409: ("conflict", "This conflicts with how things stand."),
    413: ("too_large", "The request, or the code in it, is larger than is taken."),
    415: ("unsupported_media_type", "Send JSON."),
    429: ("too_many_requests", "Too many requests; wait before you try again."),
    500: ("internal_error", "Something went wrong here; what you sent was not stored."),
    503: ("unavailable", "The database can't be reached just now; nothing was stored. Try again."),
}

# Codes of rules, for people who read the documentation.
RULES = {
    "invalid_name": "The name is none that code could use.",
    "reserved_name": "The name is Python's own, a helper's, or a module's.",
    "name_taken": "There is a function of this name, perhaps in other letters' case.",
    "name_guarded": "The name was deleted while published code names it; its last owner has it.",
    "invalid_kind": "There is no such kind of function.",
    "not_callable": "This is a class; only functions can be called.",
    "invalid_language": "There is no such language.",
    "syntax_error": "The code does not parse; line and column say where.",
    "check_time_limit": "Python takes longer to read the code than is allowed; split it.",
    "check_memory_limit": "Python takes more memory to read the code than is allowed; split it.",
    "check_crashed": "Python itself crashed while it read the code; it is nested too deeply.",
    "check_failed": "The code can't be read here, by a mistake of ours.",
    "checks_busy": "More code is being checked than can be at once; wait `Retry-After` seconds.",
    "checks_away": "Code can't be checked just now; what was saved is kept.",
    "invalid_marker": "A marker <<Name>> is no name, or is spelled in another case.",
    "self_dependency": "An implementation marks its own function; recursion needs no marker.",
    "empty_code": "There is nothing but blanks and comments.",
    "invalid_character": "A text has a NUL or half of a surrogate pair.",
    "too_long": "A text is longer than is taken.",
    "invalid_based_on": "There is nothing of this id to build on.",
    "not_a_dependency": "The function does not depend on what its acceptance test is about.",
    "blocked": "The draft relies on something that can't be run.",
    "not_a_draft": "It was published, so nobody changes it any more.",
    "not_implemented": "Nothing is elected, or something that it uses is missing.",
    "nothing_to_import": "The module has no public function at its top level.",
    "unknown_to_import": "A test is written in a way that has no counterpart here.",
    "not_published": "Only what is published is voted on and judged.",
    "edit_conflict": "The draft was saved elsewhere since; nothing was overwritten.",
    "request_conflict": "The Idempotency-Key stands for another request.",
    "function_deleted": "The function was deleted.",
    "function_archived": "The function is archived: it takes nothing new.",
    "name_in_use": "Published code uses the name, so it can't be changed any more.",
    "no_such_user": "There is no user of this name, or the account is suspended.",
    "owns_it_already": "They own the function already.",
    "no_offer": "The function is offered to nobody, or not to you.",
    "reason_required": "It isn't done without a reason.",
    "flagged_already": "You have flagged it before.",
    "flag_resolved": "Somebody has resolved the flag already.",
    "not_staff": "Only staff may do this.",
    "own_account": "Nobody suspends themselves.",
    "staff_account": "Only a superuser suspends one of the staff.",
    "suspended_already": "The account is suspended already.",
    "not_suspended": "The account is not suspended.",
    "suspended": "The account is suspended; the detail says why, and whom to ask.",
    "own_work": "Nobody votes on their own work.",
    "invalid_value": "A vote is 1, 0 or -1.",
    "empty_comment": "There is nothing in the comment but blanks.",
    "empty_reason": "A comment is hidden for a reason that everybody sees.",
    "comment_deleted": "The comment was deleted.",
    "reply_to_reply": "Replies are one level deep: answer the comment that the thread begins with.",
    "invalid_frequency": "A digest is off, daily or weekly.",
    "invalid_address": "There is no such e-mail address.",
    "run_ended": "The run has ended, so there is nothing left to cancel.",
    "run_open": "The run is still going on; cancel it, or wait for its end.",
    "nothing_to_run": "Nothing in the run is left to be run.",
    "not_yours": "It is somebody else's.",
    "function_blocked": "The function relies on one that is missing or not implemented.",
    "invalid_arguments": "The arguments can't be read; line and column say where.",
    "invalid_lock": "The lock is none that a call here has answered, or is another function's.",
    "call_failed": "The function was called and failed; `verdict` and `log` say how.",
    "calls_busy": "More is being called than can be run at once; wait `Retry-After` seconds.",
    "calls_away": "Calls can't be run just now.",
    "wrong_credentials": "This name and this password don't belong together.",
    "invalid_token": "The token is unknown, or was revoked.",
}


class ProblemError(Schema):
    """One thing that is wrong; lines and columns count from 1."""

    field: str
    code: str
    message: str
    line: int | None = None
    column: int | None = None


class Problem(Schema):
    """What went wrong (RFC 9457); `code` is stable, the sentences are for people."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    errors: list[ProblemError]


def problem(
    status: int,
    *,
    code: str = "",
    detail: str = "",
    errors: Sequence[Complaint] = (),
    retry_after_seconds: float | None = None,
    form: type[Problem] = Problem,
    **more: Any,
) -> HttpResponse:
    """Return a problem response; `more` are additional members."""
    usual_code, usual_detail = CODES.get(status, ("error", HTTPStatus(status).description))
    code = code or usual_code
    body = form(
        type=f"/api/v1/docs#{code}",
        title=HTTPStatus(status).phrase,
        status=status,
        code=code,
        detail=detail or usual_detail,
        errors=[
            ProblemError(
                field=one.field,
                code=one.code,
                message=one.message,
                line=one.line,
                column=one.column,
            )
            for one in errors
        ],
        **more,
    )
    response = HttpResponse(body.model_dump_json(), content_type=CONTENT_TYPE, status=status)
    if retry_after_seconds is not None:
        response["Retry-After"] = str(max(1, math.ceil(retry_after_seconds)))
    if status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = 'Bearer realm="Social Code"'
    return response


def unavailable() -> HttpResponse:
    """Return the response while the database is unavailable."""
    return problem(503, retry_after_seconds=RETRY_AFTER_SECONDS)


def refusals(*statuses: int) -> dict[int, type[Problem]]:
    """Return the declared error responses of an operation."""
    return dict.fromkeys((*statuses, 503), Problem)


def name_content_type(schema: dict[str, Any]) -> None:
    """Set the content type of problems in an OpenAPI description."""
    for operations in schema["paths"].values():
        for operation in operations.values():
            for response in operation["responses"].values():
                content = response.get("content", {})
                spec = content.get("application/json", {}).get("schema", {})
                if spec.get("$ref", "").endswith(Problem.__name__):
                    content[CONTENT_TYPE] = content.pop("application/json")
