"""Requests to the REST API in this process, as the user whose token a tool's caller has sent."""

import json
from collections.abc import Mapping
from typing import Any

import httpx2
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from starlette.requests import Request

# Everything else that the caller sends, cookies above all, isn't passed on.
PASSED_ON = ("authorization", "host", "x-forwarded-proto", "accept-language", "x-request-id")
SECONDS = 60.0


async def call_api(
    context: Context[Any, Request],
    method: str,
    path: str,
    *,
    query: Mapping[str, Any] | None = None,
    body: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the API's answer; what it refuses becomes a ToolError that says why."""
    request = context.request_context.request
    if request is None:
        raise ToolError("The tools are served over HTTP only.")
    headers = {name: request.headers[name] for name in PASSED_ON if name in request.headers}
    host, port = request.client or ("127.0.0.1", 0)
    transport = httpx2.ASGITransport(request.scope["api"], client=(host, port))
    scheme = request.url.scheme
    base = f"{scheme}://{request.headers.get('host', 'localhost')}/api/v1"
    sent = {name: value for name, value in (query or {}).items() if value not in (None, "")}
    content = None if body is None else json.dumps(body)
    if content is not None:
        headers["content-type"] = "application/json"
    async with httpx2.AsyncClient(transport=transport, timeout=SECONDS) as http:
        response = await http.request(
            method, f"{base}{path}", params=sent, content=content, headers=headers
        )
    if response.status_code >= 400:
        raise ToolError(_problem(response))
    answer = response.json() if response.content else {}
    return answer if isinstance(answer, dict) else {"value": answer}


def _problem(response: httpx2.Response) -> str:
    """Return a problem of the API in a line or a few."""
    try:
        problem = response.json()
    except ValueError:
        return f"{response.status_code}: {response.text[:200]}"
    lines = [f"{response.status_code} {problem.get('code', '')}: {problem.get('detail', '')}"]
    for error in problem.get("errors") or []:
        place = f", line {error['line']}" if error.get("line") else ""
        lines.append(f"{error.get('field') or 'body'}{place}: {error.get('message')}")
    if response.status_code == 401:
        lines.append("Send a token of the site: Authorization: Bearer <token>")
    return "\n".join(lines)
