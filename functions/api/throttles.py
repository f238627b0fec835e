"""How often the API may be called."""

from django.http import HttpRequest
from ninja.throttling import BaseThrottle

from functions.rates import Rate

WRITES = Rate("writes", tries=3000, seconds=60)


class WriteThrottle(BaseThrottle):
    """Counts what a user writes; a flood is stopped, no one at work notices it."""

    def allow_request(self, request: HttpRequest) -> bool:
        return WRITES.count(f"user {request.user.pk}")

    def wait(self) -> float:
        return WRITES.retry_after_seconds()
