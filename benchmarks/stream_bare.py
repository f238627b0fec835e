"""The bare design: a consumer in a group, to which each event is sent.

It has the same server, settings and middlewares as the site.
"""

from __future__ import annotations

import asyncio
import base64
import json
import random
import socket
import time
from collections.abc import Mapping, Sequence
from typing import Any

from channels.auth import AuthMiddlewareStack
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.layers import get_channel_layer
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.urls import path

from socialcode import web


class EventsConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]  # channels has no types
    """Forwards all messages of its group."""

    async def connect(self) -> None:
        self.group = group_name(self.scope["url_route"]["kwargs"]["topic"])
        await self.channel_layer.group_add(self.group, self.channel_name)
        await self.accept()

    async def disconnect(self, code: int) -> None:  # noqa: ARG002 - given by channels
        await self.channel_layer.group_discard(self.group, self.channel_name)

    async def topic_event(self, message: Mapping[str, Any]) -> None:
        await self.send(text_data=json.dumps(message["event"]))


application = ProtocolTypeRouter(
    {
        "websocket": AllowedHostsOriginValidator(
            AuthMiddlewareStack(
                URLRouter([path("ws/<int:topic>/", EventsConsumer.as_asgi())]),
            )
        ),
    }
)


def serve(handle: int) -> None:
    """Serve on the listening socket with this file descriptor."""
    web.APPLICATION = "benchmarks.stream_bare:application"
    web.serve(socket.socket(fileno=handle))


def group_name(topic: int) -> str:
    """Return the name of a topic's group."""
    return f"events.{topic}"


def send_events(topics: Sequence[int], count: int, seconds: float, size: int) -> list[float]:
    """Send numbered events to the topics in turn; return the time of each."""
    return asyncio.run(_send_events(topics, count, seconds, size))


async def _send_events(topics: Sequence[int], count: int, seconds: float, size: int) -> list[float]:
    layer = get_channel_layer()
    sent: list[float] = []
    began = time.monotonic()
    for number in range(count):
        await asyncio.sleep(max(0.0, began + number * seconds / count - time.monotonic()))
        event = {"number": number, **_like_ours(size)}
        sent.append(time.monotonic())
        group = group_name(topics[number % len(topics)])
        await layer.group_send(group, {"type": "topic.event", "event": event})
    return sent


def _like_ours(size: int) -> dict[str, Any]:
    """Return the payload of a finished task, or a text of this size."""
    if size:
        return {"text": noise(size)}
    return {
        "type": "task.finished",
        "at": "2026-01-01T00:00:00.000Z",
        "payload": {
            "batch": 1,
            "task": 1,
            "key": "0" * 64,
            "state": "succeeded",
            "verdict": "passed",
            "message": "",
            "line": None,
            "cpu_us": 1_000,
            "wall_us": 1_000,
            "attempt": 1,
            "cached": False,
        },
    }


def noise(size: int) -> str:
    """Return an incompressible text of this length."""
    return base64.b64encode(random.randbytes(size)).decode()[:size]
