"""URLs of the sockets."""

from django.urls import URLPattern, path

from runner.sockets.consumer import serve_socket

websocket_urlpatterns: list[URLPattern] = [
    path("ws/", serve_socket),  # type: ignore[arg-type]  # ASGI, as Channels has it
]
