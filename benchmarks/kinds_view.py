"""The yardstick of pages: Django renders the same template, with the site's own middlewares."""

from __future__ import annotations

import functools
import os
import socket
from typing import Any

import django
import uvicorn
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.http import HttpRequest, HttpResponse
from django.template.backends.jinja2 import Jinja2
from django.urls import path

from benchmarks.kinds_page import FUNCTION, PAGE

_function: dict[str, object] = {}
exec(FUNCTION, _function)  # noqa: S102 - a constant of ours
_options: dict[str, Any] = {
    "NAME": "jinja2",
    "DIRS": [],
    "APP_DIRS": False,
    "OPTIONS": {"autoescape": True},
}


def show(request: HttpRequest) -> HttpResponse:
    """Render the template with the request's query."""
    given = {"query": request.GET.dict(), "Prices": _function["Prices"]}
    return HttpResponse(_template().render(given, request))


@functools.cache
def _template() -> Any:
    return Jinja2(_options).from_string(PAGE)


urlpatterns = [path("", show)]


def serve(handle: int) -> None:
    """Serve that view until terminated."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "socialcode.settings"
    settings.ROOT_URLCONF = __name__
    django.setup()
    config = uvicorn.Config(
        get_asgi_application(), lifespan="off", log_config=None, access_log=False
    )
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=handle)])
