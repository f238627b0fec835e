"""Settings of django-cors-headers: pages of other sites use the API, by tokens alone.

Cookies are never sent along, so an origin gets nothing that any program wouldn't.
"""

from collections.abc import Sequence
from typing import Any

# Headers that a client may send, besides those that browsers send by themselves.
SENT = (
    *("accept", "accept-language", "authorization", "content-type"),
    *("if-match", "if-none-match", "idempotency-key", "x-request-id"),
)
# Headers of an answer that it may read.
READ = (
    *("ETag", "Link", "Location", "Retry-After", "RateLimit", "RateLimit-Policy"),
    *("Idempotency-Replayed", "WWW-Authenticate", "X-Request-ID"),
)


def settings_of(origins: Sequence[str]) -> dict[str, Any]:
    """Return the settings for these origins; without any, all may use the API."""
    return {
        "CORS_URLS_REGEX": r"^/(?:api|r)/",
        "CORS_ALLOW_ALL_ORIGINS": not origins,
        "CORS_ALLOWED_ORIGINS": list(origins),
        "CORS_ALLOW_CREDENTIALS": False,
        "CORS_ALLOW_HEADERS": SENT,
        "CORS_EXPOSE_HEADERS": READ,
    }
