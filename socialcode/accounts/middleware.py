"""Authentication middlewares: sessions for browsers, tokens for programs; and who asks, whence."""

import functools
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware, get_user
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from functions.api.middleware import API_PREFIX
from functions.api.problems import DATABASE_AWAY, problem, unavailable
from functions.api.routes import route_of
from functions.api.scopes import missing_scope, scope_of
from functions.people.deleted_accounts import is_of_deleted_account
from functions.rate_limits import Rate
from socialcode.accounts.security.log import Event, log_refusal
from socialcode.accounts.security.origin import Origin, origin
from socialcode.accounts.sessions import user_read_with
from socialcode.accounts.suspensions import why_shut
from socialcode.accounts.tokens import holder_of_token

SCHEME = "bearer"
STAFF_PREFIX = "/staff/"
# Refused tokens that are logged: each once a minute, and so many of an address.
LOGGED_PER_TOKEN = Rate("refused-token-logged", tries=1, seconds=60)
LOGGED_PER_ADDRESS = Rate("refused-tokens-logged", tries=30, seconds=60)


class OriginMiddleware:
    """Makes known to what is done in a request where the request comes from."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        token = origin.set(origin_of(request))
        try:
            return self._get_response(request)
        finally:
            origin.reset(token)


def origin_of(request: HttpRequest) -> Origin:
    """Return the origin of what is done in a request."""

    def actor() -> User | None:
        user = getattr(request, "user", None)
        return user if isinstance(user, User) and user.is_authenticated else None

    ways = ((API_PREFIX, "api"), (STAFF_PREFIX, "admin"))
    how = next((way for prefix, way in ways if request.path.startswith(prefix)), "form")
    return Origin(str(request.META.get("REMOTE_ADDR", "")), how, actor)


class SessionUserMiddleware(AuthenticationMiddleware):
    """Django's middleware with one query less, because the user is loaded with the session.

    If that user isn't signed in by the session, Django's own check decides.
    """

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(functools.partial(_user_of_session, request))  # type: ignore[assignment]

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Sign out whose account was deleted during the request."""
        if not is_of_deleted_account(error):
            return None
        request.session.flush()
        return redirect(settings.LOGIN_URL)


def _user_of_session(request: Any) -> User | AnonymousUser:
    if not hasattr(request, "_cached_user") and (user := user_read_with(request.session)):
        request._cached_user = user  # noqa: SLF001 - where Django's looks first
    return get_user(request)


class TokenMiddleware:
    """Replaces the session's user by the token's; refuses invalid tokens, and what they may not."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        token = token_of(request)
        refusal = sign_in_by_token(request, token) if token is not None else None
        if refusal and is_for_token(request):
            # Of use only without name and password.
            request.token_refusal = refusal  # type: ignore[attr-defined]
            refusal = None
        return refusal or self._get_response(request)

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        """Refuse a token without the scope that the operation needs."""
        if not request.path.startswith(API_PREFIX) or is_for_token(request):
            return None
        return missing_scope(request, scope_of(str(request.method), route_of(request)))


def token_of(request: HttpRequest) -> str | None:
    """Return the token of a request to the API, or None."""
    if not request.path.startswith(API_PREFIX):
        return None
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == SCHEME else None


def is_for_token(request: HttpRequest) -> bool:
    """Return whether the request is for a new token, which name and password also open."""
    return request.method == "POST" and request.path == _token_path()


@functools.cache
def _token_path() -> str:
    return reverse("api-1:tokens")


def sign_in_by_token(request: HttpRequest, token: str) -> HttpResponseBase | None:
    """Set the request's user to the token's; return a refusal if the token is invalid."""
    try:
        holder = holder_of_token(token)
        user = holder.user if holder else None
        if user is not None and not user.is_active:
            log_refused_token(token, "suspended", user)
            return problem(401, code="suspended", detail=why_shut(user))
    except DATABASE_AWAY:
        return unavailable()
    if holder is None or user is None:
        log_refused_token(token, "invalid", None)
        detail = _("This token is unknown, has expired, or was revoked.")
        return problem(401, code="invalid_token", detail=detail)
    request.user = user
    # Browsers don't add tokens by themselves, unlike cookies, so no CSRF token is needed.
    request.is_authenticated_by_token = True  # type: ignore[attr-defined]
    request.token_scopes = holder.scopes  # type: ignore[attr-defined]
    request.token_expires_at = holder.expires_at  # type: ignore[attr-defined]
    return None


def log_refused_token(text: str, reason: str, user: User | None) -> None:
    """Log a refused token, unless it was logged just now, or too many of this address were."""
    if LOGGED_PER_ADDRESS.count(origin.get().network) and LOGGED_PER_TOKEN.count(text):
        log_refusal(Event.TOKEN_USE, reason, user=user, how="token")
