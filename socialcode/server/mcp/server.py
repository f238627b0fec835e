"""Serves the tools over streamable HTTP: each request for itself, without sessions."""

from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import ToolAnnotations

from socialcode.server.mcp.tools import INSTRUCTIONS, READING, WRITING

PATH = "/mcp"
MOST_BODY_BYTES = 1024 * 1024


def make_server() -> MCPServer[Any]:
    """Return a server with all tools."""
    server: MCPServer[Any] = MCPServer(
        "social-code", title="Social Code", instructions=INSTRUCTIONS, subscriptions=False
    )
    for tool in (*READING, *WRITING):
        server.add_tool(tool, annotations=ToolAnnotations(read_only_hint=tool in READING))
    return server


_server = make_server()


async def answer(scope: Any, receive: Any, send: Any) -> None:
    """Answer an HTTP request."""
    application = _server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        json_response=True,
        max_request_body_size=MOST_BODY_BYTES,
        # The endpoint has checked the origin; Django checks hosts.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    # For each request, as it must end in the task that has begun it. It is this application's
    # until the next await.
    async with _server.session_manager.run():
        await application({**scope, "path": PATH}, receive, send)
