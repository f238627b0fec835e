"""Problem details (RFC 9457), the format of all errors of the API."""

import math
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from ninja import Schema

from functions.errors import Complaint
from runner.telemetry.request_ids import current_request_id

CONTENT_TYPE = "application/problem+json"
DATABASE_AWAY = (OperationalError, InterfaceError)
RETRY_AFTER_SECONDS = 5
NOBODY = "nobody"  # nobody is signed in

# HTTP statuses; rules have codes of their own, below.
CODES = {
    400: ("malformed", gettext_noop("The request could not be understood.")),
    401: (NOBODY, gettext_noop("Sign in, or send a token: Authorization: Bearer <token>.")),
    403: ("forbidden", gettext_noop("You may not do this.")),
    404: (
        "not_found",
        gettext_noop("There is nothing at this address, or nothing that you may see."),
    ),
    405: ("method_not_allowed", gettext_noop("This address does not take this method.")),
    409: ("conflict", gettext_noop("This conflicts with the current state.")),
    412: ("precondition_failed", gettext_noop("There is another version by now; read it again.")),
    413: ("too_large", gettext_noop("The request, or the code in it, is too large.")),
    415: ("unsupported_media_type", gettext_noop("Send JSON.")),
    428: ("precondition_required", gettext_noop("Send If-Match with the ETag that you have read.")),
    429: ("too_many_requests", gettext_noop("Too many requests; wait before you try again.")),
    500: (
        "internal_error",
        gettext_noop("Something went wrong here; what you sent was not stored."),
    ),
    503: (
        "unavailable",
        gettext_noop("The database can't be reached just now; nothing was stored. Try again."),
    ),
}

