"""Middlewares for static files, caching headers, and what pages and other sites may do."""

from collections.abc import Callable
from functools import cache
from http import HTTPStatus
from typing import NoReturn

from csp.constants import UNSAFE_INLINE
from csp.middleware import CSPMiddleware, PolicyParts
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.http.response import HttpResponseBase
from servestatic.middleware import ServeStaticMiddleware

# Texts for scripts; otherwise they would be fetched with each page of somebody who is signed in.
SAME_FOR_ALL = "/texts/"
# Pages of django-rq, for staff only. They have inline styles without a nonce. Their only script
# isn't needed; `templates/django_rq/` leaves it out.
PAGES_OF_DJANGO_RQ = ("/django-rq/", "/staff/django_rq/")

PAGES = "/p/"  # users' pages

# Features of browsers that no page needs, in frames neither.
UNUSED_FEATURES = (
    "accelerometer", "autoplay", "browsing-topics", "camera", "display-capture",
    "encrypted-media", "geolocation", "gyroscope", "hid", "magnetometer", "microphone", "midi",
    "payment", "screen-wake-lock", "serial", "usb", "xr-spatial-tracking",
)  # fmt: skip
ISOLATION = {
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in UNUSED_FEATURES),
    "Cross-Origin-Resource-Policy": "same-origin",
}


class PolicyMiddleware(CSPMiddleware):
    """Allows inline styles in pages of django-rq only."""

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        """Return the parts of the policy header."""
        parts = super().get_policy_parts(request, response, report_only)
        # Redirects and refusals at these addresses are our own pages.
        if request.path_info.startswith(PAGES_OF_DJANGO_RQ) and response.status_code == 200:
            parts.update = {"style-src": [UNSAFE_INLINE]}
        return parts


class IsolationMiddleware:
    """Keeps powerful features from pages, and answers from other sites' pages.

    A view may allow other sites to show its answer.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        for name, value in ISOLATION.items():
            response.headers.setdefault(name, value)
        return response


class PagesMiddleware:
    """Keeps users' pages apart: without anybody's identity, and on their own host if they have one.

    They get no cookies and tokens, and set none.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        is_page, host = request.path_info.startswith(PAGES), settings.PAGES_HOST
        if host and is_page != (request.get_host() == host):
            return _of_other_host(request) if is_page else HttpResponseNotFound()
        if not is_page:
            return self._get_response(request)
        for name in ("HTTP_COOKIE", "HTTP_AUTHORIZATION"):
            request.META.pop(name, None)
        response = self._get_response(request)
        response.cookies.clear()
        return response


def _of_other_host(request: HttpRequest) -> HttpResponse:
    """Redirect to the host of pages, with the same method and form."""
    address = f"{request.scheme}://{settings.PAGES_HOST}{request.get_full_path()}"
    status = HTTPStatus.TEMPORARY_REDIRECT
    return HttpResponse(status=status, headers={"Location": address})


class PrivacyMiddleware:
    """Forbids caching of responses to identified users.

    That is of requests with a session or token, and of responses that set a session. For other
    responses, the views decide. Runs after the middleware of static files, which are public.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        if request.path_info.startswith(SAME_FOR_ALL) and response.status_code == HTTPStatus.OK:
            return response
        cookie = settings.SESSION_COOKIE_NAME
        is_known = cookie in request.COOKIES or "Authorization" in request.headers
        if is_known or cookie in response.cookies:
            response["Cache-Control"] = "private, no-store"
        return response


class StaticMiddleware:
    """Serves ServeStatic's static files from memory, because they are small.

    ServeStatic's own middleware is asynchronous: all requests would pass through the event loop,
    and files would be read in pieces of 8 KiB, each in a thread.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response
        self._known = _known_files()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        path, known = request.path_info, self._known
        file = known.find_file(path) if known.autorefresh else known.files.get(path)
        if file is None:
            return self._get_response(request)
        static = file.get_response(request.method or "GET", request.META)
        response = HttpResponse(status=static.status)
        # `static` has all headers.
        del response["Content-Type"]
        for name, value in static.headers:
            if value is not None:
                response[name] = value
        if static.file is not None:
            with static.file as content:
                response.content = content.read()
        return response


@cache
def _known_files() -> ServeStaticMiddleware:
    """Return the static files; cached, because tests create many handlers."""
    return _StaticFiles(_not_used)


class _StaticFiles(ServeStaticMiddleware):  # type: ignore[misc]  # untyped
    """Also knows the chunks of scripts, whose names have a hash of esbuild's."""

    def immutable_file_test(self, path: str, url: str) -> bool:
        """Return whether a file's name changes with its content, so that browsers may keep it."""
        return "/js/chunk-" in url or super().immutable_file_test(path, url)


async def _not_used(_request: HttpRequest) -> NoReturn:
    raise NotImplementedError("ServeStatic is used for finding files only")
