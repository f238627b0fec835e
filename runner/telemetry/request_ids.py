"""The id of the request or socket that is being handled.

It is in each log line written meanwhile, in the answer's header X-Request-ID, and in what users are
shown of failures.
"""

import secrets

from structlog.contextvars import get_contextvars

FIELD = "request_id"


def new_request_id() -> str:
    """Return an id for a request, short enough to be quoted."""
    return secrets.token_hex(8)


def current_request_id() -> str:
    """Return the id of the current request; empty outside of requests."""
    return str(get_contextvars().get(FIELD, ""))
