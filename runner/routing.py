"""Addresses of the sockets."""

from django.urls import URLPattern, path

from runner.consumers import TopicsConsumer

websocket_urlpatterns: list[URLPattern] = [path("ws/", TopicsConsumer.as_asgi())]
