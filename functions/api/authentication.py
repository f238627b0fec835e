"""Authentication by token, which a middleware has looked up, or by session with CSRF check."""

from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from ninja.security import APIKeyCookie, HttpBearer
from ninja.utils import check_csrf


class BearerToken(HttpBearer):
    """`Authorization: Bearer <token>`."""

    def authenticate(self, request: HttpRequest, token: str) -> Any:  # noqa: ARG002 - looked up already
        is_by_token = getattr(request, "is_authenticated_by_token", False)
        return request.user if is_by_token and request.user.is_authenticated else None


class SessionCookie(APIKeyCookie):
    """The session cookie of the site's own pages, which also send the CSRF token."""

    param_name = settings.SESSION_COOKIE_NAME

    def __init__(self) -> None:
        # The base class checks CSRF first, so anonymous clients would get a CSRF error.
        super().__init__(csrf=False)

    def authenticate(self, request: HttpRequest, key: str | None) -> Any:  # noqa: ARG002 - read already
        if not request.user.is_authenticated:
            return None
        if check_csrf(request):
            raise PermissionDenied("The CSRF token is missing or wrong; reload the page.")
        return request.user


# Required for writing operations; reading is public.
SOMEBODY = [BearerToken(), SessionCookie()]
