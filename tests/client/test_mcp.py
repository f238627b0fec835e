"""The site's tools over standard input and output, used with the reference library's client."""

import asyncio
import json

from mcp import Client, StdioServerParameters

from socialcode.accounts.tokens import create_token
from tests.client.conftest import Console
from tests.support import builders as make
from tests.support.site import Site


def test_a_model_uses_the_sites_tools_through_the_command(
    live_site: Site, console: Console
) -> None:
    token = create_token(user=make.user("ida"))[1]
    variables = {"SOCIALCODE_URL": live_site.url, "SOCIALCODE_TOKEN": token}
    started = StdioServerParameters(
        command=str(console.command), args=["mcp"], env={**console.environment(), **variables}
    )

    async def use() -> None:
        async with Client(started) as client:
            assert "Social Code" in str(client.instructions)
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert {"search_functions", "check_code", "publish"} <= tools
            made = await client.call_tool("define_function", {"name": "Halve"})
            assert made.structured_content is not None
            assert made.structured_content["owner"] == "ida"
            refused = await client.call_tool("read_function", {"name": "Missing"})
            assert refused.is_error
            assert "404" in json.dumps([part.model_dump() for part in refused.content])

    asyncio.run(use())


def test_a_site_that_is_not_there_is_told(console: Console) -> None:
    said = console.run("mcp", "--url", "http://127.0.0.1:9")
    assert (said.code, said.out) == (4, "")
    assert "can't be reached" in said.err
