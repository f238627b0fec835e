"""The yardstick of pages, a view that reads one row by its key; and a counter of queries."""

from __future__ import annotations

import os
import socket

import django
import uvicorn
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import path


def one_row(request: HttpRequest, pk: int) -> HttpResponse:  # noqa: ARG001
    """Respond with a function's name."""
    with connection.cursor() as cursor:
        cursor.execute("select name from functions_function where id = %s", [pk])
        row = cursor.fetchone()
    return HttpResponse(row[0] if row else "")


urlpatterns = [path("<int:pk>/", one_row)]


def serve(handle: int) -> None:
    """Serve that view without middlewares, until terminated."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "socialcode.settings"
    settings.ROOT_URLCONF = __name__
    django.setup()
    settings.MIDDLEWARE = []  # only now: allauth refuses to start without its own
    config = uvicorn.Config(
        get_asgi_application(), lifespan="off", log_config=None, access_log=False
    )
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=handle)])


def count_queries(address: str, sessionid: str) -> None:
    """Print the number of queries of a page in this session."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "socialcode.settings"
    django.setup()
    client = Client(HTTP_HOST="localhost")
    client.cookies["sessionid"] = sessionid
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(address)
    if answer.status_code != 200 or not answer.wsgi_request.user.is_authenticated:
        raise ValueError(f"the page responded with {answer.status_code}")
    print(len(queries))
