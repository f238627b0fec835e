"""Requests with an `Idempotency-Key`: repeated ones get the answer of the first.

The change and its answer are stored in one transaction, so that whatever is killed, a repeated
request finds both or neither. Refused requests change nothing, so their answers aren't kept.
"""

import hashlib
from collections.abc import Callable
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from functions.api.bodies import LONGEST_REQUEST_KEY
from functions.api.middleware import API_PREFIX, ERRORS_FROM
from functions.api.problems import DATABASE_AWAY, problem, unavailable
from functions.api.routes import by_path, route_of
from functions.errors import Complaint
from functions.maintenance.kept_answers import kept_answer, lock_key
from functions.models import KeptAnswer

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
KEPT_HEADERS = ("Content-Type", "ETag", "Location")
RETRY_AFTER_SECONDS = 1

# Operations that start a batch: it remembers the key by itself, as long as it exists.
OF_BATCHES = frozenset(
    {
        *(f"POST {noun}/<int:id>/run/" for noun in ("implementations", "tests")),
        *(f"POST {noun}/<int:id>/publish/" for noun in ("implementations", "tests")),
        *(f"POST {noun}/<int:id>/preview/" for noun in ("implementations", "tests")),
        *(f"POST batches/<int:id>/{act}/" for act in ("retry", "run-again")),
        *("POST functions/<name>/run-again/", "POST functions/<name>/preview/"),
        "POST results/<key>/run-again/",
    }
)
# Operations that ignore the key, with the reason.
IGNORING = {
    **dict.fromkeys(
        ("POST tokens/", "POST agents/", "POST agents/<username>/token/"),
        "the text of a token isn't stored",
    ),
    **dict.fromkeys(
        (
            *("POST functions/<name>/check/", "POST imports/preview/"),
            "POST document-templates/<name>/apply/",
        ),
        "nothing is made",
    ),
    "POST functions/<name>/call/": "nothing is made; changes of items have `request_id`",
    "POST account/deletion/": "nobody is there to ask again",
}


class IdempotencyMiddleware:
    """Answers repeated requests as the first; the last middleware, so that others come before."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        """Return the answer to a request with a key; None for all others."""
        key = request.headers.get(HEADER)
        if not key or request.method != "POST" or not request.path.startswith(API_PREFIX):
            return None
        operation = f"POST {route_of(request)}"
        if operation in OF_BATCHES or operation in IGNORING or not request.user.is_authenticated:
            return None
        if len(key) > LONGEST_REQUEST_KEY or not key.isprintable():
            message = _("At most %(limit)s characters.") % {"limit": LONGEST_REQUEST_KEY}
            return problem(400, detail=message, errors=[Complaint(HEADER, "malformed", message)])
        try:
            digest = _digest_of(request)
            return _answer_once(request, key, digest, lambda: view(request, *args, **kwargs))
        except RequestDataTooBig:
            return problem(413)
        except DATABASE_AWAY:
            return unavailable()


@transaction.atomic
def _answer_once(
    request: HttpRequest, key: str, digest: bytes, act: Callable[[], HttpResponse]
) -> HttpResponse:
    user_id = int(request.user.pk or 0)
    if not lock_key(user_id, key):
        message = _("A request with this Idempotency-Key is still in progress.")
        wait = RETRY_AFTER_SECONDS
        return problem(409, code="request_in_progress", detail=message, retry_after_seconds=wait)
    if kept := kept_answer(user_id, key):
        return _repeated(kept, digest)
    response = act()
    if response.status_code >= ERRORS_FROM or response.streaming:
        transaction.set_rollback(response.status_code >= ERRORS_FROM)
        return response
    KeptAnswer.objects.create(
        user_id=user_id,
        key=key,
        request_digest=digest,
        status=response.status_code,
        headers={name: response[name] for name in KEPT_HEADERS if name in response},
        body=response.content,
    )
    return response


def _repeated(kept: KeptAnswer, digest: bytes) -> HttpResponse:
    if bytes(kept.request_digest) != digest:
        message = _("This Idempotency-Key was used for another request.")
        complaint = Complaint(HEADER, "idempotency_key_reused", message)
        return problem(422, code="idempotency_key_reused", detail=message, errors=[complaint])
    headers = {**kept.headers, REPLAYED: "true"}
    return HttpResponse(bytes(kept.body), status=kept.status, headers=headers)


def _digest_of(request: HttpRequest) -> bytes:
    head = f"{request.method} {request.get_full_path()}\n".encode("utf-8", "surrogatepass")
    return hashlib.sha256(head + request.body).digest()


def name_keys(schema: dict[str, Any]) -> None:
    """Add the header to the operations of an OpenAPI description that take it, in place."""
    parameter = {
        "in": "header",
        "name": HEADER,
        "required": False,
        "description": "A repeated request with the same key gets the same answer, for a day.",
        "schema": {"type": "string", "default": "", "maxLength": LONGEST_REQUEST_KEY},
    }
    others = by_path({*OF_BATCHES, *IGNORING})
    for path, operations in schema["paths"].items():
        operation = operations.get("post")
        if operation and f"POST {path.partition('/api/v1/')[2]}" not in others:
            operation.setdefault("parameters", []).append(parameter)
