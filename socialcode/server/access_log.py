"""Writes one log line for each request and socket, gives it an id, and counts it."""

import logging
import re
import time
from collections.abc import Mapping
from typing import Any

import structlog
from structlog.contextvars import bound_contextvars

from runner.telemetry.counters import count, observe
from runner.telemetry.families import Family, declare
from runner.telemetry.gauges import Gauge, declare_gauge
from runner.telemetry.request_ids import FIELD, new_request_id
from socialcode.server.connection_limits import is_trusted_proxy
from socialcode.server.probes import PROBES

log = structlog.stdlib.get_logger(__name__)

REQUESTS = declare(Family("requests", "Requests, by class and status", ("class", "status")))
REQUEST_SECONDS = declare(
    Family(
        "request_seconds",
        "From a request's head to the last byte of its answer, by class",
        ("class",),
        bounds=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
    )
)
# Clients choose paths, so metrics only tell these classes. The first that fits.
CLASSES = (
    ("/static/", "static"),
    ("/texts/", "static"),
    ("/api/", "api"),
    ("/r/", "api"),
    ("/accounts/", "accounts"),
    ("/staff/", "staff"),
    ("/django-rq/", "staff"),
    ("/metrics", "operators"),
    ("/healthz", "operators"),
    ("/readyz", "operators"),
    ("", "pages"),
)
CLIENT_CLOSED_REQUEST = 499  # as nginx names requests that nobody waited for
SERVER_ERROR = 500
LONGEST_PATH = 500
ID_OF_PROXY = re.compile(rb"[A-Za-z0-9._-]{8,64}")
# What follows these lets a reader of the log in.
SECRET_BELOW = (
    *("/notifications/mail/confirm/", "/notifications/mail/unsubscribe/"),
    *("/accounts/email/confirm/", "/accounts/password/reset/"),
    *("/p/~", "/p/@"),  # previews and visits of pages
)
HIDDEN = "..."

_open = {"http": 0, "websocket": 0}
declare_gauge(
    Gauge("open_requests", "Requests being handled", (), lambda: {"": _open["http"]}),
)
declare_gauge(
    Gauge("open_sockets", "Live pages and other open sockets", (), lambda: {"": _open["websocket"]})
)


class AccessLog:
    """The outermost ASGI application: it sees requests as they come, and answers as they go."""

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Handle a request or socket, then log and count it."""
        exchange = Exchange(scope, send)
        _open[scope["type"]] += 1
        with bound_contextvars(**{FIELD: exchange.id}):
            try:
                await self._application(scope, receive, exchange.send)
            except Exception:
                exchange.status = exchange.status or SERVER_ERROR
                raise
            finally:
                _open[scope["type"]] -= 1
                exchange.finish()


class Exchange:
    """One request and its answer, or one socket from its opening to its end."""

    def __init__(self, scope: Any, send: Any) -> None:
        self.id = id_from_proxy(scope) or new_request_id()
        self.status: int | None = None
        self._scope = scope
        self._send = send
        self._bytes = 0
        self._started_at = time.monotonic()

    async def send(self, message: Any) -> None:
        """Pass the message on, with the id in the answer's header."""
        match message["type"]:
            case "http.response.start" | "websocket.accept" | "websocket.http.response.start":
                header = (b"X-Request-ID", self.id.encode("ascii"))
                message = {**message, "headers": [*message.get("headers", ()), header]}
                self.status = message.get("status")
            case "http.response.body" | "websocket.http.response.body":
                self._bytes += len(message.get("body", b""))
            case "websocket.close":
                self.status = message.get("code", 1000)
        await self._send(message)

    def finish(self) -> None:
        """Log and count what has ended."""
        seconds = time.monotonic() - self._started_at
        if self._scope["type"] == "http":
            self.status = self.status or CLIENT_CLOSED_REQUEST
            kind = class_of(self._scope["path"])
            count(REQUESTS, f"{kind} {self.status}")
            observe(REQUEST_SECONDS, [seconds - self._scope.get("waited_seconds", 0.0)], kind)
        level = logging.DEBUG if self._scope["path"] in PROBES else logging.INFO
        if logging.getLogger(__name__).isEnabledFor(level):
            event = "request" if self._scope["type"] == "http" else "socket closed"
            log.log(level, event, **self._fields(seconds))

    def _fields(self, seconds: float) -> Mapping[str, object]:
        client, request = self._scope.get("client"), self._scope.get("request")
        match = getattr(request, "resolver_match", None)
        return {
            "method": self._scope.get("method"),
            "path": path_without_secrets(self._scope["path"])[:LONGEST_PATH],
            "route": match.route if match else None,
            "status": self.status,
            "milliseconds": round(seconds * 1000, 1),
            "bytes": self._bytes,
            "user": user_of(request),
            "address": client[0] if client else None,
        }


def id_from_proxy(scope: Any) -> str | None:
    """Return the id that a trusted proxy has given the request.

    Others could choose ids to hide their requests behind, so theirs are ignored.
    """
    client = scope.get("client")
    if not is_trusted_proxy(client[0] if client else ""):
        return None
    ids = [value for name, value in scope["headers"] if name == b"x-request-id"]
    return ids[0].decode("ascii") if len(ids) == 1 and ID_OF_PROXY.fullmatch(ids[0]) else None


def class_of(path: str) -> str:
    """Return the class under which a request for this path is counted."""
    return next(name for prefix, name in CLASSES if path.startswith(prefix))


def path_without_secrets(path: str) -> str:
    """Return the path to be logged. By prefix, because some answers come before URLs are tried."""
    prefix = next((prefix for prefix in SECRET_BELOW if path.startswith(prefix)), None)
    return path if prefix is None else f"{prefix}{HIDDEN}"


def user_of(request: Any) -> int | None:
    """Return the id of the user if the view has looked; asking now would be a query."""
    user = getattr(request, "_cached_user", None)
    if user is None and getattr(request, "is_authenticated_by_token", False):
        user = request.user
    return user.pk if user is not None else None
