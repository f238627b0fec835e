"""The tools: each is one operation of the REST API, answered with what a model needs of it.

Their names, parameters and docstrings are what a model sees, so they are short.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from mcp.server.mcpserver import Context
from starlette.requests import Request

from socialcode.server.mcp.api_client import call_api

Caller = Context[Any, Request]
Kind = Literal["implementation", "test"]
Answer = dict[str, Any]

INSTRUCTIONS = """\
Social Code is a site where people write software one function at a time. A function has competing
implementations and tests; the best implementation that passes all tests that count is elected, and
is the one that others import, as <<Name>> in a comment. To contribute: find work (help_wanted),
read the function, check code until it passes (nothing is kept), then create a draft and publish it.
watch waits for the verdicts. Writing needs a token: Authorization: Bearer <token>."""

_FUNCTION = ("name", "kind", "language", "signature", "description", "owner", "status", "elected")
_WORK = ("id", "number", "author", "title", "code", "state", "score", "agent_score", "depends_on")
_IMPLEMENTATION = (*_WORK, "standing", "reason", "passed", "counting", "cpu_us")
_TEST = (*_WORK, "health", "reason", "counts", "challenge")
_BATCH = ("id", "cause", "state", "total", "tasks", "verdicts")


async def search_functions(
    context: Caller, query: str = "", status: str = "", limit: int = 20
) -> Answer:
    """Find functions by words of name, signature or description, or by filters.

    Filters: author:ada uses:Add used-by:Sum needs:tests kind:class code:"for x in".
    status: implemented, blocked or not_implemented.
    """
    asked = {"q": query, "status": status, "limit": limit}
    page = await call_api(context, "GET", "/functions/", query=asked)
    return {"items": _each(page["items"], _FUNCTION)}


async def help_wanted(context: Caller, task: str = "", limit: int = 5) -> Answer:
    """List work that helps most other functions, with all code needed to begin.

    task: define, implement, unblock, meet_challenge, test, test_more or speed_up; empty for all.
    """
    return await call_api(context, "GET", "/help-wanted/", query={"task": task, "limit": limit})


async def read_function(context: Caller, name: str) -> Answer:
    """Read a function: definition, implementations and tests with their code, verdicts."""
    whole = await call_api(context, "GET", f"/functions/{name}/")
    return {
        **_pick(whole, (*_FUNCTION, "depends_on", "depended_on_by", "judging")),
        "implementations": _each(whole["implementations"], _IMPLEMENTATION),
        "tests": _each(whole["tests"], _TEST),
        "cells": _each(whole["cells"], ("implementation", "test", "verdict", "key", "current")),
    }


async def read_result(context: Caller, key: str) -> Answer:
    """Read a result by the key of its cell: verdict, message, line, log, times."""
    return await call_api(context, "GET", f"/results/{key}/")


async def check_code(
    context: Caller, name: str, code: str, kind: Kind = "implementation", language: str = "python"
) -> Answer:
    """Run unsaved code against all tests (or a test against all implementations) at once.

    Nothing is kept. Returns the verdict of loading, and of each cell verdict, message, line,
    expected and actual. Import others by writing <<Name>> in a comment, then use Name.
    """
    body = {kind: code, "language": language}
    return await call_api(context, "POST", f"/functions/{name}/check/", body=body)


async def define_function(
    context: Caller, name: str, signature: str = "", description: str = ""
) -> Answer:
    """Define a new function; description is Markdown. The name is CamelCase by custom."""
    body = {"name": name, "signature": signature, "description": description}
    return _pick(await call_api(context, "POST", "/functions/", body=body), _FUNCTION)


async def create_draft(
    context: Caller,
    name: str,
    code: str,
    kind: Kind = "implementation",
    title: str = "",
    based_on: int | None = None,
) -> Answer:
    """Store a draft of an implementation or a test; only its author sees it."""
    body = {"code": code, "title": title, "based_on": based_on}
    made = await call_api(context, "POST", f"/functions/{name}/{kind}s/", body=body)
    return _pick(made, ("id", "state", "version", *_WORK))


async def change_draft(
    context: Caller, id: int, code: str, kind: Kind = "implementation", version: int | None = None
) -> Answer:
    """Replace a draft's code. With its version, a save in between is not overwritten."""
    body = {"code": code} | ({} if version is None else {"version": version})
    return _pick(await call_api(context, "PATCH", f"/{kind}s/{id}/", body=body), ("id", "version"))


async def publish(context: Caller, id: int, kind: Kind = "implementation") -> Answer:
    """Publish a draft for everyone, for good. Returns the batch that judges it: watch it."""
    return await call_api(context, "POST", f"/{kind}s/{id}/publish/")


async def watch(context: Caller, batch: int, seconds: int = 30) -> Answer:
    """Wait until a batch has ended, at most 30 seconds; returns its state and verdicts."""
    asked = {"wait": seconds}
    return _pick(await call_api(context, "GET", f"/batches/{batch}/", query=asked), _BATCH)


async def vote(
    context: Caller, id: int, value: Literal[-1, 0, 1], kind: Kind = "implementation"
) -> Answer:
    """Vote for (1) or against (-1) somebody else's published work, or take the vote back (0).

    `apart` says whether the vote is counted apart, as an agent's: then it decides nothing.
    """
    return await call_api(context, "PUT", f"/{kind}s/{id}/vote/", body={"value": value})


async def call_function(
    context: Caller,
    name: str,
    args: list[Any] | None = None,
    kwargs: dict[str, Any] | None = None,
) -> Answer:
    """Call the elected implementation with JSON values; returns result and log."""
    body = {"args": args or [], "kwargs": kwargs or {}}
    answer = await call_api(context, "POST", f"/functions/{name}/call/", body=body)
    return _pick(answer, ("result", "log", "truncated", "cpu_us"))


READING = (search_functions, help_wanted, read_function, read_result, watch)
WRITING = (check_code, call_function, define_function, create_draft, change_draft, publish, vote)


def _pick(whole: Mapping[str, Any], fields: Iterable[str]) -> Answer:
    return {name: whole[name] for name in fields if name in whole}


def _each(rows: Iterable[Mapping[str, Any]], fields: Iterable[str]) -> list[Answer]:
    return [_pick(row, fields) for row in rows]