# Codes of refusals, for the documentation.
RULES = {
    "invalid_name": "The name is not a valid identifier.",
    "reserved_name": "The name is Python's own, a helper's, or a module's.",
    "not_formatted": "Black failed on this code; it is unchanged.",
    "name_taken": "There is a function, or view, of this name, perhaps in other letters' case.",
    "name_guarded": "Published code uses this deleted name; only its last owner may define it.",
    "invalid_kind": "There is no such kind of function.",
    "not_callable": "This is a class; only functions can be called.",
    "invalid_language": "There is no such language.",
    "syntax_error": "The code does not parse; line and column say where.",
    "check_time_limit": "Parsing the code takes too long; split it.",
    "check_memory_limit": "Parsing the code takes too much memory; split it.",
    "check_crashed": "Python crashed while parsing the code; it is nested too deeply.",
    "check_failed": "The code can't be parsed because of an error of ours.",
    "checks_busy": "Too much code is being checked at once; wait `Retry-After` seconds.",
    "checks_away": "Code can't be checked just now; saved drafts are kept.",
    "invalid_marker": "A marker <<Name>> is not a valid name, or is spelled in another case.",
    "too_many_watches": "You watch as many people, or names without a function, as one may.",
    "invalid_url": "The address of a webhook is malformed.",
    "not_https": "The address of a webhook doesn't begin with https.",
    "url_with_password": "The address of a webhook has a user name or password.",
    "reserved_port": "The address of a webhook has a port below 1024 other than 443.",
    "private_address": "The address of a webhook is not a public one.",
    "invalid_subject": "A webhook is of a function, a person, or of dependencies.",
    "no_such_function": "There is no function of this name.",
    "unknown_event": "There is no event of this name.",
    "too_many_webhooks": "You have as many webhooks as one may.",
    "webhook_off": "The webhook is switched off; switch it on first.",
    "being_sent": "The delivery is being sent just now.",
    "yourself": "You can't watch yourself.",
    "self_dependency": "An implementation marks its own function; recursion needs no marker.",
    "empty_code": "The code has nothing but blanks and comments.",
    "invalid_character": "A text contains a NUL or a lone surrogate.",
    "too_long": "A text is too long.",
    "invalid_based_on": "There is no work of this id to copy from.",
    "not_a_dependency": "The function does not depend on the target of the acceptance test.",
    "blocked": "The draft depends on something that can't be run.",
    "not_a_draft": "Published work can't be changed.",
    "not_implemented": "The function has no current implementation, or a dependency is missing.",
    "nothing_to_import": "The module has no public function at its top level.",
    "unknown_to_import": "A test uses a feature that can't be imported.",
    "not_published": "Only published work can be voted on and judged.",
    "edit_conflict": "The draft was saved elsewhere in the meantime; nothing was overwritten.",
    "request_conflict": "The Idempotency-Key was used for another request.",
    "request_in_progress": "A request with the same Idempotency-Key is still in progress.",
    "idempotency_key_reused": "The Idempotency-Key was used for another request within a day.",
    "function_deleted": "The function was deleted.",
    "function_archived": "The function is archived and closed to changes.",
    "name_in_use": "Published code uses the name, so it can no longer be changed.",
    "no_such_user": "There is no user of this name, or the account is suspended.",
    "owns_it_already": "They own the function already.",
    "no_offer": "The function is not offered to you.",
    "reason_required": "A reason is required.",
    "flagged_already": "You have flagged this before.",
    "flag_resolved": "The flag is resolved already.",
    "not_staff": "Only staff may do this.",
    "agent": "Agents may not do this, only people.",
    "not_labelled": "The account has no label as an agent that can be removed.",
    "labelled_by_staff": "Staff gave the label, so only staff may remove it.",
    "labelled_already": "Staff labelled the account as an agent already.",
    "always_labelled": "The account was made as an agent, and is always labelled.",
    "too_many_agents": "You have as many agents as one may.",
    "quota_reached": "Today's quota is used up; the detail says of what, and when it is renewed.",
    "no_such_quota": "There is no quota of this name.",
    "invalid_limit": "A limit is a whole number from 0.",
    "invalid_definition": "A view's definition is not a JSON object.",
    "unknown_key": "A view's definition has no key of this name, or not there.",
    "no_source": "A view's definition has not one of `from` and `join`.",
    "invalid_source": "The sources of a view's definition are malformed.",
    "invalid_names": "`as` of a view's definition is not two different names.",
    "invalid_condition": "A condition of a view's definition is malformed.",
    "no_such_source": "There is no source of this name, or you may not read it.",
    "too_many_views": "You have as many views as one may.",
    "own_account": "You can't suspend yourself.",
    "staff_account": "Only a superuser may suspend staff; nobody labels them as agents.",
    "suspended_already": "The account is suspended already.",
    "not_suspended": "The account is not suspended.",
    "suspended": "The account is suspended; the detail has the reason and a contact.",
    "empty_profile": "There is nothing in the profile.",
    "invalid_link": "A link is not a plain https address.",
    "too_many_links": "There are more links than a profile may have.",
    "invalid_json": "A text is no JSON; line and column say where.",
    "invalid_number": "A number in JSON is too large.",
    "too_deep": "JSON is nested too deeply.",
    "no_document": "No document is current under this name.",
    "unchanged": "The revision would change nothing.",
    "revision_pending": "Another revision is being judged; wait until its run has ended.",
    "transformed_link": "What a transform made can't be written back.",
    "linked_document": "The change is behind a link; a page or function names what it changes.",
    "link_missing": "The change is behind a link to what has no current document.",
    "not_your_source": "The change is behind a link to somebody else's document.",
    "invalid_template": "The definition of a template is wrong; the message says where.",
    "mapping_failed": "The template doesn't fit what it was applied to; the message says where.",
    "too_many_steps": "Applying the template takes too many steps.",
    "too_many_templates": "You have as many templates as one may.",
    "no_value": "The request has not one thing to apply the template to.",
    "own_work": "You can't vote on your own work, nor on that of your person or your agents.",
    "invalid_value": "A vote is 1, 0 or -1; or a value doesn't fit, and `errors` say where.",
    "empty_comment": "The comment has nothing but blanks.",
    "empty_reason": "Hiding a comment requires a reason, which is public.",
    "comment_deleted": "The comment was deleted.",
    "reply_to_reply": "Replies are one level deep; reply to the top-level comment.",
    "invalid_frequency": "A digest is off, daily or weekly.",
    "invalid_address": "There is no such e-mail address.",
    "run_ended": "The run has ended; nothing is left to cancel.",
    "run_open": "The run is still open; cancel it or wait for its end.",
    "nothing_to_run": "Nothing is left to run.",
    "not_yours": "It belongs to somebody else.",
    "function_blocked": "The function depends on one that is missing or not implemented.",
    "invalid_arguments": "The arguments can't be parsed; line and column say where.",
    "invalid_lock": "The lock was not issued here, or belongs to another function.",
    "call_failed": "The function was called and failed; `verdict` and `log` say how.",
    "busy": "The site handles too many requests; wait `Retry-After` seconds.",
    "calls_busy": "Too many calls at once; wait `Retry-After` seconds.",
    "calls_away": "Calls are unavailable just now.",
    "second_factor": "The account has a second factor; make the token on the site.",
    "wrong_credentials": "The name and password don't match.",
    "wrong_password": "The password is wrong; the account was not deleted.",
    "wrong_name": "The name isn't the account's; it was not deleted.",
    "no_password": "The account has no password; it can be deleted on the site.",
    "last_superuser": "The only superuser's account can't be deleted.",
    "deleted_already": "The account is deleted already.",
    "invalid_path": "A parameter, or a text in a definition, is not the path of a member.",
    "unknown_operator": "A parameter has a suffix that is no operator.",
    "invalid_order": "The order is not a list of paths.",
    "invalid_cursor": "The cursor belongs to another list.",
    "too_many_conditions": "The query has too many conditions, orders or values.",
    "invalid_schema": "The schema is not one that values can be checked by.",
    "schema_too_complex": "Checking the value by the schema takes too long.",
    "invalid_choice": "There is no such choice.",
    "collection_closed": "The collection is closed to changes.",
    "too_many_collections": "You have as many collections as one may.",
    "too_many_items": "The collection has as many items as it may.",
    "too_many_bytes": "The owner's collections have as many bytes as they may.",
    "two_schemas": "A collection has a schema or the document that is one, not both.",
    "no_such_document": "There is no document of this name.",
    "too_many_pages": "A collection names at most as many pages as this.",
    "page_not_allowed": "The page or function is not one that may read or change it.",
    "invalid_command": "What a page or function asks for is no change.",
    "too_many_commands": "A page or function asks for more changes at once than it may.",
    "invalid_request_id": "The id of a request to a page has other characters, or too many.",
    "circular": "It would need itself.",
    "no_release": "The function had no release at that time, or has none of this number.",
    "not_built": "The files of a release are not built yet.",
    "conflicting_releases": "Two functions need different releases of a third one at that time.",
    "invalid_time": "The time is not in ISO 8601.",
    "invalid_functions": "A lock file is of one to a hundred functions.",
    "too_many_functions": "The functions need more others than a lock file may have.",
    "no_lock": "A lock is sent in exactly one form: `pylock`, `requirements` or `releases`.",
    "unreadable_lock": "The lock file is no TOML, or has no tables of packages.",
    "empty_lock": "The lock names no function of this site.",
    "named_twice": "The lock names a function twice.",
    "no_hash": "The lock has a file without a SHA-256.",
    "wrong_hash": "A hash in the lock is not that of the release's file.",
    "no_such_file": "The lock names a file that the release doesn't have.",
    "contradicting_lock": "A locked release needs another release of a function than is locked.",
    "too_many_releases": "The lock has more releases than one may.",
    "too_many_canaries": "You have registered as many projects as one may.",
    "preview_open": "The preview is still running, or was cancelled.",
    "no_formatter": "There is no formatter for this language.",
    "not_exportable": "Functions of this kind can't be downloaded.",
    "not_python": "What can be downloaded is written in Python.",
    "invalid_token": "The token is unknown, has expired, or was revoked.",
    "unknown_field": "The answer has no field of this name.",
    "missing_scope": "The token lacks the scope that the operation needs; `scope` names it.",
    "unknown_scope": "There is no such scope.",
    "no_scope": "A token has at least one scope.",
    "expired": "The time at which the token ends is over already.",
    "outlives_token": "A token can't make one that ends later than itself.",
    "proof_required": "Show on the site again who you are, before you make a token.",
}


class ProblemError(Schema):
    """One error; lines and columns start at 1."""

    field: str
    code: str
    message: str
    line: int | None = None
    column: int | None = None


class Problem(Schema):
    """An error (RFC 9457); `code` is stable, sentences may change.

    `request_id` is also in the header X-Request-ID, and in the site's log.
    """

    type: str
    title: str
    status: int
    code: str
    detail: str
    request_id: str
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
        detail=detail or _(usual_detail),
        request_id=current_request_id(),
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
    """Return the error responses to declare for an operation."""
    return dict.fromkeys((*statuses, 503), Problem)


def name_content_type(schema: dict[str, Any]) -> None:
    """Set the content type of problems in an OpenAPI description, in place."""
    for operations in schema["paths"].values():
        for operation in operations.values():
            for response in operation["responses"].values():
                content = response.get("content", {})
                spec = content.get("application/json", {}).get("schema", {})
                if spec.get("$ref", "").endswith(Problem.__name__):
                    content[CONTENT_TYPE] = content.pop("application/json")
