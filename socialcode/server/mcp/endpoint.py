"""The endpoint `/mcp`, before Django."""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from django.utils.module_loading import import_string

from socialcode.server.origins import is_allowed_page

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]

PATHS = ("/mcp", "/mcp/")
# Imported when first asked for, because the library takes memory and time to load.
ANSWER = "socialcode.server.mcp.server.answer"
INVALID_REQUEST = -32600


class McpEndpoint:
    """An ASGI application that answers /mcp with tools that call the one around which it is."""

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["path"] not in PATHS:
            await self._application(scope, receive, send)
        elif is_allowed_page(scope):
            # In the scope, where the tools find it.
            await import_string(ANSWER)({**scope, "api": self._application}, receive, send)
        else:
            headers = [(b"content-type", b"application/json")]
            await send({"type": "http.response.start", "status": 403, "headers": headers})
            error = {"code": INVALID_REQUEST, "message": "wrong Origin"}
            body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
            await send({"type": "http.response.body", "body": body})
