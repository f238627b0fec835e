"""Middleware for requests below /api/ and /r/: short addresses, final slashes, problems."""

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import is_valid_path

from functions.api.problems import CONTENT_TYPE, problem

API_PREFIX = "/api/"
# Short addresses of collections' items: /r/People/5/ is /api/v1/collections/People/items/5/.
RESOURCE = re.compile(r"/r/(?P<name>[^/]+)(?P<item>/[0-9]+)?/?")
METHODS = {False: "GET, HEAD, POST, OPTIONS", True: "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"}
ERRORS_FROM = 400
# Headers that describe the body; the others are kept when it is replaced.
BODY_HEADERS = ("Content-Type", "Content-Length", "Content-Encoding", "Content-Language")


class ApiMiddleware:
    """Accepts paths with and without their final slash; converts error pages to problems."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if resource := RESOURCE.fullmatch(request.path_info):
            return self._answer_resource(request, resource)
        if not request.path.startswith(API_PREFIX):
            return self._get_response(request)
        mend_slash(request)
        return as_problem(self._get_response(request))

    def _answer_resource(self, request: HttpRequest, resource: re.Match[str]) -> HttpResponseBase:
        """Answer as the API does at the long address; addresses in the answer are short."""
        if request.method == "OPTIONS":
            allowed = METHODS[resource["item"] is not None]
            return HttpResponse(status=204, headers={"Allow": allowed})
        short = request.path.removesuffix("/") + "/"
        base = short.removesuffix(f"{resource['item'] or ''}/")
        path = f"/api/v1/collections/{resource['name']}/items{resource['item'] or ''}/"
        if request.method == "HEAD":  # whose content the server leaves out
            request.method = "GET"
        request.path = request.path_info = path
        response = as_problem(self._get_response(request))
        long = f"/api/v1/collections/{resource['name']}/items"
        for name in ("Location", "Link"):
            if name in response:
                response[name] = response[name].replace(long, base)
        return response


def mend_slash(request: HttpRequest) -> None:
    """Add or remove the final slash in place, as a redirect would lose a posted body."""
    path = request.path_info
    if is_valid_path(path):
        return
    mended = path.removesuffix("/") if path.endswith("/") else f"{path}/"
    if is_valid_path(mended):
        request.path_info = mended
        request.path = request.path.removesuffix(path) + mended


def as_problem(response: HttpResponseBase) -> HttpResponseBase:
    """Return the response, converted to a problem if it is an error of another format."""
    content_type = response.headers.get("Content-Type", "")
    if response.status_code < ERRORS_FROM or content_type.startswith(CONTENT_TYPE):
        return response
    answer = problem(response.status_code)
    for name, value in response.headers.items():
        if name not in BODY_HEADERS:
            answer[name] = value
    answer.cookies = response.cookies
    return answer
