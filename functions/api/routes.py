"""Names of operations: `METHOD route`, as routes are written, or as OpenAPI writes paths."""

import re
from collections.abc import Iterable

from django.http import HttpRequest

from functions.api.middleware import API_PREFIX


def route_of(request: HttpRequest) -> str:
    """Return the route of a request to the API, below the version; empty without one."""
    match = request.resolver_match
    if match is None:
        return ""
    return str(match.route).removeprefix(API_PREFIX.lstrip("/")).partition("/")[2]


def path_of(operation: str) -> str:
    """Return an operation as OpenAPI writes its path: `GET tests/{id}/`."""
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", operation)


def by_path(operations: Iterable[str]) -> set[str]:
    """Return operations as OpenAPI writes their paths."""
    return {path_of(operation) for operation in operations}
