"""Answers /healthz and /readyz, for proxies and service managers.

Before Django, so that they answer by any host name or address, over plain HTTP and without a
session.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qs

from runner.operations.readiness import CHECKS, CheckResult, Readiness, failing

HEADERS = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
READING = ("GET", "HEAD")


class _SharedReadiness:
    """Has all probes of one event loop wait for the same checks, in one thread of asyncio's."""

    def __init__(self) -> None:
        self._readiness = Readiness()
        self._checking: asyncio.Task[Mapping[str, CheckResult]] | None = None

    async def check(self) -> Mapping[str, CheckResult]:
        """Return the results by name."""
        if self._checking is None or self._checking.done():
            self._checking = asyncio.create_task(asyncio.to_thread(self._readiness.check))
        return await asyncio.shield(self._checking)


_readiness = _SharedReadiness()


async def is_alive(_query: str) -> tuple[int, dict[str, Any]]:
    """Answer as long as this process handles requests."""
    return 200, {"status": "alive"}


async def is_ready(query: str) -> tuple[int, dict[str, Any]]:
    """Answer 503 if a check fails; `?exclude=NAME` leaves one out, as often as wanted.

    For a proxy: a site without its queue or workers still shows pages and keeps what is written.
    """
    excluded = parse_qs(query).get("exclude", [])
    if unknown := set(excluded) - CHECKS.keys():
        return 400, {"error": f"unknown checks: {len(unknown)}", "checks": list(CHECKS)}
    results = await _readiness.check()
    failed = failing(results, excluded=excluded)
    body = {"status": "unavailable" if failed else "ready", "checks": _shown(results, excluded)}
    return (503 if failed else 200), body


def _shown(results: Mapping[str, CheckResult], excluded: list[str]) -> dict[str, Any]:
    return {
        name: {
            "ok": one.failure is None,
            **({"detail": one.failure} if one.failure else {}),
            **({"excluded": True} if name in excluded else {}),
            "milliseconds": one.milliseconds,
        }
        for name, one in results.items()
    }


Probe = Callable[[str], Any]
PROBES: Mapping[str, Probe] = {"/healthz": is_alive, "/readyz": is_ready}


class Probes:
    """An ASGI application that answers probes, and passes other requests on."""

    def __init__(self, application: Any) -> None:
        self._application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a probe, or pass the request on."""
        probe = PROBES.get(scope["path"])
        if probe is None:
            await self._application(scope, receive, send)
            return
        if scope["method"] in READING:
            status, body = await probe(scope["query_string"].decode("latin1"))
        else:
            status, body = 405, {"error": "GET or HEAD"}
        text = json.dumps(body).encode() + b"\n"
        length = (b"content-length", str(len(text)).encode())
        await send({"type": "http.response.start", "status": status, "headers": [*HEADERS, length]})
        await send({"type": "http.response.body", "body": text})
