"""Tools for language models at /mcp, used with the reference library's own client."""

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from socialcode.accounts.tokens import create_token
from tests.patience import PATIENCE_SECONDS
from tests.support import builders as make
from tests.support.agents import agent_of
from tests.support.site import Site

MODES = ("auto", "legacy")
TOOLS = {
    *("search_functions", "help_wanted", "read_function", "read_result", "watch"),
    *("check_code", "call_function", "define_function", "create_draft", "change_draft"),
    *("publish", "vote"),
}
WRONG = "def Halve(n):\n    return n // 3\n"
RIGHT = "def Halve(n):\n    return n // 2\n"


class Tools:
    """A client's tools."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, name: str, /, **arguments: Any) -> Any:
        result = await self.client.call_tool(name, arguments)
        text = "".join(part.text for part in result.content if part.type == "text")
        if result.is_error:
            raise AssertionError(text)
        assert json.loads(text) == result.structured_content
        return result.structured_content

    async def refusal(self, name: str, /, **arguments: Any) -> str:
        with pytest.raises(AssertionError) as refused:
            await self.call(name, **arguments)
        return str(refused.value)


def use(
    site: Site, act: Callable[[Tools], Awaitable[None]], token: str = "", mode: str = "auto"
) -> None:
    async def run() -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE_SECONDS) as http:
            transport = streamable_http_client(f"{site.url}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                await act(Tools(client))

    asyncio.run(run())


def test_a_model_gets_a_function_elected(live_site: Site) -> None:
    live_site.start_callers()

    async def contribute(tools: Tools) -> None:
        await tools.call("define_function", name="Halve", signature="(n)", description="Half.")
        test = await tools.call(
            "create_draft", name="Halve", kind="test", code="assert Halve(6) == 3\n"
        )
        begun = await tools.call("publish", kind="test", id=test["id"])
        await tools.call("watch", batch=begun["batch"])
        (wanted,) = (await tools.call("help_wanted"))["items"]
        assert (wanted["task"], wanted["function"]) == ("implement", "Halve")
        assert [one["code"] for one in wanted["tests"]] == ["assert Halve(6) == 3\n"]
        (cell,) = (await tools.call("check_code", name="Halve", code=WRONG))["cells"]
        assert (cell["verdict"], cell["actual"], cell["expected"]) == ("failed", "2", "3")
        (cell,) = (await tools.call("check_code", name="Halve", code=RIGHT))["cells"]
        assert cell["verdict"] == "passed"
        draft = await tools.call("create_draft", name="Halve", code=WRONG)
        await tools.call("change_draft", id=draft["id"], code=RIGHT, version=draft["version"])
        started = await tools.call("publish", id=draft["id"])
        batch = await tools.call("watch", batch=started["batch"])
        assert batch["state"] == "complete"
        assert {verdict for verdict, count in batch["verdicts"].items() if count} == {"passed"}
        whole = await tools.call("read_function", name="Halve")
        assert (whole["status"], whole["elected"]) == ("implemented", draft["id"])
        key = whole["cells"][-1]["key"]
        assert (await tools.call("read_result", key=key))["verdict"] == "passed"
        assert (await tools.call("call_function", name="Halve", args=[8]))["result"] == 4
        found = await tools.call("search_functions", query="half")
        assert [one["name"] for one in found["items"]] == ["Halve"]

    ida, ben = (create_token(user=make.user(name))[1] for name in ("ida", "ben"))
    use(live_site, contribute, ida)

    async def judge(tools: Tools) -> None:
        whole = await tools.call("read_function", name="Halve")
        voted = await tools.call("vote", id=whole["elected"], value=1)
        assert voted == {"score": 1, "agent_score": 0, "apart": False}

    use(live_site, judge, ben)

    async def judge_as_agent(tools: Tools) -> None:
        whole = await tools.call("read_function", name="Halve")
        voted = await tools.call("vote", id=whole["elected"], value=1)
        assert voted == {"score": 1, "agent_score": 1, "apart": True}

    use(live_site, judge_as_agent, create_token(user=agent_of("ben", "helper"))[1])


@pytest.mark.usefixtures("transactional_db")
@pytest.mark.parametrize("mode", MODES)
def test_tools_are_few_and_described_in_short(site_processes: Site, mode: str) -> None:
    async def look(tools: Tools) -> None:
        listed = (await tools.client.list_tools()).tools
        assert {tool.name for tool in listed} == TOOLS
        assert all(0 < len(tool.description or "") < 400 for tool in listed)
        assert "context" not in json.dumps([tool.input_schema for tool in listed])
        reading = {
            tool.name for tool in listed if tool.annotations and tool.annotations.read_only_hint
        }
        assert "publish" not in reading
        assert "read_function" in reading

    use(site_processes, look, mode=mode)


@pytest.mark.usefixtures("transactional_db")
def test_refusals_say_what_is_wrong_and_what_to_do(site_processes: Site) -> None:
    make.function("Halve")

    async def try_all(tools: Tools) -> None:
        assert "404" in await tools.refusal("read_function", name="Missing")
        assert "Bearer" in await tools.refusal("create_draft", name="Halve", code="x = 1")
        assert "limit" in await tools.refusal("help_wanted", limit=0)

    use(site_processes, try_all)

    async def try_more(tools: Tools) -> None:
        refused = await tools.refusal("define_function", name="class")
        assert "reserved_name" in refused or "name" in refused

    use(site_processes, try_more, create_token(user=make.user())[1])


@pytest.mark.usefixtures("transactional_db")
def test_pages_of_other_sites_are_refused(site_processes: Site) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
    }

    def status(**more: str) -> int:
        request = urllib.request.Request(f"{site_processes.url}/mcp", body, {**headers, **more})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as refused:
            return refused.code

    assert status() == 200
    assert status(Origin=site_processes.url) == 200
    assert status(Origin="https://elsewhere.example") == 403
