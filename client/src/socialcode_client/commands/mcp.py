"""The site's tools for language models, over standard input and output."""

import asyncio
from importlib.util import find_spec
from typing import Any

import httpx2
import typer

from socialcode_client.commands.screen import err
from socialcode_client.commands.session import ExitCode, Url
from socialcode_client.configuration import site_address, token_for
from socialcode_client.errors import NotReachable

SECONDS = 90.0


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(mcp)


def mcp(url: Url = None) -> None:
    """Serve the site's tools to a language model, by the Model Context Protocol over stdio."""
    if find_spec("mcp") is None:
        err.print("[bold red]Error:[/] This needs more: pip install 'socialcode-client\\[mcp]'")
        raise typer.Exit(ExitCode.HERE)
    address = site_address(url)
    try:
        asyncio.run(_serve(address, token_for(address, None)))
    except* httpx2.TransportError:
        raise NotReachable(f"{address} can't be reached.") from None


async def _serve(address: str, token: str | None) -> None:
    """Pass on to the site what a model asks, and back what it answers."""
    # Optional, and slow to import.
    from mcp import Client  # noqa: PLC0415
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415
    from mcp.server.lowlevel import Server  # noqa: PLC0415
    from mcp.server.stdio import stdio_server  # noqa: PLC0415

    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=SECONDS) as http,
        Client(streamable_http_client(f"{address}/mcp", http_client=http)) as site,
    ):

        async def list_tools(_context: Any, _params: Any) -> Any:
            return await site.list_tools()

        async def call_tool(_context: Any, params: Any) -> Any:
            return await site.call_tool(params.name, params.arguments)

        server: Server[Any] = Server(
            "social-code",
            title="Social Code",
            instructions=site.instructions,
            on_list_tools=list_tools,
            on_call_tool=call_tool,
        )
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())
