"""Lets programs act for people: finds whose token a request to the API carries."""

from collections.abc import Awaitable, Callable
from typing import cast

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse

from functions.api.middleware import API_PREFIX
from functions.api.problems import DATABASE_AWAY, problem, unavailable
from socialcode.accounts.suspending import why_shut
from socialcode.accounts.tokens import user_of_token

SCHEME = "bearer"
Handled = HttpResponseBase | Awaitable[HttpResponseBase]


class TokenMiddleware:
    """Puts the token's user in the place of the session's; a token that is none is refused."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Handled]) -> None:
        self.get_response = get_response
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Handled:
        token = token_of(request)
        if self.is_async:
            return self._call_async(request, token)
        refusal = sign_in_by_token(request, token) if token is not None else None
        return refusal or self.get_response(request)

    async def _call_async(self, request: HttpRequest, token: str | None) -> HttpResponseBase:
        if token is not None:
            refusal = await sync_to_async(sign_in_by_token)(request, token)
            if refusal is not None:
                return refusal
        return await cast("Awaitable[HttpResponseBase]", self.get_response(request))


def token_of(request: HttpRequest) -> str | None:
    """Return the token that a request to the API carries, or None.

    Whoever asks for a new token may still carry an old one; that is not looked at.
    """
    if not request.path.startswith(API_PREFIX):
        return None
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != SCHEME or request.path == reverse("api-1:create_token"):
        return None
    return token.strip()


def sign_in_by_token(request: HttpRequest, token: str) -> HttpResponseBase | None:
    """Make the token's user the request's user, or return why not."""
    try:
        user = user_of_token(token)
        if user is not None and not user.is_active:
            return problem(401, code="suspended", detail=why_shut(user))
    except DATABASE_AWAY:
        return unavailable()
    if user is None:
        return problem(401, code="invalid_token", detail="This token is unknown, or was revoked.")
    request.user = user
    # Nothing sends it unasked, as browsers do with cookies: no CSRF token is needed.
    request.is_authenticated_by_token = True  # type: ignore[attr-defined]
    return None
