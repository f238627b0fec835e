"""Handlers that convert exceptions to problem responses."""

import logging
from collections.abc import Callable
from typing import Any

from django.core.exceptions import (
    ObjectDoesNotExist,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
)
from django.db import IntegrityError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from functions.api.bodies import UNSTORABLE
from functions.api.problems import DATABASE_AWAY, NOBODY, problem, unavailable
from functions.errors import Complaint, Refusal
from functions.people.deleted_accounts import is_of_deleted_account
from functions.read_models import BadCursor
from runner.errors import RequestConflict
from runner.telemetry.request_ids import current_request_id

log = logging.getLogger(__name__)

# Names of our view parameters, which clients don't know.
PARAMETERS = ("payload", "query", "key")

Handler = Callable[[HttpRequest, Any], HttpResponse]


def register_handlers(api: NinjaAPI) -> None:
    """Register a handler for each kind of exception."""
    handlers: dict[type[Exception], Handler] = {
        Refusal: _refusal,
        RequestConflict: _request_conflict,
        BadCursor: _bad_cursor,
        ValidationError: _validation_error,
        AuthenticationError: lambda _request, _error: problem(401),
        HttpError: _http_error,
        Http404: lambda _request, _error: problem(404),
        # The row was deleted between lookup and use.
        ObjectDoesNotExist: lambda _request, _error: problem(404),
        PermissionDenied: lambda _request, _error: problem(403),
        RequestDataTooBig: lambda _request, _error: problem(413),
        SuspiciousOperation: lambda _request, _error: problem(400),
        IntegrityError: _integrity_error,
        Exception: _unexpected,
    }
    handlers.update(dict.fromkeys(DATABASE_AWAY, _database_away))
    for error, handler in handlers.items():
        api.add_exception_handler(error, handler)


def _refusal(_request: HttpRequest, refusal: Refusal) -> HttpResponse:
    if refusal.code == NOBODY:
        return problem(401)
    return problem(
        refusal.status,
        code=refusal.code,
        detail=refusal.message,
        errors=refusal.errors,
        retry_after_seconds=refusal.retry_after_seconds,
    )


def _request_conflict(_request: HttpRequest, error: RequestConflict) -> HttpResponse:
    detail = str(error) or _("Another request was made under this Idempotency-Key.")
    complaint = Complaint("Idempotency-Key", "request_conflict", detail)
    return problem(409, code="request_conflict", detail=detail, errors=[complaint])


def _bad_cursor(_request: HttpRequest, _error: BadCursor) -> HttpResponse:
    detail = _("This cursor does not belong to this list; start again without one.")
    return problem(400, detail=detail, errors=[Complaint("cursor", "malformed", detail)])


def _validation_error(_request: HttpRequest, error: ValidationError) -> HttpResponse:
    """Return 422 for texts that can't be stored, 400 for other invalid requests."""
    complaints = [_complaint(one) for one in error.errors]
    detail = " ".join(f"{one.field}: {one.message}" for one in complaints)
    if all(one.code == UNSTORABLE for one in complaints):
        return problem(422, code=UNSTORABLE, detail=detail, errors=complaints)
    message = _("The request has the wrong form. %(faults)s") % {"faults": detail}
    return problem(400, detail=message, errors=complaints)


def _complaint(error: dict[str, Any]) -> Complaint:
    place = error.get("ctx", {}) if error["type"] == UNSTORABLE else {}
    return Complaint(
        # Without the location (body, query, ...) and the parameter's name.
        field=".".join(str(part) for part in error["loc"][1:] if part not in PARAMETERS),
        code=error["type"] if error["type"] in (UNSTORABLE, "missing") else "malformed",
        message=f"{error['msg'].rstrip('.')}.",
        line=place.get("line"),
        column=place.get("column"),
    )


def _http_error(_request: HttpRequest, error: HttpError) -> HttpResponse:
    cause = error.__cause__
    return problem(error.status_code, detail=f"{error.message}: {cause}." if cause else "")


def _database_away(_request: HttpRequest, error: Exception) -> HttpResponse:
    log.warning("the database is unavailable: %s", error)
    return unavailable()


def _integrity_error(request: HttpRequest, error: Exception) -> HttpResponse:
    """Answer as to a token of a deleted account, if it was deleted during the request."""
    return problem(401) if is_of_deleted_account(error) else _unexpected(request, error)


def _unexpected(_request: HttpRequest, error: Exception) -> HttpResponse:
    log.error("request failed", exc_info=error)
    message = _("Something went wrong here. If you report it, quote %(number)s.")
    return problem(500, detail=message % {"number": current_request_id()})
