"""Error pages."""

import sys

import redis
from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from runner.telemetry.request_ids import current_request_id

AWAY = (OperationalError, InterfaceError, redis.ConnectionError, redis.TimeoutError)
RETRY_SECONDS = "5"


def bad_request(_request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Respond to an invalid or oversized request."""
    too_big = isinstance(exception, RequestDataTooBig)
    context = {"too_big": too_big}
    # Rendered without the request, whose body must not be read again.
    page = render_to_string("400.html", context)
    return HttpResponse(page, status=413 if too_big else 400)


def server_error(request: HttpRequest) -> HttpResponse:
    """Respond to a server error with the id of its log lines; 503 if an engine is unavailable."""
    is_away = isinstance(sys.exc_info()[1], AWAY)
    # Rendered without the request, whose user would be read from the database again.
    name = "503.html" if is_away else "500.html"
    page = render_to_string(name, {"number": current_request_id(), "path": request.path})
    if not is_away:
        return HttpResponse(page, status=500)
    return HttpResponse(page, status=503, headers={"Retry-After": RETRY_SECONDS})
